import type { Background } from './background.ts';
import type { DeadlineHeap } from './deadline-heap.ts';
import { CapabilityError, type LockLostError } from './errors.ts';
import type { LockEventOf, LossReason } from './events.ts';
import { Handle } from './handle.ts';
import { LeaseClock } from './lease-clock.ts';
import { closedError, closingError, extendDoubt, lossError } from './loss.ts';
import type { Grant, Host, Release, StillHeld } from './port.ts';
import { Renewals } from './renewals.ts';
import { RetainedKey } from './retained-key.ts';
import type { Instant } from './runtime.ts';
import { settled } from './settle.ts';
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
const DROP_HANDLE_SHARE = 1 / 4;
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
  #stopWaiting: () => void = () => {};
  readonly #handle = new Handle();
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
  #renewals: Renewals | undefined;
  #release: Promise<Release> | undefined;
  #cancelAlarm: (() => void) | undefined;
  #cancelPush: (() => void) | undefined;
  readonly #dropHandleMs: number;

  constructor(context: LeaseContext, grant: Grant, request: LeaseControllerRequest) {
    this.#context = context;
    this.grant = grant;
    this.request = request;
    this.#clock = new LeaseClock(context.host.runtime, grant, request.maxHoldMs);
    this.#grantedMs = context.host.runtime.now().monotonicMs;
    this.#renewDueMs = request.renew ? this.#clock.renewDueMs : Number.POSITIVE_INFINITY;
    this.#dropHandleMs = this.#clock.dueMs(DROP_HANDLE_SHARE);
  }

  /** Starts the clock of the lease; `onEnded` is told once, when the key may be contended again. */
  start(lease: object, onEnded: () => void): void {
    // A listener that was told of the grant may have found its time to be over.
    if (this.#state !== 'held') return onEnded();
    this.#onEnded = onEnded;
    // One that is not renewed ends by itself, whoever refers to it.
    if (this.request.renew) this.#handle.hand(lease);
    this.#arm();
    const cancel = this.grant.onLost?.(() => this.lose('pushed'));
    if (this.#state === 'held') this.#cancelPush = cancel;
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
    return this.#handle.signal(() => {
      if (this.state === 'lost') return this.lossError();
      return this.#closing === 'no' ? undefined : closingError(this.#where);
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
    return lossError(this.#where, isReleased ? 'released' : this.#lossReason, details);
  }

  /** Ends the lease against the holder's will, and gives back what may still stand in the store. */
  lose(reason: LossReason): void {
    if (this.#state !== 'held') return;
    const heldMs = this.#endBy(reason);
    this.#context.background.add(this.#sendRelease());
    this.#emit({ type: 'lost', reason, heldMs });
    this.#handle.abort(this.lossError());
    this.#ended();
  }

  /**
   * The handle was dropped without release, and nobody has its signal. Its code may run on all the same and believe that
   * it holds, so the key stays taken until the time of the lease is over; but it is renewed no more.
   */
  leak(): void {
    if (this.state !== 'held') return;
    const heldMs = this.#endBy('leaked');
    this.#emit({ type: 'leaked', heldMs });
    this.#emit({ type: 'lost', reason: 'leaked', heldMs });
    this.#stopWaiting();
    this.#outlast();
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
      alarms: retainedDeadlines,
      untilMs,
      validity: this.#clock.validity,
      retryMs: this.#clock.ttlMs * RETRY_SHARE,
      renew: (ttlMs) => this.#renewing.renewOnce(ttlMs),
      onOver: () => background.add(this.#finish()),
    });
    this.#securing = this.#retained.secure();
    background.add(this.#securing);
    await this.#securing;
    if (this.#closing !== 'no') {
      this.#retained.abandon();
      this.#ended();
    }
    return { kind: 'released' };
  }

  /** See `Lease.extend`. */
  async extend(ttlMs: number): Promise<void> {
    if (this.state !== 'held') throw this.lossError();
    if (validityMs(ttlMs) <= this.remainingMs()) return this.#shorten(ttlMs);
    this.#checkCanExtend(ttlMs);
    const renewal = await this.#renewing.renew(ttlMs);
    if (this.state !== 'held') throw this.lossError();
    if (renewal.kind === 'unknown') throw extendDoubt(this.#where, renewal.cause);
    if (validityMs(ttlMs) < this.remainingMs()) this.#shorten(ttlMs);
  }

  /**
   * `close` was called: whoever holds is told, and holds on. Resolves when that is over and the key given back, or when
   * nobody will ever release it.
   */
  close(): Promise<void> {
    this.#closing = 'waiting';
    this.#retained?.abandon();
    if (this.#securing !== undefined) return this.#securing.then(() => this.#ended());
    if (this.#state === 'lost') return Promise.resolve();
    const waiting = new Promise<void>((resolve) => {
      this.#stopWaiting = resolve;
    });
    if (this.#state === 'held') this.#handle.abort(closingError(this.#where));
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
    this.#cancelAlarm?.();
    this.#cancelPush?.();
    this.#cancelPush = undefined;
    this.#arm();
    const { key, contender } = this.request;
    return { key, contender, remainingMs };
  }

  #releaseNow(): Promise<Release> {
    this.#end('released');
    return this.#finish();
  }

  /** Gives the key back, tells of it, and lets the next one contend. */
  async #finish(): Promise<Release> {
    const { runtime } = this.#context.host;
    const heldMs = this.heldMs();
    const from = runtime.now();
    const release = await this.#sendRelease();
    const tookMs = runtime.elapsedMs(from);
    this.#emit({ type: 'released', outcome: release.kind, heldMs, tookMs });
    this.#ended();
    return release;
  }

  #checkCanExtend(ttlMs: number): void {
    const { leaseMs } = this.grant;
    if (this.#closing === 'abandoned') throw closedError(this.backend, this.request.key);
    if (this.grant.renew === undefined)
      throw new CapabilityError('this backend cannot renew a lease', this.#where);
    if (!this.#context.isSession || ttlMs <= leaseMs) return;
    const message = `a lease lasts as long as its session, ${leaseMs} ms, not ${ttlMs} ms`;
    throw new CapabilityError(message, this.#where);
  }

  #shorten(ttlMs: number): void {
    this.#clock.shorten(ttlMs);
    if (this.#isRenewed) this.#renewDueMs = this.#clock.renewDueMs;
    this.#arm();
  }

  get #isRenewed(): boolean {
    return this.request.renew && this.#closing !== 'abandoned';
  }

  get #renewing(): Renewals {
    this.#renewals ??= new Renewals({
      runtime: this.#context.host.runtime,
      grant: this.grant,
      clock: this.#clock,
      hasEnded: () => this.#state !== 'held',
      isHeld: () => this.state === 'held',
      onLost: () => this.lose('renewal'),
      onRenewed: (from) => this.#renewed(from),
    });
    return this.#renewals;
  }

  async #watch(): Promise<void> {
    this.#renewDueMs = Number.POSITIVE_INFINITY;
    const renewal = await this.#renewing.renew();
    const soonestMs =
      this.#context.host.runtime.now().monotonicMs + this.#clock.ttlMs * RETRY_SHARE;
    if (!this.#isRenewed) return;
    this.#renewDueMs =
      renewal.kind === 'renewed' ? Math.max(soonestMs, this.#clock.renewDueMs) : soonestMs;
    this.#arm();
  }

  /** One alarm per lease, for whatever comes first: letting go of the handle, the renewal, or the end. */
  #arm(): void {
    // One that has leaked has another alarm.
    if (this.#state !== 'held') return;
    this.#cancelAlarm?.();
    const { deadlines } = this.#context;
    const letGoMs = this.#handle.isTaken ? this.#dropHandleMs : Number.POSITIVE_INFINITY;
    const dueMs = Math.min(this.#endMs, this.#renewDueMs, letGoMs);
    this.#cancelAlarm = deadlines.at(dueMs, () => this.#ring());
  }

  #ring(): void {
    if (this.remainingMs() <= 0) return;
    const { runtime } = this.#context.host;
    const now = runtime.now();
    const nowMs = now.monotonicMs;
    if (nowMs >= this.#dropHandleMs) this.#handle.release(runtime, () => this.leak());
    const isAwaited = this.#renewDueMs < Number.POSITIVE_INFINITY;
    if (nowMs >= this.#renewDueMs || (isAwaited && this.#clock.isRenewalDue(now)))
      void this.#watch();
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
  #outlast(): void {
    if (this.#clock.leftMs() > 0) {
      this.#cancelAlarm = this.#context.deadlines.at(this.#endMs, () => this.#outlast());
      return;
    }
    this.#context.background.add(this.#sendRelease());
    this.#ended();
  }

  /** Returns how long it was held. */
  #endBy(reason: LossReason): number {
    this.#lossReason = reason;
    const heldMs = this.heldMs();
    this.#end('lost');
    return heldMs;
  }

  #end(state: 'lost' | 'released'): void {
    this.#state = state;
    this.#cancelAlarm?.();
    this.#cancelAlarm = undefined;
    this.#cancelPush?.();
    this.#cancelPush = undefined;
    this.#handle.forget();
  }

  #sendRelease(): Promise<Release> {
    if (this.#closing !== 'abandoned') return settled(() => this.grant.release());
    const cause = closedError(this.backend, this.request.key);
    return Promise.resolve({ kind: 'unknown', cause });
  }

  #ended(): void {
    this.#stopWaiting();
    const onEnded = this.#onEnded;
    this.#onEnded = undefined;
    onEnded?.();
  }

  get #where(): { key: string; backend: string } {
    return { key: this.request.key, backend: this.#context.backend };
  }

  /** The alarm stays as it is: one that rings too early looks at the clocks, and is set anew. */
  #renewed(from: Instant): void {
    const tookMs = this.#context.host.runtime.elapsedMs(from);
    this.#emit({ type: 'renewed', tookMs, remainingMs: this.#clock.leftMs() });
  }

  #emit(event: LeaseEvent): void {
    const { key, contender } = this.request;
    const { backend, host } = this.#context;
    host.emit({ key, backend, contender, ...event });
  }
}
