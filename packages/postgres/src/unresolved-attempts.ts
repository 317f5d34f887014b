import type { Instant, Release, Runtime, Withdrawal } from '@holdfast/core/backend';
import { type Lifetime, leftMs, lifetimeOf, type PendingReleases } from './pending-releases.ts';

interface UnresolvedAttempt {
  readonly lifetime: Lifetime;
}

/**
 * The attempts of one contender whose outcome is unknown: each may have acquired the key, or may still do so, because the
 * request may be on its way. Only a release that found its value resolves one, since an attempt is never sent twice. A
 * release that found nothing proves nothing: it may have overtaken the attempt on another connection. So an attempt is
 * released again and again, ever more rarely, until its value must have expired.
 */
export class UnresolvedAttempts {
  readonly #runtime: Runtime;
  readonly #pendingReleases: PendingReleases;
  readonly #ttlMs: number;
  readonly #open = new Set<UnresolvedAttempt>();

  constructor(runtime: Runtime, pendingReleases: PendingReleases, ttlMs: number) {
    this.#runtime = runtime;
    this.#pendingReleases = pendingReleases;
    this.#ttlMs = ttlMs;
  }

  /** Adds an attempt that was sent at `from`. `release` sends one release of it, and never rejects. */
  add(release: () => Promise<Release>, from: Instant): void {
    const attempt: UnresolvedAttempt = { lifetime: lifetimeOf(from, this.#ttlMs) };
    this.#dropExpired();
    this.#open.add(attempt);
    this.#pendingReleases.add({
      release: async () => {
        const outcome = await release();
        if (outcome.kind !== 'released')
          return { kind: 'unknown', cause: 'the attempt may not have arrived yet' };
        this.#open.delete(attempt);
        return outcome;
      },
      leftMs: () => leftMs(attempt.lifetime, this.#runtime),
      // Doubling without a limit: what lands late is gone after about as long again, at a cost that is logarithmic.
      pauseMsMax: Number.POSITIVE_INFINITY,
    });
  }

  /** Returns what may be left in the store. */
  settle(): Withdrawal {
    this.#dropExpired();
    if (this.#open.size === 0) return { kind: 'clean' };
    const remaining = Array.from(this.#open, ({ lifetime }) => leftMs(lifetime, this.#runtime));
    return { kind: 'unknown', untilMs: Math.max(...remaining) };
  }

  /** A contender may wait for days. */
  #dropExpired(): void {
    for (const attempt of this.#open)
      if (leftMs(attempt.lifetime, this.#runtime) === 0) this.#open.delete(attempt);
  }
}
