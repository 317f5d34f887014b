import type { Host } from '@holdfast/core/backend';
import { callDeadlineMs } from '@holdfast/core/backend';
import { byDeadline } from '../database/deadline.ts';
import { DatabaseUnavailable, PooledSession, type PostgresDatabase } from '../port.ts';
import { LockSession } from './lock-session.ts';
import { OPEN } from './statements.ts';

/** The share of a ttl between two probes of a silent client. */
const PROBE_SHARE = 1 / 3;

export interface SessionsParts {
  readonly database: PostgresDatabase;
  readonly host: Host;
  readonly ttlMs: number;
}

/** The session of a process: one at a time, opened when it is needed, and again after it ended. */
export class Sessions {
  readonly #parts: SessionsParts;
  #opening: Promise<LockSession> | undefined;
  #session: LockSession | undefined;
  #isClosed = false;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  /** Returns the session, by the deadline. Rejects with a DatabaseUnavailable, DatabaseReplyError or PooledSession. */
  async current(deadlineMs: number): Promise<LockSession> {
    if (this.#session?.isOver === false) return this.#session;
    const { host, database } = this.#parts;
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return byDeadline(host.runtime, deadlineMs, this.#opening, {
      error: () => new DatabaseUnavailable(`${database.address}: no session by the deadline`),
    });
  }

  /** Ends the session, and frees all its locks; after `keepMs`, if some are still in use. */
  close(keepMs?: number): void {
    this.#isClosed = true;
    if (keepMs === undefined) this.#session?.close();
    else this.#parts.host.runtime.timer(keepMs, () => this.#session?.close());
  }

  async #open(): Promise<LockSession> {
    const { database, host, ttlMs } = this.#parts;
    const { runtime, label } = host;
    const deadlineMs = runtime.now().monotonicMs + callDeadlineMs(undefined);
    const session = await database.openSession({ deadlineMs });
    try {
      const mark = runtime.randomId();
      const probeS = Math.ceil((ttlMs / 1_000) * PROBE_SHARE);
      const args = [mark, label, `${probeS}`, `${ttlMs}`];
      const { rows } = await byDeadline(
        runtime,
        deadlineMs,
        session.run(OPEN, args, { deadlineMs }),
        { error: () => new DatabaseUnavailable(`${database.address}: no session in time`) },
      );
      if (this.#isClosed)
        throw new DatabaseUnavailable(`${database.address}: the backend is closed`);
      if (rows[0]?.['mark'] !== mark)
        throw new PooledSession(`${database.address}: another client has marked the session`);
      this.#session = new LockSession({ session, mark, address: database.address, host, ttlMs });
      return this.#session;
    } catch (cause) {
      session.close();
      throw cause;
    }
  }
}
