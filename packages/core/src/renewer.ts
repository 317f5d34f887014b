import { catchAsUnknown } from './background.ts';
import type { LeaseClock } from './lease-clock.ts';
import type { Grant, Renewal } from './port.ts';
import type { Instant, Runtime } from './runtime.ts';

/** The parts of a lease that its renewals need. */
export interface RenewerOptions {
  readonly runtime: Runtime;
  readonly grant: Grant;
  readonly clock: LeaseClock;
  /** True if the lease is known to have ended, without reading the clocks. */
  hasEnded(): boolean;
  /** True if the lease is held by the clocks, which it reads. */
  isHeld(): boolean;
  /** Called when the store no longer has the hold. */
  onLost(): void;
  /** Called when the lease is valid for longer; `from` is the start of the renewal. */
  onRenewed(from: Instant): void;
}

/** Renews one lease: one renewal at a time, and none once the lease has ended. */
export class Renewer {
  readonly #request: RenewerOptions;
  #latest: Promise<unknown> = Promise.resolve();

  constructor(request: RenewerOptions) {
    this.#request = request;
  }

  /** `extendToMs` is absent for the watchdog, which requests the ttl that is current by then. */
  renew(extendToMs?: number): Promise<Renewal> {
    return this.#enqueue(() => this.#renew(extendToMs));
  }

  /** Renews in the store alone, even if the lease has ended. */
  renewOnce(ttlMs: number): Promise<Renewal> {
    return this.#enqueue(() => this.#sendOnce(ttlMs));
  }

  #enqueue(renew: () => Promise<Renewal>): Promise<Renewal> {
    const next = this.#latest.then(renew);
    this.#latest = next;
    return next;
  }

  #sendOnce(ttlMs: number): Promise<Renewal> {
    const { grant } = this.#request;
    return catchAsUnknown<Renewal>(() => grant.renew?.(ttlMs) ?? Promise.resolve({ kind: 'lost' }));
  }

  async #renew(extendToMs: number | undefined): Promise<Renewal> {
    const { runtime, clock } = this.#request;
    if (this.#request.hasEnded()) return { kind: 'lost' };
    const from = runtime.now();
    const ttlBeforeMs = clock.ttlMs;
    const renewal = await this.#sendOnce(extendToMs ?? ttlBeforeMs);
    if (!this.#request.isHeld()) return renewal.kind === 'renewed' ? { kind: 'lost' } : renewal;
    if (renewal.kind === 'lost') this.#request.onLost();
    if (renewal.kind === 'renewed') {
      // If the ttl was lowered while the request was in flight, the lower one applies.
      const isLowered = clock.ttlMs !== ttlBeforeMs;
      clock.extend(renewal.validity, isLowered ? undefined : extendToMs);
      this.#request.onRenewed(from);
    }
    return renewal;
  }
}
