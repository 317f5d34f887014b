import { Deadline } from './deadline-heap.ts';
import type { LeaseContext } from './lease-context.ts';
import type { LeaseReference } from './lease-reference.ts';
import { type RenewedLease, Renewer } from './renewer.ts';

/**
 * A dropped handle does no harm before the first renewal, and most leases are released by then. So most leases avoid
 * the finaliser, which costs the collector more than the rest of a lease.
 */
const MAKE_WEAK_SHARE = 1 / 4;

/** Leases that a process took together would always be renewed together. If it holds this many, they are spread. */
const CROWD = 64;
/** By up to this share sooner comes the first renewal of a lease, which spreads them almost evenly. */
const FIRST_SPREAD = 3 / 4;
/** And each later one, so that what an outage has brought together parts again. */
const LATER_SPREAD = 1 / 8;
/** They are renewed in batches so far apart: one request at a time costs a process several times as much. */
const TICK_SHARE = 1 / 300;

/** The lease that a watchdog looks after. */
export interface WatchedLease extends RenewedLease {
  readonly context: LeaseContext;
  readonly reference: LeaseReference;
  leak(): void;
}

/**
 * Looks after one lease while it is held, by one deadline for the next of three: core drops its reference to the handle,
 * renews the lease, or finds that it has expired.
 */
export class Watchdog extends Deadline {
  readonly #lease: WatchedLease;
  /** False for a lease that only runs to its end. */
  #renews: boolean;
  #renewDueMs: number;
  #onExpired: (() => void) | undefined;
  #lazyRenewer: Renewer | undefined;

  constructor(lease: WatchedLease, renews: boolean) {
    super();
    this.#lease = lease;
    this.#renews = renews;
    this.#renewDueMs = renews ? this.#spreadDueMs(FIRST_SPREAD) : Number.POSITIVE_INFINITY;
  }

  get renews(): boolean {
    return this.#renews;
  }

  get renewer(): Renewer {
    this.#lazyRenewer ??= new Renewer(this.#lease);
    return this.#lazyRenewer;
  }

  start(handle: object): void {
    // A lease that is not renewed ends by itself, even if it is still referenced.
    if (this.#renews) this.#lease.reference.holdStrongly(handle);
    this.#arm();
  }

  /**
   * Sets whether and until when a lease is renewed that so far was only a part of several: renewed, and without a cap,
   * while the other parts were waited for.
   */
  begin(renew: boolean, maxHoldMs: number): void {
    this.#lease.clock.cap(maxHoldMs);
    if (!renew) {
      this.#neverRenew();
      this.#lease.reference.forget();
    }
    this.#arm();
  }

  shorten(ttlMs: number): void {
    const { clock } = this.#lease;
    clock.shorten(ttlMs);
    if (this.#renews) this.#renewDueMs = clock.renewDueMs(0);
    this.#arm();
  }

  /** Only waits for the end of the lease from now on. */
  abandon(): void {
    this.#neverRenew();
    // Also that of a leaked lease, which is not released any more.
    this.#context.deadlines.clear(this);
    this.#arm();
  }

  /** Ends the watch, with the lease. */
  stop(): void {
    this.#context.deadlines.clear(this);
    this.#lease.reference.forget();
  }

  /** Calls `run` when a lease that was stopped would have expired. */
  atExpiry(run: () => void): void {
    if (this.#lease.clock.leftMs() <= 0) return run();
    this.#onExpired = run;
    this.#context.deadlines.set(this, this.#endMs);
  }

  override onDue(): void {
    if (this.#onExpired === undefined) this.#onDeadline();
    else this.atExpiry(this.#onExpired);
  }

  #neverRenew(): void {
    this.#renews = false;
    this.#renewDueMs = Number.POSITIVE_INFINITY;
  }

  /** Sets the one deadline of the lease, for the next of: the weak reference, the renewal, the end. */
  #arm(): void {
    // A leaked lease has a deadline of its own.
    if (this.#lease.hasEnded) return;
    const { isStrong } = this.#lease.reference;
    const makeWeakAtMs = isStrong ? this.#makeWeakAtMs : Number.POSITIVE_INFINITY;
    const dueMs = Math.min(this.#endMs, this.#renewDueMs, makeWeakAtMs);
    this.#context.deadlines.set(this, dueMs);
  }

  #onDeadline(): void {
    const { clock, reference } = this.#lease;
    if (this.#lease.remainingMs() <= 0) return;
    const { runtime } = this.#context.host;
    const now = runtime.now();
    const nowMs = now.monotonicMs;
    if (nowMs >= this.#makeWeakAtMs) reference.makeWeak(runtime, () => this.#lease.leak());
    const isAwaited = this.#renewDueMs < Number.POSITIVE_INFINITY;
    if (nowMs >= this.#renewDueMs || (isAwaited && clock.isRenewalDue(now))) void this.#renew();
    this.#arm();
  }

  async #renew(): Promise<void> {
    const { clock } = this.#lease;
    this.#renewDueMs = Number.POSITIVE_INFINITY;
    const renewal = await this.renewer.renew();
    const soonestMs = this.#context.host.runtime.now().monotonicMs + clock.retryMs;
    if (!this.#renews) return;
    this.#renewDueMs =
      renewal.kind === 'renewed' ? Math.max(soonestMs, this.#spreadDueMs(LATER_SPREAD)) : soonestMs;
    this.#arm();
  }

  /** Time of the next renewal; in a crowd sooner, by up to `share` of the time until then. */
  #spreadDueMs(share: number): number {
    const { deadlines, host } = this.#context;
    const { clock } = this.#lease;
    if (deadlines.size < CROWD) return clock.renewDueMs(0);
    const tickMs = clock.ttlMs * TICK_SHARE;
    return Math.floor(clock.renewDueMs(share * host.runtime.random()) / tickMs) * tickMs;
  }

  get #context(): LeaseContext {
    return this.#lease.context;
  }

  get #makeWeakAtMs(): number {
    const { validity, leaseMs } = this.#lease.grant;
    return validity.from.monotonicMs + leaseMs * MAKE_WEAK_SHARE;
  }

  /** The current end of the lease on the monotonic clock. */
  get #endMs(): number {
    return this.#context.host.runtime.now().monotonicMs + this.#lease.clock.leftMs();
  }
}
