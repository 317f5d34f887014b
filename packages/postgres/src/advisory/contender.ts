import {
  type Attempt,
  type Contender,
  callDeadlineMs,
  ownerValue,
  type Withdrawal,
} from '@holdfast/core/backend';
import { failureOf, outcomeOf } from '../failures.ts';
import { payloadOf } from '../store.ts';
import { AdvisoryGrant } from './grant.ts';
import { NAME } from './identity.ts';
import type { LockSession } from './lock-session.ts';
import type { AdvisoryStore } from './store.ts';

export interface AdvisoryRequest {
  readonly key: string;
  readonly contender: string;
}

/** Tries to lock one key on the session of its process. */
export class AdvisoryContender implements Contender {
  readonly #store: AdvisoryStore;
  readonly #request: AdvisoryRequest;
  /** Sessions on which an attempt had no reply in time. */
  readonly #doubtful = new Set<LockSession>();
  #n = 0;

  constructor(store: AdvisoryStore, request: AdvisoryRequest) {
    this.#store = store;
    this.#request = request;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    const { host, ttlMs, sessions } = this.#store;
    const { key, contender } = this.#request;
    this.#n += 1;
    const owner = ownerValue({ contender, n: this.#n, label: host.label });
    const hold = { name: payloadOf(this.#store, key), owner };
    const callEndMs = Math.min(deadlineMs, host.runtime.now().monotonicMs + callDeadlineMs(ttlMs));
    let session: LockSession | undefined;
    try {
      session = await sessions.current(callEndMs);
      const from = await session.acquire(hold, callEndMs);
      if (from === undefined) return { kind: 'busy' };
      return { kind: 'granted', grant: new AdvisoryGrant(this.#store, session, hold, from) };
    } catch (cause) {
      return this.#failure(cause, session);
    }
  }

  /** An attempt in doubt is undone by its session, once the reply is there. */
  async withdraw(): Promise<Withdrawal> {
    const { host, ttlMs } = this.#store;
    const deadlineMs = host.runtime.now().monotonicMs + callDeadlineMs(ttlMs);
    const undone = await Promise.all(
      Array.from(this.#doubtful, (session) =>
        session.settled(deadlineMs).then(
          () => !session.isOver,
          () => false,
        ),
      ),
    );
    // A session without a reply is ended after a ttl, and the server gives up on a silent client after another.
    return undone.every(Boolean) ? { kind: 'clean' } : { kind: 'unknown', untilMs: 2 * ttlMs };
  }

  #failure(cause: unknown, session: LockSession | undefined): Attempt {
    const { host, database } = this.#store;
    const { key } = this.#request;
    const outcome = outcomeOf(cause);
    host.emit({ type: 'node', backend: NAME, node: database.address, outcome, key, cause });
    const failure = failureOf(cause, key, NAME);
    if (failure.kind === 'unknown' && session !== undefined) this.#doubtful.add(session);
    return failure;
  }
}
