import type { Runtime } from '@holdfast/core';
import { byDeadline } from '../database/deadline.ts';
import type { Dialer, Session, SessionSource } from '../database/session.ts';
import { DatabaseUnavailable } from '../port.ts';
import type { PgClient, PgPool, PgPoolClient } from './clients.ts';
import { clientError } from './errors.ts';
import { PgSession } from './pg-session.ts';

/** Opens connections of their own through `pg`, each from a new client. */
export function pgDialer(address: string, newClient: () => PgClient): Dialer {
  return {
    address,
    async dial() {
      const client = newClient();
      const end = (): void => void Promise.resolve(client.end()).catch(() => undefined);
      const session = new PgSession(client, end);
      try {
        await client.connect();
        client.unref?.();
        return session;
      } catch (error) {
        end();
        throw clientError(error);
      }
    },
  };
}

/** Takes connections from a pool of the user, for one transaction each, and leaves the pool open. */
export class PgPoolSource implements SessionSource {
  readonly #pool: PgPool;
  readonly #runtime: Runtime;
  readonly #address: string;
  readonly #taken = new Map<
    Session,
    { readonly client: PgPoolClient; readonly session: PgSession }
  >();

  constructor(pool: PgPool, runtime: Runtime, address: string) {
    this.#pool = pool;
    this.#runtime = runtime;
    this.#address = address;
  }

  /** The pool has a queue without end, and no way to leave it: a connection that comes late is given back unused. */
  async take(deadlineMs: number): Promise<Session> {
    const client = await byDeadline(this.#runtime, deadlineMs, this.#connect(), {
      error: () =>
        new DatabaseUnavailable(`${this.#address}: no connection of the pool by the deadline`),
      onLate: (late) => late.release(),
    });
    const session = new PgSession(client, () => undefined);
    this.#taken.set(session, { client, session });
    return session;
  }

  give(session: Session, isUsable: boolean): void {
    const taken = this.#taken.get(session);
    if (taken === undefined) return;
    this.#taken.delete(session);
    // The pool listens itself from here on.
    taken.client.release(!isUsable);
    taken.session.leave();
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  async #connect(): Promise<PgPoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw clientError(error);
    }
  }
}
