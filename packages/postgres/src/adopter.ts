import {
  type Attempt,
  adoptionError,
  type Contender,
  callDeadlineMs,
  type Instant,
  ownerValue,
  type Withdrawal,
} from '@holdfast/core/backend';
import { type Failure, failureOf } from './failures.ts';
import { PostgresGrant, release } from './grant.ts';
import { NAME } from './identity.ts';
import type { Reply } from './port.ts';
import { reportNode, type Store } from './store.ts';
import { checkSynchronous } from './synchronous.ts';
import { UnresolvedAttempts } from './unresolved-attempts.ts';

/** The contender that adopts, its ttl, and the owner value that it replaces. */
export interface Adoption {
  readonly key: string;
  readonly contender: string;
  readonly ttlMs: number;
  readonly exported: string;
}

/** An attempt whose outcome is unknown. */
interface DoubtfulAttempt {
  readonly owner: string;
  readonly from: Instant;
}

/**
 * Tries to take over one exported lease. Unlike an acquisition, it undoes no attempt in doubt before `withdraw`: that would
 * free the key before a retry, which would then find nothing to adopt. An attempt that arrives after a definite reply to a
 * later one changes nothing: by then the exported value is gone for good.
 */
export class PostgresAdopter implements Contender {
  readonly #store: Store;
  readonly #adoption: Adoption;
  #n = 0;
  #doubtful: DoubtfulAttempt[] = [];

  constructor(store: Store, adoption: Adoption) {
    this.#store = store;
    this.#adoption = adoption;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    const { database, statements, namespace, host } = this.#store;
    const { key, contender, ttlMs, exported } = this.#adoption;
    this.#n += 1;
    const owner = ownerValue({ contender, n: this.#n, label: host.label });
    const from = host.runtime.now();
    const callEndMs = Math.min(deadlineMs, from.monotonicMs + callDeadlineMs(ttlMs));
    try {
      const args = [namespace, key, owner, ttlMs, exported];
      const reply = await database.run(statements.adopt, args, { deadlineMs: callEndMs });
      return this.#replied(reply, owner);
    } catch (cause) {
      return this.#failure({ owner, from }, cause);
    }
  }

  withdraw(): Promise<Withdrawal> {
    const { key, ttlMs } = this.#adoption;
    const { host, pendingReleases } = this.#store;
    const unresolved = new UnresolvedAttempts(host.runtime, pendingReleases, ttlMs);
    for (const { owner, from } of this.#doubtful.splice(0))
      unresolved.add(() => release(this.#store, { key, owner }, ttlMs), from);
    return Promise.resolve(unresolved.settle());
  }

  #replied({ rows, sentAt }: Reply, owner: string): Attempt {
    const { key, ttlMs } = this.#adoption;
    this.#doubtful = [];
    const token = rows[0]?.['token'];
    if (typeof token === 'string') {
      const won = { key, owner, from: sentAt, ttlMs, fencingToken: BigInt(token) };
      return { kind: 'granted', grant: new PostgresGrant(this.#store, won) };
    }
    const refusal = checkSynchronous(this.#store, rows.at(-1) ?? {}, key);
    return { kind: 'refused', error: refusal ?? adoptionError({ key, backend: NAME }) };
  }

  #failure(attempt: DoubtfulAttempt, cause: unknown): Failure {
    const { key } = this.#adoption;
    reportNode(this.#store, key, cause);
    const failure = failureOf(cause, key);
    if (failure.kind === 'unknown') this.#doubtful.push(attempt);
    return failure;
  }
}
