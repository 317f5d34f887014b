import {
  callDeadlineMs,
  type Instant,
  type Release,
  type Runtime,
  type Withdrawal,
} from '@holdfast/core/backend';
import { NodeDoubt } from '../port.ts';
import { type Lifetime, leftMs, lifetimeOf } from './lifetime.ts';
import type { PendingReleases } from './pending-releases.ts';

interface UnresolvedAttempt {
  readonly release: () => Promise<Release>;
  readonly lifetime: Lifetime;
  /** Pending only while the reply to an undo may still resolve the attempt. */
  readonly undone: Promise<boolean>;
}

/**
 * The attempts of one contender whose outcome is unknown: each may have acquired the key.
 *
 * Two replies resolve one: the reply to an undo that was sent behind it on its connection, since a server executes the
 * commands of a connection in order; and a release that found its value stored, since an attempt is never sent twice. An
 * undo on another connection proves nothing: bytes of the old one may still reach the server after it. Nor does the reply
 * to a later attempt, `granted` or `busy`: it names the holder at that moment, and the earlier attempt may arrive after
 * that hold. So an unresolved attempt is released again and again, ever more rarely, until its value must have expired.
 *
 * After a failover another server replies. A release that finds the value there still resolves the attempt: it was applied
 * before the failover, and will not arrive a second time. What the old master keeps of it is dropped when it becomes a
 * replica; if it becomes the master again instead, its data have come back as a whole, as those of any released lock may.
 * @example
 * ```ts
 * const unresolved = new UnresolvedAttempts(host.runtime, pendingReleases, ttlMs);
 * const from = host.runtime.now();
 * await node.script(ACQUIRE, [key], [owner, `${ttlMs}`], { deadlineMs }).catch((cause: unknown) => {
 *   unresolved.add(() => grant.release(), from, cause);
 * });
 * return unresolved.settle(); // the result of a withdrawal
 * ```
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

  /** True if no attempt is in doubt at the moment. */
  get isEmpty(): boolean {
    this.#dropExpired();
    return this.#open.size === 0;
  }

  /**
   * Adds an attempt that was sent at `from` and whose call was rejected by `cause`. `release` sends one release of it, and
   * never rejects. `ttlMs` is the requested ttl, if it is not the contender's own.
   */
  add(
    release: () => Promise<Release>,
    from: Instant,
    cause: unknown,
    ttlMs: number = this.#ttlMs,
  ): void {
    const isOrdered = cause instanceof NodeDoubt && cause.undo === 'ordered';
    const undone = isOrdered ? cause.undone : Promise.resolve(false);
    const attempt: UnresolvedAttempt = { release, lifetime: lifetimeOf(from, ttlMs), undone };
    this.#dropExpired();
    this.#open.add(attempt);
    // An undo that waits for the next connection resolves nothing, and `close` drops it: so release at once.
    if (!isOrdered) return this.#retryRelease(attempt);
    void undone.then((isUndone) => {
      if (isUndone) this.#open.delete(attempt);
      else this.#retryRelease(attempt);
    });
  }

  /** Waits for the replies that may still resolve an attempt, at most as long as a call; then returns what may be left. */
  async settle(): Promise<Withdrawal> {
    if (this.#open.size > 0) await this.#awaitUndos();
    this.#dropExpired();
    if (this.#open.size === 0) return { kind: 'clean' };
    const remainingMs = Array.from(this.#open, (attempt) => this.#leftMs(attempt));
    return { kind: 'unknown', untilMs: Math.max(...remainingMs) };
  }

  #retryRelease(attempt: UnresolvedAttempt): void {
    this.#pendingReleases.add({
      release: () => this.#release(attempt),
      leftMs: () => this.#leftMs(attempt),
      // Doubling without a limit: what lands late is gone after about as long again, at a cost that is logarithmic.
      pauseMsMax: Number.POSITIVE_INFINITY,
    });
  }

  async #release(attempt: UnresolvedAttempt): Promise<Release> {
    const outcome = await attempt.release();
    if (outcome.kind === 'released') {
      this.#open.delete(attempt);
      return outcome;
    }
    return { kind: 'unknown', cause: 'the attempt may not have arrived yet' };
  }

  #awaitUndos(): Promise<void> {
    const ms = callDeadlineMs(this.#ttlMs);
    return new Promise((done) => {
      const cancel = this.#runtime.timer(ms, done, { awaited: true });
      void Promise.all(Array.from(this.#open, (attempt) => attempt.undone)).then(() => {
        cancel();
        done();
      });
    });
  }

  /** A value that must have expired needs no release; a contender may wait for days. */
  #dropExpired(): void {
    for (const attempt of this.#open) if (this.#leftMs(attempt) === 0) this.#open.delete(attempt);
  }

  #leftMs(attempt: UnresolvedAttempt): number {
    return leftMs(attempt.lifetime, this.#runtime);
  }
}
