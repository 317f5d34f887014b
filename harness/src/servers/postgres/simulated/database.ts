import type { PostgresDatabase } from '@holdfast/postgres/port';
import {
  type Call,
  Database,
  type Dialer,
  type Session,
  SessionPool,
  type SessionReply,
} from '@holdfast/postgres/sessions';
import type { Connection, ConnectionListener } from '../../../sim/net/connection.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { SimUnsupportedError } from '../../redis/simulated/reply.ts';
import type { SimPostgresServer } from './server.ts';

export interface SimDatabaseOptions {
  /** The limit of connections; default 4, as with the real adapters. */
  readonly connections?: number;
}

/**
 * The database port on a simulated process: the shipped pool, deadlines and listener, over simulated connections in place
 * of a client library's.
 */
export function simPostgresDatabase(
  process: SimProcess,
  server: SimPostgresServer,
  network: Network,
  { connections = 4 }: SimDatabaseOptions = {},
): PostgresDatabase {
  const { runtime } = process;
  const dialer: Dialer = {
    address: server.name,
    dial: () => SimPostgresSession.dial(process, server, network),
  };
  const sessions = new SessionPool(dialer, runtime, connections);
  return new Database({ runtime, dialer, sessions });
}

interface Pending {
  readonly resolve: (reply: SessionReply) => void;
  readonly reject: (cause: Error) => void;
}

/** One simulated connection to a simulated server. */
class SimPostgresSession implements Session, ConnectionListener {
  readonly #server: SimPostgresServer;
  readonly #connection: Connection;
  readonly #notified = new Set<(channel: string, payload: string) => void>();
  readonly #ended = new Set<() => void>();
  #opening: { readonly resolve: () => void; readonly reject: (cause: Error) => void } | undefined;
  #pending: Pending | undefined;
  #hasEnded = false;

  private constructor(process: SimProcess, server: SimPostgresServer, network: Network) {
    this.#server = server;
    this.#connection = network.connect(process, server, this);
  }

  static async dial(
    process: SimProcess,
    server: SimPostgresServer,
    network: Network,
  ): Promise<Session> {
    const session = new SimPostgresSession(process, server, network);
    await new Promise<void>((resolve, reject) => {
      session.#opening = { resolve, reject };
    });
    return session;
  }

  ready(): void {
    this.#opening?.resolve();
  }

  closed(cause: Error): void {
    this.#hasEnded = true;
    this.#opening?.reject(cause);
    this.#pending?.reject(cause);
    for (const listener of this.#ended) listener();
  }

  run(text: string, call: Call | undefined = ownCall(text)): Promise<SessionReply> {
    if (this.#hasEnded) return Promise.reject(new Error('the connection has ended'));
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      const channel = /^LISTEN (\w+)$/.exec(text)?.[1];
      if (channel !== undefined) return this.#listen(channel, resolve);
      this.#connection.request(
        call.statement.name,
        () => this.#server.serve(this.#connection, call, (rows) => resolve({ rows })),
        () => call.args.join(' '),
      );
    });
  }

  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#notified.add(listener);
  }

  onEnd(listener: () => void): void {
    if (this.#hasEnded) listener();
    else this.#ended.add(listener);
  }

  close(): void {
    if (this.#hasEnded) return;
    this.#connection.close();
    this.closed(new Error('the connection was closed'));
  }

  #listen(channel: string, resolve: (reply: SessionReply) => void): void {
    const heard = (name: string, payload: string): void => {
      for (const listener of this.#notified) listener(name, payload);
    };
    this.#connection.request('LISTEN', () =>
      this.#server.listen(this.#connection, channel, heard, () => resolve({ rows: [] })),
    );
  }
}

/** What a connection asks for itself, without a statement of the recipe. */
function ownCall(text: string): Call {
  const name = text.includes('pg_backend_pid()') ? 'server-process' : 'health';
  if (name === 'health' && !/^(?:SELECT|LISTEN \w+)$/.test(text))
    throw new SimUnsupportedError(`the statement ${text}`);
  return { statement: { name, sql: text }, args: [] };
}
