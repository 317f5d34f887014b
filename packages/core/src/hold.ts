import type { Alarms } from './alarms.ts';
import type { Background } from './background.ts';
import { CapabilityError, type LockLostError } from './errors.ts';
import type { LossReason } from './events.ts';
import { Keep } from './keep.ts';
import { extendDoubt, lossError } from './loss.ts';
import type { Grant, Host, Release, Renewal } from './port.ts';
import type { Instant } from './runtime.ts';
import { settled } from './settle.ts';
import { Term } from './term.ts';
import { validityMs } from './validity.ts';

/** What a hold belongs to. */
export interface HoldContext {
  readonly host: Host;
  readonly backend: string;
  /** Whether ttls are fixed when the backend is opened. */
  readonly isSession: boolean;
  readonly alarms: Alarms;
  /** Where giving back goes on when nobody waits for it. */
  readonly background: Background;
}

/** Who holds what, and how. */
export interface HoldRequest {
  readonly key: string;
  readonly contender: string;
  readonly renew: boolean;
  readonly maxHoldMs: number;
}

/**
 * A dropped handle does no harm before the first renewal, and most leases are released by then: that spares them the
 * finaliser, which costs the collector more than all the rest of a lease.
 */
const LET_GO_SHARE = 1 / 4;
/** After doubt, sooner; never at once, lest a dead server be hammered. */
const RETRY_SHARE = 1 / 10;

/**
 * What core knows about one grant: whether it is held, until when, and when to renew it. The lease that users see is
 * a thin handle on it. Before the first renewal that handle is let go of here, so that a dropped one can be collected.
 */
export class Hold {
  readonly grant: Grant;
  readonly request: HoldRequest;
  readonly #context: HoldContext;
  /** Called once, when the key may be contended again. */
  #onEnded: () => void = () => {};
  /** Weakly: were the signal reachable from here, it would keep a dropped lease from ever being collected. */
  #toAbort: WeakRef<AbortController> | undefined;
  #state: 'held' | 'lost' | 'released' = 'held';
  #lossReason: LossReason | undefined;
  readonly #term: Term;
  #renewDueMs: number;
  /** Monotonic; when the grant had arrived. */
  readonly #grantedMs: number;
  #keep: Keep | undefined;
  #renewing: Promise<unknown> = Promise.resolve();
  #release: Promise<Release> | undefined;
  #cancelAlarm: (() => void) | undefined;
  #cancelPush: (() => void) | undefined;
  /** The lease that users hold, until it is let go of. */
  #handle: object | undefined;
  readonly #letGoMs: number;
  #cancelCollected: (() => void) | undefined;

  constructor(context: HoldContext, grant: Grant, request: HoldRequest) {
    this.#context = context;
    this.grant = grant;
    this.request = request;
    this.#term = new Term(context.host.runtime, grant, request.maxHoldMs);
    this.#grantedMs = context.host.runtime.now().monotonicMs;
    this.#renewDueMs = request.renew ? this.#term.renewDueMs : Number.POSITIVE_INFINITY;
    this.#letGoMs = this.#term.dueMs(LET_GO_SHARE);
  }

  /** Starts the clock of the lease; `onEnded` is told once, when the key may be contended again. */
  start(handle: object, onEnded: () => void): void {
    // A listener that was told of the grant may have found its time to be over.
    if (this.#state !== 'held') return onEnded();
    this.#handle = handle;
    this.#onEnded = onEnded;
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

  /** Reads the clocks: timers are late when the event loop is blocked. */
  remainingMs(): number {
    if (this.#state !== 'held') return 0;
    const leftMs = this.#term.leftMs();
    if (leftMs <= 0) this.lose(this.#term.isCapReached ? 'max-hold' : 'deadline');
    return leftMs;
  }

  heldMs(): number {
    return this.#term.heldMs();
  }

  /** What to throw at whoever relies on a lease that is not held. */
  lossError(details: { readonly result?: unknown } = {}): LockLostError {
    const isReleased = this.#state === 'released' && !('result' in details);
    return lossError(this.#where, isReleased ? 'released' : this.#lossReason, details);
  }

  /** Ends the lease against the holder's will, and gives back what may still stand in the store. */
  lose(reason: LossReason): void {
    if (this.#state !== 'held') return;
    this.#lossReason = reason;
    const { key, contender } = this.request;
    const { backend, background, host } = this.#context;
    const heldMs = this.heldMs();
    this.#end('lost');
    background.add(this.#giveBack());
    host.emit({ type: 'lost', key, backend, contender, reason, heldMs });
    this.#toAbort?.deref()?.abort(this.lossError());
    this.#onEnded();
  }

  /** Has `controller` aborted when the lease is lost; at once when it is lost already. */
  abortOnLoss(controller: AbortController): void {
    if (this.state === 'lost') controller.abort(this.lossError());
    else this.#toAbort = new WeakRef(controller);
  }

  /** The handle was dropped without release: nobody can believe any more. */
  leak(): void {
    if (this.#state !== 'held') return;
    const { key, contender } = this.request;
    const { backend, background, host } = this.#context;
    const heldMs = this.heldMs();
    this.#end('lost');
    host.emit({ type: 'leaked', key, backend, contender, heldMs });
    background.add(this.#giveBack().then(() => this.#onEnded()));
  }

  release(): Promise<Release> {
    if (this.state === 'lost') return Promise.resolve({ kind: 'not-held' });
    this.#release ??= this.#releaseNow();
    return this.#release;
  }

  /** Releases, but leaves the key taken until `keepMs` after the grant; see `TryUseOptions.keepMs`. */
  async releaseAfter(keepMs: number): Promise<Release> {
    const { alarms, background, host } = this.#context;
    const untilMs = this.#grantedMs + keepMs;
    if (this.state !== 'held' || host.runtime.now().monotonicMs >= untilMs) return this.release();
    this.#end('released');
    this.#release = Promise.resolve({ kind: 'not-held' });
    this.#keep = new Keep({
      runtime: host.runtime,
      alarms,
      untilMs,
      validity: this.#term.validity,
      retryMs: this.#term.ttlMs * RETRY_SHARE,
      renew: (ttlMs) => this.#queue(() => this.#ask(ttlMs)),
      onOver: () => background.add(this.#finish()),
    });
    const secured = this.#keep.secure();
    background.add(secured);
    await secured;
    return { kind: 'released' };
  }

  /** See `Lease.extend`. */
  async extend(ttlMs: number): Promise<void> {
    if (this.state !== 'held') throw this.lossError();
    if (validityMs(ttlMs) <= this.remainingMs()) return this.#shorten(ttlMs);
    this.#checkCanExtend(ttlMs);
    const renewal = await this.#renew(ttlMs);
    if (this.state !== 'held') throw this.lossError();
    if (renewal.kind === 'unknown') throw extendDoubt(this.#where, renewal.cause);
    if (validityMs(ttlMs) < this.remainingMs()) this.#shorten(ttlMs);
  }

  /** `close` was called: a kept key stays taken, a release on its way is awaited, anything else is lost. */
  close(): void {
    this.#keep?.abandon();
    if (this.#release !== undefined) this.#context.background.add(this.#release);
    this.lose('closed');
  }

  #releaseNow(): Promise<Release> {
    this.#end('released');
    return this.#finish();
  }

  /** Gives the key back, tells of it, and lets the next one contend. */
  async #finish(): Promise<Release> {
    const { key, contender } = this.request;
    const { backend, host } = this.#context;
    const heldMs = this.heldMs();
    const from = host.runtime.now();
    const release = await this.#giveBack();
    const tookMs = host.runtime.elapsedMs(from);
    const { kind: outcome } = release;
    host.emit({ type: 'released', key, backend, contender, outcome, heldMs, tookMs });
    this.#onEnded();
    return release;
  }

  #checkCanExtend(ttlMs: number): void {
    const { leaseMs } = this.grant;
    if (this.grant.renew === undefined)
      throw new CapabilityError('this backend cannot renew a lease', this.#where);
    if (!this.#context.isSession || ttlMs <= leaseMs) return;
    const message = `a lease lasts as long as its session, ${leaseMs} ms, not ${ttlMs} ms`;
    throw new CapabilityError(message, this.#where);
  }

  #shorten(ttlMs: number): void {
    this.#term.shorten(ttlMs);
    if (this.request.renew) this.#renewDueMs = this.#term.renewDueMs;
    this.#arm();
  }

  /** One renewal at a time. `extendToMs` is left out by the watchdog, which asks for whatever ttl is in force by then. */
  #renew(extendToMs?: number): Promise<Renewal> {
    return this.#queue(() => this.#renewOnce(extendToMs));
  }

  #queue(renew: () => Promise<Renewal>): Promise<Renewal> {
    const next = this.#renewing.then(renew);
    this.#renewing = next;
    return next;
  }

  #ask(ttlMs: number): Promise<Renewal> {
    return settled<Renewal>(async () => this.grant.renew?.(ttlMs) ?? { kind: 'lost' });
  }

  async #renewOnce(extendToMs: number | undefined): Promise<Renewal> {
    if (this.#state !== 'held') return { kind: 'lost' };
    const { runtime } = this.#context.host;
    const from = runtime.now();
    const ttlBeforeMs = this.#term.ttlMs;
    const renewal = await this.#ask(extendToMs ?? ttlBeforeMs);
    if (this.state !== 'held') return renewal.kind === 'renewed' ? { kind: 'lost' } : renewal;
    if (renewal.kind === 'lost') this.lose('renewal');
    if (renewal.kind === 'renewed') {
      // Not when the ttl was lowered while this was on its way: the lower one holds.
      const isLowered = this.#term.ttlMs !== ttlBeforeMs;
      this.#term.prolong(renewal.validity, isLowered ? undefined : extendToMs);
      this.#arm();
      this.#tellRenewed(from);
    }
    return renewal;
  }

  async #watch(): Promise<void> {
    this.#renewDueMs = Number.POSITIVE_INFINITY;
    const renewal = await this.#renew();
    const soonestMs = this.#context.host.runtime.now().monotonicMs + this.#term.ttlMs * RETRY_SHARE;
    this.#renewDueMs =
      renewal.kind === 'renewed' ? Math.max(soonestMs, this.#term.renewDueMs) : soonestMs;
    this.#arm();
  }

  /** One alarm per lease, for whatever comes first: letting go of the handle, the renewal, or the end. */
  #arm(): void {
    this.#cancelAlarm?.();
    if (this.#state !== 'held') return;
    const { alarms, host } = this.#context;
    const endMs = host.runtime.now().monotonicMs + this.#term.leftMs();
    const letGoMs = this.#handle === undefined ? Number.POSITIVE_INFINITY : this.#letGoMs;
    this.#cancelAlarm = alarms.at(Math.min(endMs, this.#renewDueMs, letGoMs), () => this.#ring());
  }

  #ring(): void {
    if (this.remainingMs() <= 0) return;
    const nowMs = this.#context.host.runtime.now().monotonicMs;
    if (nowMs >= this.#letGoMs) this.#letGo();
    if (nowMs >= this.#renewDueMs) void this.#watch();
    this.#arm();
  }

  /** From here on only users keep the handle alive. */
  #letGo(): void {
    if (this.#handle === undefined) return;
    this.#cancelCollected = this.#context.host.runtime.onCollected(this.#handle, () => this.leak());
    this.#handle = undefined;
  }

  #end(state: 'lost' | 'released'): void {
    this.#state = state;
    this.#cancelAlarm?.();
    this.#cancelAlarm = undefined;
    this.#cancelPush?.();
    this.#cancelPush = undefined;
    this.#cancelCollected?.();
    this.#handle = undefined;
  }

  #giveBack(): Promise<Release> {
    return settled(() => this.grant.release());
  }

  get #where(): { key: string; backend: string } {
    return { key: this.request.key, backend: this.#context.backend };
  }

  #tellRenewed(from: Instant): void {
    const { key, contender } = this.request;
    const { backend, host } = this.#context;
    const tookMs = host.runtime.elapsedMs(from);
    const remainingMs = this.#term.leftMs();
    host.emit({ type: 'renewed', key, backend, contender, tookMs, remainingMs });
  }
}
