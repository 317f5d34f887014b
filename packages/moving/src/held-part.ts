import {
  bound,
  type Grant,
  type Release,
  type Runtime,
  remainingMs,
  type Validity,
} from '@holdfast/core';

/** A lock is renewed when this share of its lease is over, and again after it. */
const RENEW_SHARE = 1 / 3;
const RETRY_SHARE = 1 / 10;

/** The lock of one store, renewed while the other is waited for. */
export class HeldPart {
  readonly grant: Grant;
  /** The ttl of its renewals, where it is not that of the lease. */
  readonly ownTtlMs: number | undefined;
  readonly #runtime: Runtime;
  readonly #onLost: () => void;
  #validity: Validity;
  #isLost = false;
  #isKept = true;
  #cancelTimer: () => void = () => {};
  readonly #stopListening: (() => void) | undefined;

  constructor(grant: Grant, runtime: Runtime, ownTtlMs: number | undefined, onLost: () => void) {
    this.grant = grant;
    this.#runtime = runtime;
    this.ownTtlMs = ownTtlMs;
    this.#validity = grant.validity;
    this.#onLost = onLost;
    this.#stopListening = bound(grant, 'onLost')?.(() => this.#lose());
    this.#renewAfter(this.grant.leaseMs * RENEW_SHARE);
  }

  get validity(): Validity {
    return this.#validity;
  }

  /** True once its lease has ended, or may have. */
  get isOver(): boolean {
    return this.#isLost || remainingMs(this.#validity, this.#runtime) <= 0;
  }

  /** Ends the renewal: the lease that has both locks renews them from now on. */
  handOver(): Grant {
    this.#stop();
    return this.grant;
  }

  release(): Promise<Release> {
    this.#stop();
    return this.grant.release();
  }

  #stop(): void {
    this.#isKept = false;
    this.#cancelTimer();
    this.#stopListening?.();
  }

  #renewAfter(ms: number): void {
    if (this.grant.renew === undefined || !this.#isKept || this.#isLost) return;
    this.#cancelTimer = this.#runtime.timer(ms, () => void this.#renew(), { awaited: false });
  }

  async #renew(): Promise<void> {
    const renewal = await this.grant
      .renew?.(this.grant.leaseMs)
      .catch((cause: unknown) => ({ kind: 'unknown', cause }) as const);
    if (!this.#isKept || this.#isLost || renewal === undefined) return;
    if (renewal.kind === 'lost') return this.#lose();
    if (renewal.kind === 'renewed') this.#validity = renewal.validity;
    this.#renewAfter(this.grant.leaseMs * (renewal.kind === 'renewed' ? RENEW_SHARE : RETRY_SHARE));
  }

  #lose(): void {
    if (this.#isLost || !this.#isKept) return;
    this.#isLost = true;
    this.#cancelTimer();
    this.#onLost();
  }
}
