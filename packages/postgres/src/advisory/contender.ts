import {
  type Attempt,
  type Contender,
  callDeadlineMs,
  ownerValue,
  type Withdrawal,
} from '@holdfast/core/backend';
import { failureOf, isDoubt, outcomeOf } from '../failures.ts';
import { DatabaseDoubt } from '../port.ts';
import { payloadOf } from '../store.ts';
import { AdvisoryGrant } from './grant.ts';
import { NAME } from './identity.ts';
import type { LockSession } from './lock-session.ts';
import type { AdvisoryStore } from './store.ts';

/** A session without a reply is ended after a ttl, and the server gives up on a silent client after another. */
const GONE_TTLS = 2;

export interface AdvisoryRequest {
  readonly key: string;
  readonly contender: string;
}

/** Tries to lock one key on the session of its process. */
export class AdvisoryContender implements Contender {
  readonly #store: AdvisoryStore;
  readonly #request: AdvisoryRequest;
  /** Sessions on which an attempt had no reply in time, and its latest deadline. */
  readonly #doubtful = new Map<LockSession, number>();
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
      if (from === undefined) return this.#busy();
      return { kind: 'granted', grant: new AdvisoryGrant(this.#store, session, hold, from) };
    } catch (cause) {
      if (session !== undefined && isDoubt(cause)) this.#doubtful.set(session, callEndMs);
      return this.#failure(cause);
    }
  }

  /** An attempt in doubt is undone by its session, once the reply is there. */
  async withdraw(): Promise<Withdrawal> {
    const { host, ttlMs } = this.#store;
    const deadlineMs = host.runtime.now().monotonicMs + callDeadlineMs(ttlMs);
    const undone = await Promise.all(
      Array.from(this.#doubtful.keys(), (session) =>
        session.settled(deadlineMs).then(
          () => !session.isOver,
          () => false,
        ),
      ),
    );
    return undone.every(Boolean)
      ? { kind: 'clean' }
      : { kind: 'unknown', untilMs: GONE_TTLS * ttlMs };
  }

  /** The server may not have noticed yet that a session has ended, which may have locked for an earlier attempt. */
  #busy(): Attempt {
    const { host, ttlMs, database } = this.#store;
    for (const [session, endMs] of this.#doubtful) {
      const isGone = host.runtime.now().monotonicMs > endMs + GONE_TTLS * ttlMs;
      if (session.isOver && !isGone) {
        const message = `${database.address}: locked, maybe by an attempt whose reply was lost`;
        return { kind: 'unknown', cause: new DatabaseDoubt(message) };
      }
    }
    return { kind: 'busy' };
  }

  #failure(cause: unknown): Attempt {
    const { host, database } = this.#store;
    const { key } = this.#request;
    const outcome = outcomeOf(cause);
    host.emit({ type: 'node', backend: NAME, node: database.address, outcome, key, cause });
    return failureOf(cause, key, NAME);
  }
}
