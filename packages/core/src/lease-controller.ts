import type { Background } from './background.ts';
import { catchAsUnknown } from './catch-as-unknown.ts';
import type { DeadlineHeap } from './deadline-heap.ts';
import { closedError, closingError, extendUnknownError, lossError } from './error-messages.ts';
import { CapabilityError, type LockLostError } from './errors.ts';
import type { LockEventOf, LossReason } from './events.ts';
import { LeaseClock } from './lease-clock.ts';
import { LeaseReference } from './lease-reference.ts';
import type { Grant, Host, Release, StillHeld } from './port.ts';
import { Renewer } from './renewer.ts';
import { RetainedKey } from './retained-key.ts';
import type { Instant } from './runtime.ts';
import { validityMs } from './validity.ts';

/** What a hold belongs to. */
export interface LeaseContext {
  readonly host: Host;
  readonly backend: string;
  /** Whether ttls are fixed when the backend is opened. */
  readonly isSession: boolean;
  readonly deadlines: DeadlineHeap;
  /** Of keys that are kept: no clock but the monotonic one frees them. */
  readonly retainedDeadlines: DeadlineHeap;
  /** Where giving back goes on when nobody waits for it. */
  readonly background: Background;
}

/** Who holds what, and how. */
export interface LeaseControllerRequest {
  readonly key: string;
  readonly contender: string;
  readonly renew: boolean;
  readonly maxHoldMs: number;
}

type WithoutContender<Event> = Event extends unknown
  ? Omit<Event, 'key' | 'backend' | 'contender'>
  : never;
type LeaseEvent = WithoutContender<LockEventOf<'leaked' | 'lost' | 'released' | 'renewed'>>;

/**
 * A dropped handle does no harm before the first renewal, and most leases are released by then: that spares them the
 * finaliser, which costs the collector more than all the rest of a lease.
 */
const MAKE_WEAK_SHARE = 1 / 4;
/** After doubt, sooner; never at once, so that a dead server is not hammered. */
const RETRY_SHARE = 1 / 10;

/**
 * What core knows about one grant: whether it is held, until when, and when to renew it. The lease that users see is
 * a thin handle on it. A handle whose signal nobody has asked for is let go of here before the first renewal, so that a
 * dropped one can be collected, and its renewal stopped.
 */
export class LeaseController {
  readonly grant: Grant;
  readonly request: LeaseControllerRequest;
  readonly #context: LeaseContext;
  /** Called once, when the key may be contended again. */
  #onEnded: (() => void) | undefined;
  /** Called when `close` need not wait for this one any more. */
  #resolveClose: () => void = () => {};
  readonly #reference = new LeaseReference();
  #state: 'held' | 'lost' | 'released' = 'held';
  #lossReason: LossReason | undefined;
  /** `close` waits for it, and then it has waited long enough. */
  #closing: 'no' | 'waiting' | 'abandoned' = 'no';
  readonly #clock: LeaseClock;
  #renewDueMs: number;
  /** Monotonic; when the grant had arrived. */
  readonly #grantedMs: number;
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
    this.#grantedMs = context.host.runtime.now().monotonicMs;
    this.#renewDueMs = request.renew ? this.#clock.renewDueMs : Number.POSITIVE_INFINITY;
    this.#makeWeakAtMs = this.#clock.dueMs(MAKE_WEAK_SHARE);
  }

  /** Starts the clock of the lease; `onEnded` is told once, when the key may be contended again. */
  start(lease: object, onEnded: () => void): void {
    // A listener that was told of the grant may have found its time to be over.
    if (this.#state !== 'held') return onEnded();
    this.#onEnded = onEnded;
    // One that is not renewed ends by itself, whoever refers to it.
    if (this.request.renew) this.#reference.holdStrongly(lease);
    this.#arm();
    const cancel = this.grant.onLost?.(() => this.lose('pushed'));
    if (this.#state === 'held') this.#cancelLossListener = cancel;
    else cancel?.();
  }

  get backend(): string {
    return this.#context.backend;
  }

  get state(): 'held' | 'lost' | 'released' {
    this.remainingMs();
    return this.#state;
  }

  get signal(): AbortSignal {
    return this.#reference.signal(() => {
      if (this.state === 'lost') return this.lossError();
      return this.#closing === 'no' ? undefined : closingError(this.#keyOnBackend);
    });
  }

  /** Reads the clocks: timers are late when the event loop is blocked. */
  remainingMs(): number {
    if (this.#state !== 'held') return 0;
    const leftMs = this.#clock.leftMs();
    if (leftMs <= 0) this.lose(this.#endReason);
    return leftMs;
  }

  heldMs(): number {
    return this.#clock.heldMs();
  }

  /** What to throw at whoever relies on a lease that is not held. */
  lossError(details: { readonly result?: unknown } = {}): LockLostError {
    const isReleased = this.#state === 'released' && !('result' in details);
    return lossError(this.#keyOnBackend, isReleased ? 'released' : this.#lossReason, details);
  }

  /** Ends the lease against the holder's will, and gives back what may still stand in the store. */
  lose(reason: LossReason): void {
    if (this.#state !== 'held') return;
    const heldMs = this.#endWithReason(reason);
    this.#context.background.add(this.#sendRelease());
    this.#emit({ type: 'lost', reason, heldMs });
    this.#reference.abort(this.lossError());
    this.#notifyEnded();
  }

  /**
   * The handle was dropped without release, and nobody has its signal. Its code may run on all the same and believe that
   * it holds, so the key stays taken until the time of the lease is over; but it is renewed no more.
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

  /** Releases, but leaves the key taken until `keepMs` after the grant; see `TryUseOptions.keepMs`. */
  async releaseAfter(keepMs: number): Promise<Release> {
    const { background, host, retainedDeadlines } = this.#context;
    const untilMs = this.#grantedMs + keepMs;
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

  /**
   * `close` was called: whoever holds is told, and holds on. Resolves when that is over and the key given back, or when
   * nobody will ever release it.
   */
  close(): Promise<void> {
    this.#closing = 'waiting';
    this.#retained?.abandon();
    if (this.#securing !== undefined) return this.#securing.then(() => this.#notifyEnded());
    if (this.#state === 'lost') return Promise.resolve();
    const waiting = new Promise<void>((resolve) => {
      this.#resolveClose = resolve;
    });
    if (this.#state === 'held') this.#reference.abort(closingError(this.#keyOnBackend));
    return waiting;
  }

  /** `close` waits no longer: from here on nothing is asked of the backend. Returns what stays held, if anything does. */
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

  /** Gives the key back, tells of it, and lets the next one contend. */
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
    if (this.#closing === 'abandoned') throw closedError(this.backend, this.request.key);
    if (this.grant.renew === undefined)
      throw new CapabilityError('this backend cannot renew a lease', this.#keyOnBackend);
    if (!this.#context.isSession || ttlMs <= leaseMs) return;
    const message = `a lease lasts as long as its session, ${leaseMs} ms, not ${ttlMs} ms`;
    throw new CapabilityError(message, this.#keyOnBackend);
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

  /** One alarm per lease, for whatever comes first: letting go of the handle, the renewal, or the end. */
  #arm(): void {
    // One that has leaked has another alarm.
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

  /** The end of the lease on the monotonic clock, as things are. */
  get #endMs(): number {
    return this.#context.host.runtime.now().monotonicMs + this.#clock.leftMs();
  }

  get #endReason(): LossReason {
    if (this.#closing === 'abandoned') return 'closed';
    return this.#clock.isCapReached ? 'max-hold' : 'deadline';
  }

  /** A leaked lease is released when its time is over, as any other: a session would keep its key for as long as it lives. */
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

  /** Returns how long it was held. */
  #endWithReason(reason: LossReason): number {
    this.#lossReason = reason;
    const heldMs = this.heldMs();
    this.#end('lost');
    return heldMs;
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

  /** The alarm stays as it is: one that rings too early looks at the clocks, and is set anew. */
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
