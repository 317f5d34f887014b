import { connect, type Socket } from 'node:net';
import type { Dialer, Session, SessionReply } from '../database/session.ts';
import type { MakePostgresJs, PostgresJs, PostgresJsOptions } from './clients.ts';
import { clientError, rowOf, warningOf } from './errors.ts';

/** The limit of connecting, in seconds. */
const CONNECT_S = 5;

/**
 * Opens connections through `postgres`: an instance for each, of a single connection. Notices belong to an instance, and a
 * warning is doubt about the very transaction that it came with. Nothing is prepared, transformed or dialled again.
 */
export function postgresJsDialer(
  address: string,
  options: Partial<PostgresJsOptions>,
  make: MakePostgresJs,
): Dialer {
  return {
    address,
    async dial() {
      const session = new PostgresJsSession(options, make);
      try {
        await session.run('SELECT');
        return session;
      } catch (error) {
        session.close();
        throw error;
      }
    },
  };
}

class PostgresJsSession implements Session {
  readonly #sql: PostgresJs;
  readonly #notified = new Set<(channel: string, payload: string) => void>();
  readonly #ended = new Set<() => void>();
  #socket: Socket | undefined;
  #host: string | undefined;
  #warning: string | undefined;
  #hasEnded = false;

  constructor(options: Partial<PostgresJsOptions>, make: MakePostgresJs) {
    const { host, port, path, database, user, pass, ssl, connection } = options;
    const { target_session_attrs } = options;
    const target = {
      host,
      port,
      path,
      database,
      user,
      pass,
      ssl: this.#checked(ssl),
      connection,
      target_session_attrs,
    };
    let dialled = 0;
    this.#sql = make({
      ...withoutUndefined(target),
      max: 1,
      prepare: false,
      fetch_types: false,
      idle_timeout: 0,
      max_lifetime: 0,
      connect_timeout: CONNECT_S,
      onnotice: (notice: unknown) => {
        this.#warning = warningOf(notice) ?? this.#warning;
      },
      onnotify: (channel: string, payload: string) => {
        for (const listener of this.#notified) listener(channel, payload);
      },
      onclose: () => this.#onClose(),
      // Its own sockets would keep the process alive.
      socket: async (parsed: PostgresJsOptions) => {
        this.#host = hostOf(parsed, dialled);
        this.#socket = await opened(parsed, dialled++);
        return this.#socket;
      },
    });
  }

  async run(text: string): Promise<SessionReply> {
    // It would connect again, to another session.
    if (this.#hasEnded) throw new Error('the connection has ended');
    this.#warning = undefined;
    try {
      const result = await this.#sql.unsafe(text).simple();
      const rows = result.flatMap((each) => (Array.isArray(each) ? each : [each]));
      return { rows: rows.map(rowOf), warning: this.#warning };
    } catch (error) {
      throw clientError(error);
    }
  }

  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#notified.add(listener);
  }

  onEnd(listener: () => void): void {
    if (this.#hasEnded) listener();
    else this.#ended.add(listener);
  }

  close(): void {
    const end = (): void =>
      void Promise.resolve(this.#sql.end({ timeout: 0 })).catch(() => undefined);
    // Before its end the library would write a farewell, which fails under TLS, where nothing listens for the error.
    if (this.#socket === undefined) end();
    else this.#socket.once('close', end).destroy();
    this.#onClose();
  }

  /** Of an address without a name, the library would check the certificate against "localhost". */
  #checked(ssl: unknown): unknown {
    const isFull = ssl === true || ssl === 'verify-full';
    if (!isFull && (typeof ssl !== 'object' || ssl === null)) return ssl;
    const get = (): string | undefined => this.#host;
    return Object.defineProperty({ ...(isFull ? {} : ssl) }, 'host', { get, enumerable: true });
  }

  #onClose(): void {
    this.#hasEnded = true;
    for (const listener of this.#ended) listener();
    this.#ended.clear();
  }
}

function withoutUndefined(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function hostOf({ host }: PostgresJsOptions, nth: number): string {
  return host[nth % Math.max(1, host.length)] ?? 'localhost';
}

/** Connects to the hosts in turn. */
function opened(options: PostgresJsOptions, nth: number): Promise<Socket> {
  const { host, port, path } = options;
  return new Promise((done, fail) => {
    const at = nth % Math.max(1, host.length);
    const where =
      typeof path === 'string' ? { path } : { host: hostOf(options, nth), port: port[at] ?? 5432 };
    const socket = connect(where);
    socket.unref();
    socket.setNoDelay(true);
    socket.setKeepAlive(true, 1_000);
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      done(socket);
    });
  });
}
