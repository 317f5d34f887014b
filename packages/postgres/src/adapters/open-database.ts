import { ConfigError, type Runtime } from '@holdfast/core';
import { Database } from '../database/database.ts';
import type { Dialer } from '../database/session.ts';
import { SessionPool } from '../database/session-pool.ts';
import { NAME } from '../identity.ts';
import type { PostgresDatabase } from '../port.ts';
import { clientClassOf, isPgPool, isPostgresJs, type PgPool, type PostgresJs } from './clients.ts';
import { loadLibrary, type PostgresLibrary } from './load.ts';
import { PgPoolSource, pgDialer } from './pg.ts';
import { postgresJsDialer } from './postgres-js.ts';
import { addressOf } from './url.ts';

/** A URL; a pool of `pg`, whose connections are used; or an instance of `postgres`, whose configuration is used. */
export type PostgresSource = string | PgPool | PostgresJs;

export interface DatabaseOptions {
  readonly runtime: Runtime;
  /** The client library for a URL. Default: the installed one, `pg` first. */
  readonly library?: PostgresLibrary | undefined;
  /** For a URL: uses TLS with these options of `tls.connect`. */
  readonly tls?: object | undefined;
  /** The limit of connections, without the one that listens. A pool of `pg` has its own limit. */
  readonly connections?: number | undefined;
}

/** As many as one process needs that does little else than to lock. */
const CONNECTIONS_DEFAULT = 4;
const CONNECT_MS = 5_000;

/** Opens a database; connects with the first call. @throws ConfigError for a source that is none, or a missing library */
export async function openDatabase(
  source: PostgresSource,
  options: DatabaseOptions,
): Promise<PostgresDatabase> {
  const { runtime, connections = CONNECTIONS_DEFAULT } = options;
  if (isPgPool(source)) {
    const Client = clientClassOf(source);
    const config = withConnectLimit(source.options);
    const dialer = pgDialer(addressOf(config), () => new Client(config));
    const sessions = new PgPoolSource(source, runtime, dialer.address);
    return new Database({ runtime, dialer, sessions });
  }
  const dialer = await dialerOf(source, options);
  return new Database({ runtime, dialer, sessions: new SessionPool(dialer, runtime, connections) });
}

/** A pool has no limit by default: each try to listen on a silent host would leave a connection. Its password is not enumerable. */
function withConnectLimit(options: object): object {
  const limit: unknown = Reflect.get(options, 'connectionTimeoutMillis');
  if (typeof limit === 'number' && limit > 0) return options;
  const copy: object = Object.defineProperties({}, Object.getOwnPropertyDescriptors(options));
  return Object.defineProperty(copy, 'connectionTimeoutMillis', {
    value: CONNECT_MS,
    enumerable: true,
  });
}

async function dialerOf(
  source: string | PostgresJs,
  { library, tls }: DatabaseOptions,
): Promise<Dialer> {
  if (isPostgresJs(source)) {
    const loaded = await loadLibrary('postgres');
    if (loaded.library !== 'postgres') throw new TypeError('another library was loaded');
    const { options } = source;
    return postgresJsDialer(addressOf(options), options, loaded.make);
  }
  if (typeof source !== 'string') {
    const message = `${NAME}: the source is neither a URL, a pool of pg, nor an instance of postgres`;
    throw new ConfigError(message, { backend: NAME });
  }
  const address = addressOf(source);
  const loaded = await loadLibrary(library);
  if (loaded.library === 'pg') {
    const options = {
      connectionString: source,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      ...(tls === undefined ? {} : { ssl: tls }),
    };
    return pgDialer(address, () => new loaded.Client(options));
  }
  const { make } = loaded;
  // Never connects: only its parsed options are used.
  const parsed = make(source, tls === undefined ? {} : { ssl: tls });
  return postgresJsDialer(address, parsed.options, make);
}
