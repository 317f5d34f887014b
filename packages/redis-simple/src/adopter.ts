import {
  type Attempt,
  adoptionError,
  type Contender,
  callDeadlineMs,
  type Instant,
  type Withdrawal,
} from '@holdfast/core/backend';
import {
  type Failure,
  failureOf,
  foreignKeyError,
  UnexpectedReply,
  UnresolvedAttempts,
} from '@holdfast/redis';
import type { Reply } from '@holdfast/redis/port';
import { acknowledged } from './acknowledged.ts';
import { ADOPT, GONE } from './adopt-script.ts';
import { release, SimpleGrant } from './grant.ts';
import { NAME } from './identity.ts';
import { FOREIGN, isToken } from './scripts.ts';
import { ownerOf, reportNode, type Store, type StoredKeys } from './store.ts';

/** The contender that adopts, its ttl, and the owner value that it replaces. */
export interface Adoption {
  readonly contender: string;
  readonly ttlMs: number;
  readonly exported: string;
}

/** An attempt whose reply is unknown. */
interface DoubtfulAttempt {
  readonly owner: string;
  readonly from: Instant;
  readonly cause: unknown;
}

/**
 * Tries to take over one exported lease. Unlike an acquisition, it sends no undo behind an attempt in doubt: that would
 * free the key before a retry, which would then find nothing to adopt. Only `withdraw` undoes. An attempt that arrives
 * after a definite reply to a later one changes nothing: by then the exported value is gone for good.
 */
export class SimpleAdopter implements Contender {
  readonly #store: Store;
  readonly #keys: StoredKeys;
  readonly #adoption: Adoption;
  #n = 0;
  #doubtful: DoubtfulAttempt[] = [];

  constructor(store: Store, keys: StoredKeys, adoption: Adoption) {
    this.#store = store;
    this.#keys = keys;
    this.#adoption = adoption;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    const { contender, ttlMs, exported } = this.#adoption;
    this.#n += 1;
    const { runtime } = this.#store.host;
    const owner = ownerOf(this.#store, this.#keys, contender, this.#n);
    // Read before the request leaves: the server starts the ttl no earlier than this.
    const from = runtime.now();
    const callEndMs = Math.min(deadlineMs, from.monotonicMs + callDeadlineMs(ttlMs));
    const { lock, fence, channel } = this.#keys;
    let reply: Reply;
    try {
      const args = [owner, `${ttlMs}`, exported];
      // Doubt until the replicas have it: nothing is taken back before it is given up.
      const call = { deadlineMs: callEndMs };
      const options = acknowledged(this.#store, call, isToken);
      reply = await this.#store.node.script(ADOPT, [lock, fence, channel], args, options);
    } catch (cause) {
      return this.#failure({ owner, from, cause });
    }
    return this.#outcome(reply, owner, from);
  }

  async withdraw(): Promise<Withdrawal> {
    const { ttlMs } = this.#adoption;
    const { host, pendingReleases } = this.#store;
    const unresolved = new UnresolvedAttempts(host.runtime, pendingReleases, ttlMs);
    for (const { owner, from, cause } of this.#doubtful.splice(0)) {
      const hold = { keys: this.#keys, owner };
      unresolved.add(() => release(this.#store, hold, ttlMs), from, cause);
    }
    return await unresolved.settle();
  }

  #outcome(reply: Reply, owner: string, from: Instant): Attempt {
    const { key } = this.#keys;
    const { ttlMs } = this.#adoption;
    const foreign = FOREIGN.get(reply);
    if (foreign !== undefined)
      return { kind: 'refused', error: foreignKeyError(foreign, { backend: NAME, key }) };
    if (reply !== GONE && !isToken(reply))
      return this.#failure({ owner, from, cause: new UnexpectedReply(ADOPT.name, reply) });
    this.#doubtful = [];
    if (reply === GONE) return { kind: 'refused', error: adoptionError({ key, backend: NAME }) };
    const won = { keys: this.#keys, owner, from, ttlMs, fencingToken: BigInt(reply) };
    return { kind: 'granted', grant: new SimpleGrant(this.#store, won) };
  }

  #failure(attempt: DoubtfulAttempt): Failure {
    reportNode(this.#store, this.#keys.key, attempt.cause);
    const failure = failureOf(attempt.cause, { backend: NAME, key: this.#keys.key });
    if (failure.kind === 'unknown') this.#doubtful.push(attempt);
    return failure;
  }
}
