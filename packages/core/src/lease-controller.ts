import type { StillHeld } from './api/reports.ts';
import { closingError, lossError } from './error-messages.ts';
import type { LockError, LockLostError } from './errors.ts';
import type { LossReason } from './events.ts';
import { KeyRelease, type ReleasedLease } from './key-release.ts';
import { LeaseClock } from './lease-clock.ts';
import type { LeaseContext, LeaseEvent } from './lease-context.ts';
import { LeaseReference } from './lease-reference.ts';
import type { OpenHandles } from './open-handles.ts';
import type { Grant, Release, Renewal } from './port.ts';
import type { Instant } from './runtime.ts';
import { Watchdog, type WatchedLease } from './watchdog.ts';

/** The key of a lease, its holder, and its options. */
export interface LeaseControllerRequest {
  readonly key: string;
  readonly contender: string;
  readonly renew: boolean;
  readonly maxHoldMs: number;
  /** Called with the reason whenever the signal aborts, even if it has not been read. */
  readonly onAbort?: ((reason: LockError) => void) | undefined;
}

/**
 * The life of one lease: held, then lost or released. The lease that users see is a thin handle on it. While it is held a
 * {@link Watchdog} looks after it; how its key gets back is the {@link KeyRelease}. Before the first renewal core drops its
 * reference to a handle whose signal has not been read. So a dropped handle can be collected, and its renewal stops.
 */
export class LeaseController implements WatchedLease, ReleasedLease {
  readonly grant: Grant;
  readonly request: LeaseControllerRequest;
  readonly clock: LeaseClock;
  readonly reference: LeaseReference = new LeaseReference();
  /** Arrival of the grant on the monotonic clock. */
  readonly grantedMs: number;
  readonly context: LeaseContext;
  readonly watchdog: Watchdog;
  /** Absent until the hold is entered again: most have one handle. */
  handles: OpenHandles | undefined;
  readonly #keyRelease: KeyRelease;
  #state: 'held' | 'lost' | 'released' = 'held';
  #lossReason: LossReason | undefined;
  #isExported = false;
  #release: Promise<Release> | undefined;
  #cancelLossListener: (() => void) | undefined;

  constructor(context: LeaseContext, grant: Grant, request: LeaseControllerRequest) {
    this.context = context;
    this.grant = grant;
    this.request = request;
    this.clock = new LeaseClock(context.host.runtime, grant, request.maxHoldMs);
    this.grantedMs = context.host.runtime.now().monotonicMs;
    this.watchdog = new Watchdog(context, this, request.renew);
    this.#keyRelease = new KeyRelease(context, this);
  }

  /** Starts the clock of the lease; `onEnded` is called once, when the next waiter may contend. */
  start(lease: object, onEnded: () => void): void {
    // A listener of `acquired` may have read the state, and found the lease expired.
    if (this.#state !== 'held') return onEnded();
    this.#keyRelease.start(onEnded);
    this.watchdog.start(lease);
    const cancel = this.grant.onLost?.(() => this.lose('pushed'));
    if (this.#state === 'held') this.#cancelLossListener = cancel;
    else cancel?.();
  }

  get backend(): string {
    return this.context.backend;
  }

  get keyOnBackend(): { readonly key: string; readonly backend: string } {
    return { key: this.request.key, backend: this.context.backend };
  }

  get state(): 'held' | 'lost' | 'released' {
    this.remainingMs();
    return this.#state;
  }

  get hasEnded(): boolean {
    return this.#state !== 'held';
  }

  get isExported(): boolean {
    return this.#isExported;
  }

  /** True after the time limit of `close`: nothing is sent to the backend any more. */
  get isAbandoned(): boolean {
    return this.#keyRelease.isAbandoned;
  }

  get signal(): AbortSignal {
    return this.reference.signal(() => {
      if (this.state === 'lost') return this.lossError();
      return this.#keyRelease.isClosing ? closingError(this.keyOnBackend) : undefined;
    });
  }

  /** Reads the clocks, because timers are late when the event loop is blocked. */
  remainingMs(): number {
    if (this.#state !== 'held') return 0;
    const leftMs = this.clock.leftMs();
    if (leftMs <= 0) this.lose(this.#endReason);
    return leftMs;
  }

  /** The error for a caller that relies on a lease that is not held. */
  lossError(details: { readonly result?: unknown } = {}): LockLostError {
    const isReleased = this.#state === 'released' && !('result' in details);
    const end = this.#isExported ? 'exported' : 'released';
    return lossError(this.keyOnBackend, isReleased ? end : this.#lossReason, details);
  }

  /** Ends a lease that its holder has not released, and releases what may still be stored. */
  lose(reason: LossReason): void {
    if (this.#state !== 'held') return;
    const heldMs = this.#endWithReason(reason);
    this.context.background.add(this.#keyRelease.send());
    this.emit({ type: 'lost', reason, heldMs });
    this.#abort(this.lossError());
    this.#keyRelease.notifyEnded();
  }

  /**
   * For a handle that was dropped without release, and whose signal has not been read. The holder's code may still run
   * and believe in the lease, so the key stays taken until the lease expires; but it is not renewed any more.
   */
  leak(): void {
    if (this.state !== 'held') return;
    const heldMs = this.#endWithReason('leaked');
    this.emit({ type: 'leaked', heldMs });
    this.emit({ type: 'lost', reason: 'leaked', heldMs });
    this.#keyRelease.excuse();
    // Otherwise a session would keep the key for as long as it lives.
    this.watchdog.atExpiry(() => {
      this.context.background.add(this.#keyRelease.send());
      this.#keyRelease.notifyEnded();
    });
  }

  release(): Promise<Release> {
    if (this.state === 'lost') return Promise.resolve({ kind: 'not-held' });
    this.#release ??= this.#releaseNow();
    return this.#release;
  }

  #releaseNow(): Promise<Release> {
    this.#end('released');
    return this.#keyRelease.sendAndReport();
  }

  /** Ends the lease, but keeps the key taken until `keepMs` after the grant; see `TryUseOptions.keepMs`. */
  async releaseAfter(keepMs: number): Promise<Release> {
    const untilMs = this.grantedMs + keepMs;
    const { runtime } = this.context.host;
    const isOver = this.state !== 'held' || runtime.now().monotonicMs >= untilMs;
    if (isOver || this.isAbandoned) return this.release();
    this.#endWithoutRelease();
    const renew = (ttlMs: number): Promise<Renewal> => this.watchdog.renewer.renewOnce(ttlMs);
    await this.#keyRelease.retainUntil(untilMs, renew);
    return { kind: 'released' };
  }

  /** Ends the lease of this process, but not the hold in the store: another process takes it over. */
  endExported(): void {
    const heldMs = this.clock.heldMs();
    this.#isExported = true;
    this.#endWithoutRelease();
    this.emit({ type: 'exported', heldMs });
    this.#keyRelease.notifyEnded();
  }

  /**
   * Aborts the holder's signal, because `close` was called; the lease stays held. Resolves when the key has been
   * released, or when it never will be.
   */
  close(): Promise<void> {
    if (this.#state === 'lost') return Promise.resolve();
    const released = this.#keyRelease.close();
    if (this.#state === 'held') this.#abort(closingError(this.keyOnBackend));
    return released;
  }

  /** Ends the wait of `close`: from now on nothing is sent to the backend. Returns the lease if it is still held. */
  abandon(): StillHeld | undefined {
    const isLeaked = this.#state === 'lost' && this.#lossReason === 'leaked';
    const remainingMs = isLeaked ? this.clock.leftMs() : this.remainingMs();
    this.#keyRelease.abandon();
    if (remainingMs === 0) return undefined;
    this.#cancelLossListener?.();
    this.#cancelLossListener = undefined;
    this.watchdog.abandon();
    const { key, contender } = this.request;
    return { key, contender, remainingMs };
  }

  get #endReason(): LossReason {
    if (this.isAbandoned) return 'closed';
    return this.clock.isCapReached ? 'max-hold' : 'deadline';
  }

  /** Returns the time for which it was held. */
  #endWithReason(reason: LossReason): number {
    this.#lossReason = reason;
    const heldMs = this.clock.heldMs();
    this.#end('lost');
    return heldMs;
  }

  #endWithoutRelease(): void {
    this.#end('released');
    this.#release = Promise.resolve({ kind: 'not-held' });
  }

  #end(state: 'lost' | 'released'): void {
    this.#state = state;
    this.watchdog.stop();
    this.#cancelLossListener?.();
    this.#cancelLossListener = undefined;
  }

  #abort(reason: LockError): void {
    this.reference.abort(reason);
    this.request.onAbort?.(reason);
  }

  /** Leaves the deadline as it is: if it fires too early, it reads the clocks and is set again. */
  reportRenewed(from: Instant): void {
    const tookMs = this.context.host.runtime.elapsedMs(from);
    this.emit({ type: 'renewed', tookMs, remainingMs: this.clock.leftMs() });
  }

  emit(event: LeaseEvent): void {
    const { key, contender } = this.request;
    const { backend, host } = this.context;
    if (host.hears?.(event.type) !== false) host.emit({ key, backend, contender, ...event });
  }
}
