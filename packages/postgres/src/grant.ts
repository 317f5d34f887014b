import {
  callDeadlineMs,
  type Grant,
  type Instant,
  type Release,
  type Renewal,
  type Validity,
  validityMs,
} from '@holdfast/core/backend';
import { isRowLocked } from './failures.ts';
import { type Lifetime, leftMs, lifetimeOf } from './pending-releases.ts';
import { payloadOf, reportNode, type Store } from './store.ts';
import { checkSynchronous } from './synchronous.ts';

/** The value that one attempt stored, or may have stored. */
export interface StoredHold {
  readonly key: string;
  /** Compared whole, so that no request, however late, can touch another hold. */
  readonly owner: string;
}

/** An attempt that won. */
export interface WonAttempt extends StoredHold {
  /** The instant at which its request left. */
  readonly from: Instant;
  readonly ttlMs: number;
  readonly fencingToken: bigint;
}

/** One hold, and the only one that it can renew or release. */
export class PostgresGrant implements Grant {
  readonly owner: string;
  readonly fencingToken: bigint;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly #store: Store;
  readonly #hold: StoredHold;
  /** The longest lifetime that any call so far requested. */
  #lifetime: Lifetime;
  #ttlMs: number;

  constructor(store: Store, { key, owner, from, ttlMs, fencingToken }: WonAttempt) {
    this.owner = owner;
    this.fencingToken = fencingToken;
    this.leaseMs = ttlMs;
    this.validity = { from, ms: validityMs(ttlMs) };
    this.#store = store;
    this.#hold = { key, owner };
    this.#lifetime = lifetimeOf(from, ttlMs);
    this.#ttlMs = ttlMs;
  }

  async renew(ttlMs: number): Promise<Renewal> {
    const { database, statements, namespace, host } = this.#store;
    const { key } = this.#hold;
    const from = host.runtime.now();
    this.#ttlMs = ttlMs;
    this.#extendLifetime(lifetimeOf(from, ttlMs));
    const deadlineMs = from.monotonicMs + callDeadlineMs(ttlMs);
    try {
      const args = [namespace, key, this.owner, ttlMs];
      const { rows, sentAt } = await database.run(statements.renew, args, { deadlineMs });
      if (rows[0]?.['renewed'] === 'true')
        return { kind: 'renewed', validity: { from: sentAt, ms: validityMs(ttlMs) } };
      const refusal = checkSynchronous(this.#store, rows.at(-1) ?? {}, key);
      return refusal === undefined ? { kind: 'lost' } : { kind: 'unknown', cause: refusal };
    } catch (cause) {
      reportNode(this.#store, key, cause);
      return { kind: 'unknown', cause };
    }
  }

  async release(): Promise<Release> {
    const first = await this.#sendRelease();
    if (first.kind === 'unknown') this.#retryRelease();
    return first;
  }

  export(): string {
    return this.owner;
  }

  #sendRelease(): Promise<Release> {
    return release(this.#store, this.#hold, this.#ttlMs);
  }

  #retryRelease(): void {
    this.#store.pendingReleases.add({
      release: () => this.#sendRelease(),
      leftMs: () => leftMs(this.#lifetime, this.#store.host.runtime),
    });
  }

  #extendLifetime(lifetime: Lifetime): void {
    if (lifetime.ms > leftMs(this.#lifetime, this.#store.host.runtime)) this.#lifetime = lifetime;
  }
}

/** The cause of a release that did not happen, because a transaction that has checked the lease is still open. */
class RowLocked extends Error {
  override readonly name = 'RowLocked';
}

/** Sends one release of one hold; never rejects. */
export async function release(store: Store, hold: StoredHold, ttlMs: number): Promise<Release> {
  const { database, statements, namespace, host } = store;
  const { key, owner } = hold;
  const deadlineMs = host.runtime.now().monotonicMs + callDeadlineMs(ttlMs);
  try {
    const args = [namespace, key, owner, payloadOf(store, key)];
    const { rows } = await database.run(statements.release, args, { deadlineMs });
    return { kind: rows[0]?.['was_held'] === 'true' ? 'released' : 'not-held' };
  } catch (cause) {
    reportNode(store, key, cause);
    return { kind: 'unknown', cause: isRowLocked(cause) ? rowLocked(key, cause) : cause };
  }
}

export function rowLocked(key: string, cause: unknown): RowLocked {
  const message = `key ${JSON.stringify(key)} cannot be released yet: a transaction in which within() checked its lease is still open; end it first. The release is retried`;
  return new RowLocked(message, { cause });
}
