import type { Grant, Validity } from './port.ts';
import type { Instant, Runtime } from './runtime.ts';
import { remainingMs, renewAfterMs, validityMs } from './validity.ts';

/** After an unknown outcome the next renewal comes sooner, but never at once, so that a dead server is not flooded. */
const RETRY_SHARE = 1 / 10;

/** The time of one lease: its validity, which renewals and extensions change, capped by `maxHoldMs`. */
export class LeaseClock {
  readonly #runtime: Runtime;
  readonly #initialValidity: Validity;
  #maxHoldMs: number;
  #validity: Validity;
  #ttlMs: number;

  constructor(runtime: Runtime, grant: Pick<Grant, 'leaseMs' | 'validity'>, maxHoldMs: number) {
    this.#runtime = runtime;
    this.#initialValidity = grant.validity;
    this.#maxHoldMs = maxHoldMs;
    this.#validity = grant.validity;
    this.#ttlMs = grant.leaseMs;
  }

  get validity(): Validity {
    return this.#validity;
  }

  /** The ttl that renewals request. */
  get ttlMs(): number {
    return this.#ttlMs;
  }

  /** What is left of `maxHoldMs`; not positive once that is reached. */
  get capMs(): number {
    return this.#maxHoldMs - this.heldMs();
  }

  get isCapReached(): boolean {
    return this.capMs <= 0;
  }

  /** Time since the request of the grant was sent. */
  heldMs(): number {
    return this.#runtime.elapsedMs(this.#initialValidity.from);
  }

  /** Remaining time by the clock that says less; 0 if the lease is over. */
  leftMs(): number {
    const leftMs = remainingMs(this.#validity, this.#runtime);
    if (this.#maxHoldMs === Number.POSITIVE_INFINITY) return leftMs;
    return Math.max(0, Math.min(leftMs, this.capMs));
  }

  /** Pause after a renewal of unknown outcome. */
  get retryMs(): number {
    return this.#ttlMs * RETRY_SHARE;
  }

  /** Time of the next renewal on the monotonic clock, `sooner` by that share of the time until then. */
  renewDueMs(sooner: number): number {
    return this.#validity.from.monotonicMs + this.#renewAfterMs * (1 - sooner);
  }

  /** True if the renewal is due by the wall clock, which keeps running while a machine sleeps. */
  isRenewalDue({ wallMs }: Instant): boolean {
    return wallMs - this.#validity.from.wallMs >= this.#renewAfterMs;
  }

  get #renewAfterMs(): number {
    return renewAfterMs(this.#validity.ms, this.#ttlMs);
  }

  /** Ends the lease `maxHoldMs` after the request of its grant was sent, however often it is renewed. */
  cap(maxHoldMs: number): void {
    this.#maxHoldMs = maxHoldMs;
  }

  /** Ends the lease `ttlMs` from now. This is local, so it does not depend on the store. */
  shorten(ttlMs: number): void {
    this.#validity = { from: this.#runtime.now(), ms: validityMs(ttlMs) };
    this.#ttlMs = ttlMs;
  }

  /** A renewal never adds more than the current ttl, and never shortens what an earlier renewal added. */
  extend({ from, ms }: Validity, ttlMs: number = this.#ttlMs): void {
    this.#ttlMs = ttlMs;
    const capped = { from, ms: Math.min(ms, validityMs(ttlMs)) };
    if (remainingMs(capped, this.#runtime) > remainingMs(this.#validity, this.#runtime)) {
      this.#validity = capped;
    }
  }
}
