import { catchAsUnknown } from './catch-as-unknown.ts';
import type { LeaseClock } from './lease-clock.ts';
import type { Grant, Renewal } from './port.ts';
import type { Instant, Runtime } from './runtime.ts';

/** What renewing needs of a hold. */
export interface RenewerOptions {
  readonly runtime: Runtime;
  readonly grant: Grant;
  readonly clock: LeaseClock;
  /** As far as is known without looking at the clocks. */
  hasEnded(): boolean;
  /** By the clocks, which it reads. */
  isHeld(): boolean;
  /** The store has it no longer. */
  onLost(): void;
  /** It is valid for longer; `from` is when the renewal began. */
  onRenewed(from: Instant): void;
}

/** Renews one hold: one renewal at a time, and none once the hold has ended. */
export class Renewer {
  readonly #request: RenewerOptions;
  #latest: Promise<unknown> = Promise.resolve();

  constructor(request: RenewerOptions) {
    this.#request = request;
  }

  /** `extendToMs` is left out by the watchdog, which asks for whatever ttl is in force by then. */
  renew(extendToMs?: number): Promise<Renewal> {
    return this.#enqueue(() => this.#renew(extendToMs));
  }

  /** Asks the store alone, whether anybody holds or not. */
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
    return catchAsUnknown<Renewal>(async () => grant.renew?.(ttlMs) ?? { kind: 'lost' });
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
      // Not when the ttl was lowered while this was on its way: the lower one holds.
      const isLowered = clock.ttlMs !== ttlBeforeMs;
      clock.extend(renewal.validity, isLowered ? undefined : extendToMs);
      this.#request.onRenewed(from);
    }
    return renewal;
  }
}
