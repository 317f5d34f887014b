import type { Instant } from '@holdfast/core';

/** One statement of the recipe. Its name is the label under which a simulator can stall it, and by which it is told apart. */
export interface Statement {
  /** Short, of letters and `-`. */
  readonly name: string;
  /** SQL with `$1`, `$2`, …; every column of its result is text. It may be several statements. */
  readonly sql: string;
}

/** An argument of a statement. */
export type Argument = string | number;

/** A row of a result; every column is text or NULL. */
export type Row = Readonly<Record<string, string | null>>;

/** The rows of one transaction, in order, after it was committed. */
export interface Reply {
  /** Of all statements that have a result. */
  readonly rows: readonly Row[];
  /** Read right before the request left. */
  readonly sentAt: Instant;
}

/** The limit of one call. */
export interface CallOptions {
  /** A monotonic time; the call settles by then, and nothing is sent after it. */
  readonly deadlineMs: number;
}

/** A notification, or a gap, in which one may have been missed. */
export type ChannelEvent =
  | { readonly kind: 'message'; readonly payload: string }
  | { readonly kind: 'gap' };

/** A live subscription to the notifications of a channel. */
export interface Subscription {
  /** Ends it; the listener gets nothing more. */
  close(): void;
}

/** One connection of its own, through no pooler: what the server's process behind it locks, it holds until one of them ends. */
export interface DatabaseSession {
  /**
   * Runs one statement as `PostgresDatabase.run` does, with limits that end before the deadline. Settles only with the reply,
   * or with the end of the connection: never called again before. Rejects with a {@link DatabaseReplyError} or a
   * {@link DatabaseDoubt}.
   */
  run(statement: Statement, args: readonly Argument[], options: CallOptions): Promise<Reply>;
  /** Calls `listener` once the connection has ended, at once if it has. */
  onEnd(listener: () => void): void;
  /** Ends it at once, also while a reply is pending. */
  close(): void;
}

/** A PostgreSQL database, as recipes use it. */
export interface PostgresDatabase {
  /** Host, port and database, without credentials. */
  readonly address: string;
  /**
   * Runs one statement in a short transaction of its own: read committed, with limits for locks and for statements that
   * end before the deadline, and with a commit that waits for the disk, and for standbys where they are configured. Sends
   * no cancel, and sends nothing twice. Rejects with a {@link DatabaseReplyError}, a {@link DatabaseUnavailable} or a
   * {@link DatabaseDoubt}.
   */
  run(statement: Statement, args: readonly Argument[], options: CallOptions): Promise<Reply>;
  /**
   * Listens on a channel; live when resolved. Ends with the event `gap`. Rejects with a {@link PooledSession} if the
   * connection is shared with other clients, and otherwise as `run` does.
   */
  listen(
    channel: string,
    listener: (event: ChannelEvent) => void,
    options: CallOptions,
  ): Promise<Subscription>;
  /**
   * Opens a connection of its own; its owner closes it. Rejects with a {@link PooledSession} if the connection is shared with
   * other clients, and otherwise as `run` does.
   */
  openSession(options: CallOptions): Promise<DatabaseSession>;
  /** Ends all connections that it opened itself, but for sessions. */
  close(): Promise<void>;
}

/**
 * The server replied with an error: the transaction was not applied.
 * @example
 * ```ts
 * if (error instanceof DatabaseReplyError) log(error.code); // for example 55P03
 * ```
 */
export class DatabaseReplyError extends Error {
  override readonly name = 'DatabaseReplyError';
  /** The SQLSTATE, five characters. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Nothing was sent: no connection in time.
 * @example
 * ```ts
 * throw new DatabaseUnavailable('localhost:5432/orders: no connection by the deadline');
 * ```
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/**
 * The transaction may have been applied, or may be applied later: no reply came, or one that proves nothing.
 * @example
 * ```ts
 * throw new DatabaseDoubt('localhost:5432/orders: no reply by the deadline');
 * ```
 */
export class DatabaseDoubt extends Error {
  override readonly name = 'DatabaseDoubt';

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

/**
 * A pooler between client and server gives every transaction another session, so nothing can depend on the session.
 * @example
 * ```ts
 * if (error instanceof PooledSession) log('waiters have to poll');
 * ```
 */
export class PooledSession extends Error {
  override readonly name = 'PooledSession';
}
