import type { Runtime } from '@holdfast/core';
import {
  type Argument,
  type CallOptions,
  type ChannelEvent,
  DatabaseDoubt,
  DatabaseReplyError,
  type DatabaseSession,
  DatabaseUnavailable,
  type PostgresDatabase,
  type Reply,
  type Statement,
  type Subscription,
} from '../port.ts';
import { byDeadline } from './deadline.ts';
import { DedicatedSession } from './dedicated-session.ts';
import { awaitLateReply } from './in-doubt.ts';
import { ChannelListener } from './listener.ts';
import { leavesUsable, sentError } from './outcome.ts';
import { dialBy, rejectPooled } from './own-connection.ts';
import type { BoundStatement, Dialer, Session, SessionReply, SessionSource } from './session.ts';
import { transactionText } from './transaction.ts';

/** What a {@link Database} is made of. */
export interface DatabaseParts {
  /** That of the host. */
  readonly runtime: Runtime;
  /** The connections for transactions; closed with the database. */
  readonly sessions: SessionSource;
  /** Opens the connection that listens. */
  readonly dialer: Dialer;
}

/** Asks which of the server's processes serves a session. */
const SERVER_PROCESS: Statement = {
  name: 'server-process',
  sql: 'SELECT pg_backend_pid()::text AS pid',
};

/**
 * A database over connections of a client library: deadlines, doubt, and one connection that listens.
 * @example
 * ```ts
 * const sessions = new SessionPool(pgDialer, host.runtime, 4);
 * const database = new Database({ runtime: host.runtime, sessions, dialer: pgDialer });
 * const opened = await openPostgres({ database }, host);
 * ```
 */
export class Database implements PostgresDatabase {
  readonly address: string;
  readonly #runtime: Runtime;
  readonly #sessions: SessionSource;
  readonly #dialer: Dialer;
  readonly #listener: ChannelListener;

  constructor({ runtime, sessions, dialer }: DatabaseParts) {
    this.address = dialer.address;
    this.#runtime = runtime;
    this.#sessions = sessions;
    this.#dialer = dialer;
    this.#listener = new ChannelListener(dialer, runtime, (options) =>
      this.#serverProcess(options),
    );
  }

  async run(
    statement: Statement,
    args: readonly Argument[],
    { deadlineMs }: CallOptions,
  ): Promise<Reply> {
    const session = await this.#take(deadlineMs);
    const sentAt = this.#runtime.now();
    const leftMs = deadlineMs - sentAt.monotonicMs;
    if (leftMs <= 0) {
      this.#sessions.give(session, true);
      throw new DatabaseUnavailable(`${this.address}: no connection by the deadline`);
    }
    const { rows, warning } = await this.#send(
      session,
      { statement, args },
      transactionText(statement, args, leftMs),
      deadlineMs,
    );
    if (warning !== undefined)
      throw new DatabaseDoubt(`${this.address}: ${statement.name} succeeded with: ${warning}`);
    return { rows, sentAt };
  }

  listen(
    channel: string,
    listener: (event: ChannelEvent) => void,
    options: CallOptions,
  ): Promise<Subscription> {
    return this.#listener.listen(channel, listener, options);
  }

  async openSession({ deadlineMs }: CallOptions): Promise<DatabaseSession> {
    const session = await this.#connect(() =>
      dialBy(this.#dialer, this.#runtime, deadlineMs, 'no connection by the deadline'),
    );
    const checked = rejectPooled(session, this.address, () => this.#serverProcess({ deadlineMs }));
    try {
      await byDeadline(this.#runtime, deadlineMs, checked, {
        error: () => new DatabaseUnavailable(`${this.address}: no session by the deadline`),
      });
      return new DedicatedSession(session, this.#runtime, this.address);
    } catch (cause) {
      session.close();
      throw cause;
    }
  }

  async close(): Promise<void> {
    this.#listener.close();
    await this.#sessions.close();
  }

  #take(deadlineMs: number): Promise<Session> {
    return this.#connect(() => this.#sessions.take(deadlineMs));
  }

  async #connect(open: () => Promise<Session>): Promise<Session> {
    try {
      return await open();
    } catch (cause) {
      if (cause instanceof DatabaseUnavailable || cause instanceof DatabaseReplyError) throw cause;
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new DatabaseUnavailable(`${this.address}: cannot connect: ${why}`, cause);
    }
  }

  /** Sends no cancel if no reply comes: it could turn a commit that waits for standbys into a success that is none. */
  async #send(
    session: Session,
    bound: BoundStatement,
    text: string,
    deadlineMs: number,
  ): Promise<SessionReply> {
    const { address } = this;
    const running = session.run(text, bound);
    try {
      const reply = await byDeadline(this.#runtime, deadlineMs, running, {
        error: () => new DatabaseDoubt(`${address}: no reply by the deadline`),
      });
      this.#sessions.give(session, true);
      return reply;
    } catch (cause) {
      if (cause instanceof DatabaseDoubt) {
        awaitLateReply(this.#runtime, running, address, (isUsable) =>
          this.#sessions.give(session, isUsable),
        );
        throw cause;
      }
      const error = sentError(cause, address);
      this.#sessions.give(session, leavesUsable(error));
      throw error;
    }
  }

  /** The server's process that serves a connection of the pool now. */
  async #serverProcess({ deadlineMs }: CallOptions): Promise<string> {
    const { rows } = await this.run(SERVER_PROCESS, [], { deadlineMs });
    return rows[0]?.['pid'] ?? '';
  }
}
