import type { PostgresDatabase } from '@holdfast/postgres/port';
import { DatabaseReplyError } from '@holdfast/postgres/port';
import type { BoundStatement, Dialer, Session, SessionReply } from '@holdfast/postgres/sessions';
import * as shipped from '@holdfast/postgres/sessions';
import type { Connection, ConnectionListener } from '../../../sim/net/connection.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import type { DatabaseClient } from '../../../sim/schedule/ports.ts';
import type { SimPostgresServer } from './server.ts';
import type { Message, MessageOutcome } from './server-session.ts';
import { parse } from './sql/parse.ts';

/** An address that clients connect to: one server, or a service that leads to the primary. */
export interface PostgresAddress {
  readonly name: string;
  /** The server to which a new connection of `process` leads. */
  serverFor(process: SimProcess): SimPostgresServer;
}

export interface SimDatabaseOptions {
  /** The limit of connections; default 4, as with the real adapters. */
  readonly connections?: number;
  /** The client code, if not what ships. */
  readonly client?: typeof shipped | undefined;
}

/**
 * The database port on a simulated process: the shipped pool, deadlines and listener, over simulated connections in place
 * of a client library's.
 */
export function simPostgresDatabase(
  process: SimProcess,
  address: PostgresAddress,
  network: Network,
  { connections = 4, client: { Database, SessionPool } = shipped }: SimDatabaseOptions = {},
): PostgresDatabase {
  const { runtime } = process;
  const dialer: Dialer = {
    address: address.name,
    dial: () => SimPostgresSession.dial(process, address, network),
  };
  const sessions = new SessionPool(dialer, runtime, connections);
  return new Database({ runtime, dialer, sessions });
}

/** Opens a client of the user's own. */
export async function simPostgresClient(
  process: SimProcess,
  address: PostgresAddress,
  network: Network,
): Promise<DatabaseClient> {
  const session = await SimPostgresSession.dial(process, address, network);
  return {
    query: (text, args) => session.send({ label: wordOf(text), statements: parse(text), args }),
    close: () => session.close(),
  };
}

/** As the real adapters: else a handshake that is lost would take one of the few connections for good. */
const CONNECT_MS = 5_000;

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
    address: PostgresAddress,
    network: Network,
  ): Promise<SimPostgresSession> {
    const session = new SimPostgresSession(process, address.serverFor(process), network);
    const cancel = process.runtime.timer(CONNECT_MS, () => session.close());
    try {
      await new Promise<void>((resolve, reject) => {
        session.#opening = { resolve, reject };
      });
    } finally {
      cancel();
    }
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

  run(text: string, bound?: BoundStatement): Promise<SessionReply> {
    return this.send(messageOf(text, bound));
  }

  send(message: Message): Promise<SessionReply> {
    if (this.#hasEnded) return Promise.reject(new Error('the connection has ended'));
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
      const replied = (outcome: MessageOutcome): void => {
        if (!('error' in outcome)) return resolve(outcome);
        reject(new DatabaseReplyError(outcome.error.code, outcome.error.message));
      };
      this.#connection.request(
        message.label,
        () => this.#server.serve(this.#connection, message, replied, this.#heard),
        () => message.args.join(' '),
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

  readonly #heard = (channel: string, payload: string): void => {
    for (const listener of this.#notified) listener(channel, payload);
  };
}

/**
 * What a server gets. The text has the arguments as literals, and begins with the limits of its transaction; the statement
 * itself is taken from `bound`, because it is the same every time.
 */
function messageOf(text: string, bound: BoundStatement | undefined): Message {
  if (bound === undefined) return { label: wordOf(text), statements: parse(text), args: [] };
  const { statement, args } = bound;
  const own = statement.sql.split(BETWEEN).length;
  const limits = text.split(BETWEEN).slice(0, -own);
  const statements = [...limits.flatMap(parse), ...parse(statement.sql)];
  return { label: statement.name, statements, args };
}

const BETWEEN = ';\n';

function wordOf(text: string): string {
  return text.split(' ', 1)[0] ?? '';
}
