import {
  callDeadlineMs,
  type Grant,
  type Instant,
  type Release,
  type Renewal,
  type Validity,
  validityMs,
} from '@holdfast/core/backend';
import { PooledSession } from '../port.ts';
import type { LockSession, SessionHold } from './lock-session.ts';
import type { AdvisoryStore } from './store.ts';

/** One hold of a session. It is over at once when the session ends, whatever its validity. */
export class AdvisoryGrant implements Grant {
  readonly owner: string;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly #store: AdvisoryStore;
  readonly #session: LockSession;
  readonly #hold: SessionHold;

  constructor(store: AdvisoryStore, session: LockSession, hold: SessionHold, from: Instant) {
    this.owner = hold.owner;
    this.leaseMs = store.ttlMs;
    this.validity = { from, ms: validityMs(store.ttlMs) };
    this.#store = store;
    this.#session = session;
    this.#hold = hold;
  }

  /** Proves that the session lives; all its leases have one ttl, whatever `ttlMs`. */
  async renew(_ttlMs: number): Promise<Renewal> {
    if (this.#session.isOver) return { kind: 'lost' };
    try {
      const from = await this.#session.prove(this.#deadlineMs());
      return { kind: 'renewed', validity: { from, ms: validityMs(this.leaseMs) } };
    } catch (cause) {
      if (this.#session.isOver || cause instanceof PooledSession) return { kind: 'lost' };
      return { kind: 'unknown', cause };
    }
  }

  async release(): Promise<Release> {
    if (this.#session.isOver) return { kind: 'not-held' };
    try {
      const wasHeld = await this.#session.release(this.#hold, this.#deadlineMs());
      return { kind: wasHeld ? 'released' : 'not-held' };
    } catch (cause) {
      // It continues until the reply, or until the session has ended.
      return { kind: 'unknown', cause };
    }
  }

  onLost(listener: () => void): () => void {
    return this.#session.onEnd(listener);
  }

  #deadlineMs(): number {
    return this.#store.host.runtime.now().monotonicMs + callDeadlineMs(this.leaseMs);
  }
}
