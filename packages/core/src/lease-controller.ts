import type { StillHeld } from './api/reports.ts';
import { closingError, lossError } from './error-messages.ts';
import type { LockError, LockLostError } from './errors.ts';
import type { LossReason } from './events.ts';
import { KeyRelease, type ReleasedLease } from './key-release.ts';
import { LeaseClock } from './lease-clock.ts';
import type { LeaseContext, LeaseEvent } from './lease-context.ts';
import { LeaseReference } from './lease-reference.ts';
import type { LeaseRequest, Part } from './lease-request.ts';
import type { LocalQueue } from './local-queue.ts';
import type { OpenHandles } from './open-handles.ts';
import type { Grant, Release, Renewal } from './port.ts';
import type { Instant } from './runtime.ts';
import type { ContenderGrant } from './wait-loop.ts';
import { Watchdog, type WatchedLease } from './watchdog.ts';

/**
 * The life of one lease: held, then lost or released. The lease that users see is a thin handle on it. While it is held a
 * {@link Watchdog} looks after it; how its key gets back is the {@link KeyRelease}. Before the first renewal core drops its
 * reference to a handle whose signal has not been read. So a dropped handle can be collected, and its renewal stops.
 */
export class LeaseController implements WatchedLease, ReleasedLease {
  readonly grant: Grant;
  readonly key: string;
  readonly contender: string;
  readonly clock: LeaseClock;
  readonly reference: LeaseReference = new LeaseReference();
  /** Arrival of the grant on the monotonic clock. */
  readonly grantedMs: number;
  readonly context: LeaseContext;
  readonly watchdog: Watchdog;
  /** Absent until the hold is entered again: most have one handle. */
  handles: OpenHandles | undefined;
  /** The local queue whose head it is. */
  readonly queue: LocalQueue | undefined;
  isExported = false;
  readonly #part: Part | undefined;
  #lazyKeyRelease: KeyRelease | undefined;
  /** Called once, when the next waiter may contend. */
  #onEnded: ((lease: LeaseController) => void) | undefined;
  #state: 'held' | 'lost' | 'released' = 'held';
  #lossReason: LossReason | undefined;
  #release: Promise<Release> | undefined;
  #cancelLossListener: (() => void) | undefined;

  constructor(
    context: LeaseContext,
    { grant, contender }: ContenderGrant,
    { key, renew, maxHoldMs, part }: LeaseRequest,
    queue: LocalQueue | undefined,
  ) {
    this.context = context;
    this.grant = grant;
    this.key = key;
    this.contender = contender;
    this.#part = part;
    this.queue = queue;
    this.clock = new LeaseClock(context.host.runtime, grant, maxHoldMs);
    this.grantedMs = context.host.runtime.now().monotonicMs;
    this.watchdog = new Watchdog(this, renew && grant.renew !== undefined);
  }

  /** Starts the clock of the lease; `onEnded` is called once, when the next waiter may contend. */
  start(lease: object, onEnded: (lease: LeaseController) => void): void {
    this.#onEnded = onEnded;
    // A listener of `acquired` may have read the state, and found the lease expired.
    if (this.#state !== 'held') return this.next();
    this.watchdog.start(lease);
    const cancel = this.grant.onLost?.(() => this.lose('pushed'));
    if (this.#state === 'held') this.#cancelLossListener = cancel;
    else cancel?.();
  }

  get keyOnBackend(): { readonly key: string; readonly backend: string } {
    return { key: this.key, backend: this.context.backend };
  }

  get state(): 'held' | 'lost' | 'released' {
    this.remainingMs();
    return this.#state;
  }

  get hasEnded(): boolean {
    return this.#state !== 'held';
  }

  /** True after the time limit of `close`: nothing is sent to the backend any more. */
  get isAbandoned(): boolean {
    return this.#lazyKeyRelease?.isAbandoned === true;
  }

  get signal(): AbortSignal {
    return this.reference.signal(() => {
      if (this.state === 'lost') return this.lossError();
      return this.#lazyKeyRelease?.isClosing === true ? closingError(this.keyOnBackend) : undefined;
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
    const end = this.isExported ? 'exported' : 'released';
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
    const passesOn = this.queue?.mayPassOn() === true;
    const release = this.#keyRelease.sendAndReport(passesOn);
    if (passesOn) this.next();
    return release;
  }

  /** Ends the lease, but keeps the key taken until `keepMs` after the grant; see `TryUseOptions.keepMs`. */
  async releaseAfter(keepMs: number): Promise<Release> {
    const untilMs = this.grantedMs + keepMs;
    const isOver = this.state !== 'held' || this.context.host.runtime.now().monotonicMs >= untilMs;
    if (isOver || this.isAbandoned) return this.release();
    this.#endWithoutRelease();
    const renew = (ttlMs: number): Promise<Renewal> => this.watchdog.renewer.renewOnce(ttlMs);
    await this.#keyRelease.retainUntil(untilMs, renew);
    return { kind: 'released' };
  }

  /** Ends the lease of this process, but not the hold in the store: another process takes it over. */
  endExported(): void {
    this.isExported = true;
    this.#endWithoutRelease();
    this.emit({ type: 'exported', heldMs: this.clock.heldMs() });
    this.#keyRelease.notifyEnded();
  }

  /** Aborts the holder's signal, because `close` was called; the lease stays held. See {@link KeyRelease.close}. */
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
    return { key: this.key, contender: this.contender, remainingMs };
  }

  next(): void {
    const onEnded = this.#onEnded;
    this.#onEnded = undefined;
    onEnded?.(this);
  }

  /** Made when the lease ends, or its locks close: a lease that is held needs none. */
  get #keyRelease(): KeyRelease {
    this.#lazyKeyRelease ??= new KeyRelease(this.context, this);
    return this.#lazyKeyRelease;
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
    this.#part?.onAbort(reason);
  }

  /** Leaves the deadline as it is: one that fires too early is set again. Reads no clock if nobody listens. */
  reportRenewed(from: Instant): void {
    const { host } = this.context;
    if (host.hears?.('renewed') === false) return;
    const tookMs = host.runtime.elapsedMs(from);
    this.emit({ type: 'renewed', tookMs, remainingMs: this.clock.leftMs() });
  }

  emit(event: LeaseEvent): void {
    const { key, contender } = this;
    const { backend, host } = this.context;
    if (host.hears?.(event.type) !== false) host.emit({ key, backend, contender, ...event });
  }
}
