import {
  bound,
  type Grant,
  type Release,
  type Renewal,
  type Runtime,
  remainingMs,
  type Validity,
} from '@holdfast/core/backend';

/** A lock is renewed when this share of its lease is over, and again after it. */
const RENEW_SHARE = 1 / 3;
const RETRY_SHARE = 1 / 10;

/** How a lock is kept. */
export interface Keeping {
  readonly runtime: Runtime;
  /** The ttl of its renewals, where it is not that of the lease. */
  readonly ownTtlMs: number | undefined;
  /** False once nobody waits for the other lock any more. */
  isWanted(): boolean;
  onLost(): void;
}

/** The lock of one store, renewed while the other is waited for. */
export class HeldPart {
  readonly grant: Grant;
  readonly #keeping: Keeping;
  #validity: Validity;
  #isLost = false;
  #isKept = true;
  #cancelTimer: () => void = () => {};
  readonly #stopListening: (() => void) | undefined;

  constructor(grant: Grant, keeping: Keeping) {
    this.grant = grant;
    this.#keeping = keeping;
    this.#validity = grant.validity;
    this.#stopListening = bound(grant, 'onLost')?.(() => this.#lose());
    this.#renewAfter(grant.leaseMs * RENEW_SHARE);
  }

  get ownTtlMs(): number | undefined {
    return this.#keeping.ownTtlMs;
  }

  get validity(): Validity {
    return this.#validity;
  }

  /** True once its lease has ended, or may have. */
  get isOver(): boolean {
    return this.#isLost || remainingMs(this.#validity, this.#keeping.runtime) <= 0;
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
    const renew = (): void => void this.#renew();
    this.#cancelTimer = this.#keeping.runtime.timer(ms, renew, { awaited: false });
  }

  async #renew(): Promise<void> {
    const { leaseMs } = this.grant;
    if (!this.#keeping.isWanted()) return;
    const renewal = await renewed(this.grant, leaseMs);
    if (!this.#isKept || this.#isLost) return;
    if (renewal.kind === 'renewed') this.#validity = renewal.validity;
    if (renewal.kind === 'lost' || this.isOver) return this.#lose();
    this.#renewAfter(leaseMs * (renewal.kind === 'renewed' ? RENEW_SHARE : RETRY_SHARE));
  }

  #lose(): void {
    if (this.#isLost || !this.#isKept) return;
    this.#isLost = true;
    this.#cancelTimer();
    this.#keeping.onLost();
  }
}

/** A renewal that never rejects. */
export async function renewed(grant: Grant, ttlMs: number): Promise<Renewal> {
  try {
    return (await grant.renew?.(ttlMs)) ?? { kind: 'lost' };
  } catch (cause) {
    return { kind: 'unknown', cause };
  }
}
