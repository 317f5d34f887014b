import { ConfigError } from '@holdfast/core';
import {
  type Backend,
  callDeadlineMs,
  checkNamespace,
  checkTtl,
  type Host,
  TTL_MS_DEFAULT,
} from '@holdfast/core/backend';
import { failureOf, messageOf } from '../failures.ts';
import { databaseOf, type SourceOptions } from '../source.ts';
import { PostgresAdvisory } from './backend.ts';
import { NAME } from './identity.ts';
import { Sessions } from './sessions.ts';

/** The database whose sessions hold the locks, and how to reach it. Set exactly one of `source` and `database`. */
export interface PostgresAdvisoryOptions extends Omit<SourceOptions, 'connections'> {
  /** Part of every lock's name; default `holdfast`. Locks of two namespaces are independent. */
  readonly namespace?: string | undefined;
  /** How long a holder relies on a session that does not reply, in ms: 100 to 86 400 000, default 30 000. */
  readonly ttlMs?: number | undefined;
}

/** A session is opened and checked beside one more connection. */
const CONNECTIONS = 1;

/**
 * Opens advisory locks: they belong to one session of the server, and need no table. The server frees them at once when the
 * session ends, before the holder knows; they have no fencing token, and no standby knows them. {@link openPostgres} is safer.
 * Opening succeeds without a reachable server, and every attempt reports it.
 * @example
 * ```ts
 * const host = createHost({ label: 'billing' });
 * const backend = await openPostgresAdvisory({ source: 'postgres://localhost/app' }, host);
 * const locks = createLocks(backend, host);
 * ```
 * @throws ConfigError, InvalidOptionError: before anything connects, or because a pooler shares the connection
 */
export async function openPostgresAdvisory(
  { namespace = 'holdfast', ttlMs = TTL_MS_DEFAULT, ...options }: PostgresAdvisoryOptions,
  host: Host,
): Promise<Backend> {
  checkNamespace(namespace, NAME);
  checkTtl(ttlMs, '', NAME);
  const where = { ...options, ...(options.database === undefined && { connections: CONNECTIONS }) };
  const { database, ownsDatabase } = await databaseOf(where, host, NAME);
  const sessions = new Sessions({ database, host, ttlMs });
  try {
    await checkSession(sessions, host);
    return new PostgresAdvisory({ database, host, namespace, ttlMs, sessions }, ownsDatabase);
  } catch (error) {
    sessions.close();
    if (ownsDatabase) await database.close();
    throw error;
  }
}

/** @throws ConfigError if the server can be reached, and cannot keep locks of a session */
async function checkSession(sessions: Sessions, host: Host): Promise<void> {
  try {
    await sessions.current(host.runtime.now().monotonicMs + callDeadlineMs(undefined));
  } catch (cause) {
    const failure = failureOf(cause, '', NAME);
    if (failure.kind === 'refused')
      throw new ConfigError(`${NAME}: ${messageOf(cause)}`, { backend: NAME, cause });
    const message = `${NAME}: the server could not be checked yet: ${messageOf(cause)}`;
    host.emit({ type: 'warning', backend: NAME, code: 'unchecked-server', message, cause });
  }
}
