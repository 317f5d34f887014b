import { type Background, catchAsUnknown } from './background.ts';
import type { DeadlineHeap } from './deadline-heap.ts';
import {
  closedError,
  closingError,
  exportUnknownError,
  extendUnknownError,
  lossError,
  noHandOverError,
} from './error-messages.ts';
import { CapabilityError, type LockError, type LockLostError } from './errors.ts';
import type { LockEventOf, LossReason } from './events.ts';
import { LeaseClock } from './lease-clock.ts';
import { LeaseReference } from './lease-reference.ts';
import { type ExportedLease, exportedText } from './owner.ts';
import type { Grant, Host, Release, StillHeld } from './port.ts';
import { Renewer } from './renewer.ts';
import { RetainedKey } from './retained-key.ts';
import type { Instant } from './runtime.ts';
import { validityMs } from './validity.ts';

/** The parts of a `Locks` that its leases share. */
export interface LeaseContext {
  readonly host: Host;
  readonly backend: string;
  /** True if the ttl is fixed when the backend is opened. */
  readonly isSession: boolean;
  /** True if another process can take over a lease. */
  readonly canAdopt: boolean;
  readonly deadlines: DeadlineHeap;
  /** Deadlines of keys under `keepMs`: only the monotonic clock frees them. */
  readonly retainedDeadlines: DeadlineHeap;
  /** Runs releases that no caller waits for. */
  readonly background: Background;
}

/** The key of a lease, its holder, and its options. */
export interface LeaseControllerRequest {
  readonly key: string;
  readonly contender: string;
  readonly renew: boolean;
  readonly maxHoldMs: number;
  /** Called with the reason whenever the signal aborts, even if it has not been read. */
  readonly onAbort?: ((reason: LockError) => void) | undefined;
}

type WithoutContender<Event> = Event extends unknown
  ? Omit<Event, 'key' | 'backend' | 'contender'>
  : never;
type LeaseEvent = WithoutContender<
  LockEventOf<'exported' | 'leaked' | 'lost' | 'released' | 'renewed'>
>;

/**
 * A dropped handle does no harm before the first renewal, and most leases are released by then. So most leases avoid
 * the finaliser, which costs the collector more than the rest of a lease.
 */
const MAKE_WEAK_SHARE = 1 / 4;
/** After an unknown outcome the next renewal comes sooner, but never at once, so that a dead server is not flooded. */
const RETRY_SHARE = 1 / 10;

/**
 * The state of one grant: whether it is held, until when, and when to renew it. The lease that users see is a thin
 * handle on it. Before the first renewal core drops its reference to a handle whose signal has not been read. So a
 * dropped handle can be collected, and its renewal stops.
 */
export class LeaseController {
  readonly grant: Grant;
  request: LeaseControllerRequest;
  readonly #context: LeaseContext;
  /** Called once, when the next waiter may contend. */
  #onEnded: (() => void) | undefined;
  /** Called when `close` need not wait for this lease any more. */
  #resolveClose: () => void = () => {};
  readonly #reference = new LeaseReference();
  #state: 'held' | 'lost' | 'released' = 'held';
  #lossReason: LossReason | undefined;
  #isExported = false;
  /** `waiting` while `close` waits for the release; `abandoned` after its time limit. */
  #closing: 'no' | 'waiting' | 'abandoned' = 'no';
  readonly #clock: LeaseClock;
  #renewDueMs: number;
  /** Arrival of the grant on the monotonic clock. */
  readonly grantedMs: number;
  #retained: RetainedKey | undefined;
  #securing: Promise<void> | undefined;
  #lazyRenewer: Renewer | undefined;
  #release: Promise<Release> | undefined;
  #cancelDeadline: (() => void) | undefined;
  #cancelLossListener: (() => void) | undefined;
  readonly #makeWeakAtMs: number;

  constructor(context: LeaseContext, grant: Grant, request: LeaseControllerRequest) {
    this.#context = context;
    this.grant = grant;
    this.request = request;
    this.#clock = new LeaseClock(context.host.runtime, grant, request.maxHoldMs);
    this.grantedMs = context.host.runtime.now().monotonicMs;
    this.#renewDueMs = request.renew ? this.#clock.renewDueMs : Number.POSITIVE_INFINITY;
    this.#makeWeakAtMs = this.#clock.dueMs(MAKE_WEAK_SHARE);
  }

  /** Starts the clock of the lease; `onEnded` is called once, when the next waiter may contend. */
  start(lease: object, onEnded: () => void): void {
    // A listener of `acquired` may have read the state, and found the lease expired.
    if (this.#state !== 'held') return onEnded();
    this.#onEnded = onEnded;
    // A lease that is not renewed ends by itself, even if it is still referenced.
    if (this.request.renew) this.#reference.holdStrongly(lease);
    this.#arm();
    const cancel = this.grant.onLost?.(() => this.lose('pushed'));
    if (this.#state === 'held') this.#cancelLossListener = cancel;
    else cancel?.();
  }

  /**
   * Sets whether and until when a lease is renewed that so far was only a part of several: renewed, and without a cap,
   * while the other parts were waited for.
   */
  begin(renew: boolean, maxHoldMs: number): void {
    this.#clock.cap(maxHoldMs);
    if (!renew && this.request.renew) {
      this.request = { ...this.request, renew };
      this.#renewDueMs = Number.POSITIVE_INFINITY;
      this.#reference.forget();
    }
    this.#arm();
  }

  get backend(): string {
    return this.#context.backend;
  }

  get state(): 'held' | 'lost' | 'released' {
    this.remainingMs();
    return this.#state;
  }

  get isExported(): boolean {
    return this.#isExported;
  }

  get signal(): AbortSignal {
    return this.#reference.signal(() => {
      if (this.state === 'lost') return this.lossError();
      return this.#closing === 'no' ? undefined : closingError(this.#keyOnBackend);
    });
  }

  /** Reads the clocks, because timers are late when the event loop is blocked. */
  remainingMs(): number {
    if (this.#state !== 'held') return 0;
    const leftMs = this.#clock.leftMs();
    if (leftMs <= 0) this.lose(this.#endReason);
    return leftMs;
  }

  heldMs(): number {
    return this.#clock.heldMs();
  }

  /** The error for a caller that relies on a lease that is not held. */
  lossError(details: { readonly result?: unknown } = {}): LockLostError {
    const isReleased = this.#state === 'released' && !('result' in details);
    const end = this.#isExported ? 'exported' : 'released';
    return lossError(this.#keyOnBackend, isReleased ? end : this.#lossReason, details);
  }

  /** Ends a lease that its holder has not released, and releases what may still be stored. */
  lose(reason: LossReason): void {
    if (this.#state !== 'held') return;
    const heldMs = this.#endWithReason(reason);
    this.#context.background.add(this.#sendRelease());
    this.#emit({ type: 'lost', reason, heldMs });
    this.#abort(this.lossError());
    this.#notifyEnded();
  }

  /**
   * For a handle that was dropped without release, and whose signal has not been read. The holder's code may still run
   * and believe in the lease, so the key stays taken until the lease expires; but it is not renewed any more.
   */
  leak(): void {
    if (this.state !== 'held') return;
    const heldMs = this.#endWithReason('leaked');
    this.#emit({ type: 'leaked', heldMs });
    this.#emit({ type: 'lost', reason: 'leaked', heldMs });
    this.#resolveClose();
    this.#releaseAtDeadline();
  }

  release(): Promise<Release> {
    if (this.state === 'lost') return Promise.resolve({ kind: 'not-held' });
    this.#release ??= this.#releaseNow();
    return this.#release;
  }

  /** Ends the lease, but keeps the key taken until `keepMs` after the grant; see `TryUseOptions.keepMs`. */
  async releaseAfter(keepMs: number): Promise<Release> {
    const { background, host, retainedDeadlines } = this.#context;
    const untilMs = this.grantedMs + keepMs;
    const isOver = this.state !== 'held' || host.runtime.now().monotonicMs >= untilMs;
    if (isOver || this.#closing === 'abandoned') return this.release();
    this.#end('released');
    this.#release = Promise.resolve({ kind: 'not-held' });
    this.#retained = new RetainedKey({
      runtime: host.runtime,
      deadlines: retainedDeadlines,
      untilMs,
      validity: this.#clock.validity,
      retryMs: this.#clock.ttlMs * RETRY_SHARE,
      renew: (ttlMs) => this.#renewer.renewOnce(ttlMs),
      onOver: () => background.add(this.#releaseAndReport()),
    });
    this.#securing = this.#retained.secure();
    background.add(this.#securing);
    await this.#securing;
    if (this.#closing !== 'no') {
      this.#retained.abandon();
      this.#notifyEnded();
    }
    return { kind: 'released' };
  }

  /** See `Lease.extend`. */
  async extend(ttlMs: number): Promise<void> {
    if (this.state !== 'held') throw this.lossError();
    if (validityMs(ttlMs) <= this.remainingMs()) return this.#shorten(ttlMs);
    this.#checkCanExtend(ttlMs);
    const renewal = await this.#renewer.renew(ttlMs);
    if (this.state !== 'held') throw this.lossError();
    if (renewal.kind === 'unknown') throw extendUnknownError(this.#keyOnBackend, renewal.cause);
    if (validityMs(ttlMs) < this.remainingMs()) this.#shorten(ttlMs);
  }

  /** See `Lease.export`. */
  async export(): Promise<string> {
    if (this.state !== 'held') throw this.lossError();
    if (this.grant.export === undefined || !this.#context.canAdopt)
      throw noHandOverError(this.#keyOnBackend, this.#context.isSession);
    this.#checkCanRenew();
    const renewal = await this.#renewer.renew();
    if (this.state !== 'held') throw this.lossError();
    if (renewal.kind === 'unknown') throw exportUnknownError(this.#keyOnBackend, renewal.cause);
    const { backend, key } = this.#keyOnBackend;
    const exported: ExportedLease = {
      key,
      backend,
      owner: this.grant.export(),
      ttlMs: this.#clock.ttlMs,
    };
    const heldMs = this.heldMs();
    this.#isExported = true;
    this.#end('released');
    this.#release = Promise.resolve({ kind: 'not-held' });
    this.#emit({ type: 'exported', heldMs });
    this.#notifyEnded();
    return exportedText(exported);
  }

  /**
   * Aborts the holder's signal, because `close` was called; the lease stays held. Resolves when the key has been
   * released, or when it never will be.
   */
  close(): Promise<void> {
    this.#closing = 'waiting';
    this.#retained?.abandon();
    if (this.#securing !== undefined) return this.#securing.then(() => this.#notifyEnded());
    if (this.#state === 'lost') return Promise.resolve();
    const waiting = new Promise<void>((resolve) => {
      this.#resolveClose = resolve;
    });
    if (this.#state === 'held') this.#abort(closingError(this.#keyOnBackend));
    return waiting;
  }

  /** Ends the wait of `close`: from now on nothing is sent to the backend. Returns the lease if it is still held. */
  abandon(): StillHeld | undefined {
    this.#retained?.abandon();
    const isLeaked = this.#state === 'lost' && this.#lossReason === 'leaked';
    const remainingMs = isLeaked ? this.#clock.leftMs() : this.remainingMs();
    this.#closing = 'abandoned';
    if (remainingMs === 0) return undefined;
    this.#renewDueMs = Number.POSITIVE_INFINITY;
    this.#cancelDeadline?.();
    this.#cancelLossListener?.();
    this.#cancelLossListener = undefined;
    this.#arm();
    const { key, contender } = this.request;
    return { key, contender, remainingMs };
  }

  #releaseNow(): Promise<Release> {
    this.#end('released');
    return this.#releaseAndReport();
  }

  /** Releases the key, emits `released`, and lets the next waiter contend. */
  async #releaseAndReport(): Promise<Release> {
    const { runtime } = this.#context.host;
    const heldMs = this.heldMs();
    const from = runtime.now();
    const release = await this.#sendRelease();
    const tookMs = runtime.elapsedMs(from);
    this.#emit({ type: 'released', outcome: release.kind, heldMs, tookMs });
    this.#notifyEnded();
    return release;
  }

  #checkCanExtend(ttlMs: number): void {
    const { leaseMs } = this.grant;
    this.#checkCanRenew();
    if (!this.#context.isSession || ttlMs <= leaseMs) return;
    const message = `a lease lasts as long as its session, ${leaseMs} ms, not ${ttlMs} ms`;
    throw new CapabilityError(message, this.#keyOnBackend);
  }

  #checkCanRenew(): void {
    if (this.#closing === 'abandoned') throw closedError(this.backend, this.request.key);
    if (this.grant.renew === undefined)
      throw new CapabilityError('this backend cannot renew a lease', this.#keyOnBackend);
  }

  #shorten(ttlMs: number): void {
    this.#clock.shorten(ttlMs);
    if (this.#isAutoRenewed) this.#renewDueMs = this.#clock.renewDueMs;
    this.#arm();
  }

  get #isAutoRenewed(): boolean {
    return this.request.renew && this.#closing !== 'abandoned';
  }

  get #renewer(): Renewer {
    this.#lazyRenewer ??= new Renewer({
      runtime: this.#context.host.runtime,
      grant: this.grant,
      clock: this.#clock,
      hasEnded: () => this.#state !== 'held',
      isHeld: () => this.state === 'held',
      onLost: () => this.lose('renewal'),
      onRenewed: (from) => this.#reportRenewed(from),
    });
    return this.#lazyRenewer;
  }

  async #renewNow(): Promise<void> {
    this.#renewDueMs = Number.POSITIVE_INFINITY;
    const renewal = await this.#renewer.renew();
    const soonestMs =
      this.#context.host.runtime.now().monotonicMs + this.#clock.ttlMs * RETRY_SHARE;
    if (!this.#isAutoRenewed) return;
    this.#renewDueMs =
      renewal.kind === 'renewed' ? Math.max(soonestMs, this.#clock.renewDueMs) : soonestMs;
    this.#arm();
  }

  /** Sets the one deadline of the lease, for the next of: the weak reference, the renewal, the end. */
  #arm(): void {
    // A leaked lease has a deadline of its own.
    if (this.#state !== 'held') return;
    this.#cancelDeadline?.();
    const { deadlines } = this.#context;
    const makeWeakAtMs = this.#reference.isStrong ? this.#makeWeakAtMs : Number.POSITIVE_INFINITY;
    const dueMs = Math.min(this.#endMs, this.#renewDueMs, makeWeakAtMs);
    this.#cancelDeadline = deadlines.at(dueMs, () => this.#onDeadline());
  }

  #onDeadline(): void {
    if (this.remainingMs() <= 0) return;
    const { runtime } = this.#context.host;
    const now = runtime.now();
    const nowMs = now.monotonicMs;
    if (nowMs >= this.#makeWeakAtMs) this.#reference.makeWeak(runtime, () => this.leak());
    const isAwaited = this.#renewDueMs < Number.POSITIVE_INFINITY;
    if (nowMs >= this.#renewDueMs || (isAwaited && this.#clock.isRenewalDue(now)))
      void this.#renewNow();
    this.#arm();
  }

  /** The current end of the lease on the monotonic clock. */
  get #endMs(): number {
    return this.#context.host.runtime.now().monotonicMs + this.#clock.leftMs();
  }

  get #endReason(): LossReason {
    if (this.#closing === 'abandoned') return 'closed';
    return this.#clock.isCapReached ? 'max-hold' : 'deadline';
  }

  /** Releases a leaked lease when it expires. Otherwise a session would keep the key for as long as it lives. */
  #releaseAtDeadline(): void {
    if (this.#clock.leftMs() > 0) {
      this.#cancelDeadline = this.#context.deadlines.at(this.#endMs, () =>
        this.#releaseAtDeadline(),
      );
      return;
    }
    this.#context.background.add(this.#sendRelease());
    this.#notifyEnded();
  }

  /** Returns the time for which it was held. */
  #endWithReason(reason: LossReason): number {
    this.#lossReason = reason;
    const heldMs = this.heldMs();
    this.#end('lost');
    return heldMs;
  }

  #abort(reason: LockError): void {
    this.#reference.abort(reason);
    this.request.onAbort?.(reason);
  }

  #end(state: 'lost' | 'released'): void {
    this.#state = state;
    this.#cancelDeadline?.();
    this.#cancelDeadline = undefined;
    this.#cancelLossListener?.();
    this.#cancelLossListener = undefined;
    this.#reference.forget();
  }

  #sendRelease(): Promise<Release> {
    if (this.#closing !== 'abandoned') return catchAsUnknown(() => this.grant.release());
    const cause = closedError(this.backend, this.request.key);
    return Promise.resolve({ kind: 'unknown', cause });
  }

  #notifyEnded(): void {
    this.#resolveClose();
    const onEnded = this.#onEnded;
    this.#onEnded = undefined;
    onEnded?.();
  }

  get #keyOnBackend(): { key: string; backend: string } {
    return { key: this.request.key, backend: this.#context.backend };
  }

  /** Leaves the deadline as it is: if it fires too early, it reads the clocks and is set again. */
  #reportRenewed(from: Instant): void {
    const tookMs = this.#context.host.runtime.elapsedMs(from);
    this.#emit({ type: 'renewed', tookMs, remainingMs: this.#clock.leftMs() });
  }

  #emit(event: LeaseEvent): void {
    const { key, contender } = this.request;
    const { backend, host } = this.#context;
    host.emit({ key, backend, contender, ...event });
  }
}
