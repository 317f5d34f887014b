import { catchAsUnknown } from './background.ts';
import type { LeaseClock } from './lease-clock.ts';
import type { Grant, Renewal } from './port.ts';
import type { Instant, Runtime } from './runtime.ts';

/** The lease that is renewed. */
export interface RenewedLease {
  readonly context: { readonly host: { readonly runtime: Runtime } };
  readonly grant: Grant;
  readonly clock: LeaseClock;
  /** True if the lease is known to have ended, without reading the clocks. */
  readonly hasEnded: boolean;
  /** Reads the clocks, and ends the lease if it has expired. */
  remainingMs(): number;
  /** Called when the store no longer has the hold. */
  lose(reason: 'renewal'): void;
  /** Called when the lease is valid for longer; `from` is the start of the renewal. */
  reportRenewed(from: Instant): void;
}

/** Renews one lease: one renewal at a time, and none once the lease has ended. */
export class Renewer {
  readonly #lease: RenewedLease;
  #latest: Promise<void> = Promise.resolve();

  constructor(lease: RenewedLease) {
    this.#lease = lease;
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
    // Not its outcome, which would stay for as long as the lease.
    this.#latest = next.then(forget, forget);
    return next;
  }

  #sendOnce(ttlMs: number): Promise<Renewal> {
    const { grant } = this.#lease;
    return catchAsUnknown<Renewal>(() => grant.renew?.(ttlMs) ?? Promise.resolve({ kind: 'lost' }));
  }

  async #renew(extendToMs: number | undefined): Promise<Renewal> {
    const { context, clock } = this.#lease;
    if (this.#lease.hasEnded) return { kind: 'lost' };
    const from = context.host.runtime.now();
    const ttlBeforeMs = clock.ttlMs;
    const renewal = await this.#sendOnce(extendToMs ?? ttlBeforeMs);
    if (this.#lease.remainingMs() <= 0)
      return renewal.kind === 'renewed' ? { kind: 'lost' } : renewal;
    if (renewal.kind === 'lost') this.#lease.lose('renewal');
    if (renewal.kind === 'renewed') {
      // If the ttl was lowered while the request was in flight, the lower one applies.
      const isLowered = clock.ttlMs !== ttlBeforeMs;
      clock.extend(renewal.validity, isLowered ? undefined : extendToMs);
      this.#lease.reportRenewed(from);
    }
    return renewal;
  }
}

function forget(): void {}
