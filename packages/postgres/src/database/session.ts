import type { Argument, Row, Statement } from '../port.ts';

/** The reply to one message of statements. */
export interface SessionReply {
  /** Of all statements that have a result, in order. */
  readonly rows: readonly Row[];
  /** The latest warning that came with it: a commit that was interrupted while it waited for standbys succeeds with one. */
  readonly warning?: string | undefined;
}

/** The statement that a text was made of. */
export interface BoundStatement {
  /** With `$1`, `$2`, … */
  readonly statement: Statement;
  /** What stands for them. */
  readonly args: readonly Argument[];
}

/** One connection to a server, through a client library. */
export interface Session {
  /**
   * Sends statements as one message, which the server runs as one transaction; never called again before the reply.
   * Rejects with a DatabaseReplyError if the server replied with an error, else with the error of the connection. `bound` is
   * what the text says, for a simulated server; absent for what a connection asks for itself.
   */
  run(text: string, bound?: BoundStatement): Promise<SessionReply>;
  /** Calls `listener` for each notification. */
  onNotification(listener: (channel: string, payload: string) => void): void;
  /** Calls `listener` once the connection has ended, at once if it has. */
  onEnd(listener: () => void): void;
  /** Ends it at once, also while a reply is pending. Sends no cancel. */
  close(): void;
}

/** Opens connections with one configuration. */
export interface Dialer {
  /** Host, port and database, without credentials. */
  readonly address: string;
  /**
   * Opens one, which keeps no process alive. Rejects with a DatabaseReplyError if the server refused it, else with the
   * error of the connection.
   */
  dial(): Promise<Session>;
}

/** Hands out connections, each to one caller at a time. */
export interface SessionSource {
  /** Rejects with a DatabaseUnavailable, or with the error of `dial`; by the deadline, in monotonic ms. */
  take(deadlineMs: number): Promise<Session>;
  /** Takes one back. A connection that may still have work to do is ended. */
  give(session: Session, isUsable: boolean): void;
  /** Ends those that it opened. */
  close(): Promise<void>;
}
