import type { Grant, Validity } from './port.ts';
import type { Instant, Runtime } from './runtime.ts';
import { remainingMs, validityMs } from './validity.ts';

/** Renewed at a third of the ttl: two more tries fit in before the lease ends. */
const RENEW_SHARE = 1 / 3;
/** Sooner where a lease began with less than its ttl: so much of a ttl is to be left for a renewal and another try. */
const SPARE_SHARE = 1 / 5;

/** How long one lease lasts: its validity as renewals and extensions change it, under the cap on holding. */
export class LeaseClock {
  readonly #runtime: Runtime;
  readonly #initialValidity: Validity;
  readonly #maxHoldMs: number;
  #validity: Validity;
  #ttlMs: number;

  constructor(runtime: Runtime, grant: Grant, maxHoldMs: number) {
    this.#runtime = runtime;
    this.#initialValidity = grant.validity;
    this.#maxHoldMs = maxHoldMs;
    this.#validity = grant.validity;
    this.#ttlMs = grant.leaseMs;
  }

  get validity(): Validity {
    return this.#validity;
  }

  /** What renewals ask for. */
  get ttlMs(): number {
    return this.#ttlMs;
  }

  get isCapReached(): boolean {
    return this.heldMs() >= this.#maxHoldMs;
  }

  /** Since the request of the grant left. */
  heldMs(): number {
    return this.#runtime.elapsedMs(this.#initialValidity.from);
  }

  /** By whichever clock says less; 0 when it is over. */
  leftMs(): number {
    const leftMs = remainingMs(this.#validity, this.#runtime);
    if (this.#maxHoldMs === Number.POSITIVE_INFINITY) return leftMs;
    return Math.max(0, Math.min(leftMs, this.#maxHoldMs - this.heldMs()));
  }

  /** When, on the monotonic clock, to renew. */
  get renewDueMs(): number {
    return this.#validity.from.monotonicMs + this.#renewAfterMs;
  }

  /** Whether so much time has passed by the wall clock, which goes on while a machine sleeps. */
  isRenewalDue({ wallMs }: Instant): boolean {
    return wallMs - this.#validity.from.wallMs >= this.#renewAfterMs;
  }

  get #renewAfterMs(): number {
    const spareMs = Math.max(0, this.#validity.ms - this.#ttlMs * SPARE_SHARE);
    return Math.min(this.#ttlMs * RENEW_SHARE, spareMs);
  }

  /** When, on the monotonic clock, that share of the ttl will have passed. */
  dueMs(share: number): number {
    return this.#validity.from.monotonicMs + this.#ttlMs * share;
  }

  /** Ends it `ttlMs` from now; local, so it holds whatever the store says. */
  shorten(ttlMs: number): void {
    this.#validity = { from: this.#runtime.now(), ms: validityMs(ttlMs) };
    this.#ttlMs = ttlMs;
  }

  /** A renewal never promises more than the ttl in force now, and never takes away what an earlier one promised. */
  extend({ from, ms }: Validity, ttlMs: number = this.#ttlMs): void {
    this.#ttlMs = ttlMs;
    const capped = { from, ms: Math.min(ms, validityMs(ttlMs)) };
    if (remainingMs(capped, this.#runtime) > remainingMs(this.#validity, this.#runtime)) {
      this.#validity = capped;
    }
  }
}
