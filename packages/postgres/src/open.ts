import { type Backend, checkNamespace, type Host } from '@holdfast/core/backend';
import { Postgres } from './backend.ts';
import { checkServer } from './check.ts';
import { NAME } from './identity.ts';
import { Batches } from './modes/batches.ts';
import { Places } from './modes/places.ts';
import { modeStatementsOf } from './modes/statements.ts';
import { Turns } from './modes/turns.ts';
import { PendingReleases } from './pending-releases.ts';
import { tablesOf } from './schema.ts';
import { databaseOf, type SourceOptions } from './source.ts';
import { statementsOf } from './statements.ts';
import type { Store } from './store.ts';
import { Releases } from './wake-up.ts';

/** The database that keeps the locks, and how to reach it. Set exactly one of `source` and `database`. */
export interface PostgresOptions extends SourceOptions {
  /** The schema of the tables; default `holdfast`. */
  readonly schema?: string | undefined;
  /** Kept with every key; default `holdfast`. Locks of two namespaces are independent. */
  readonly namespace?: string | undefined;
  /**
   * True: a grant or renewal counts only while the server has synchronous standbys, and once one of them has it. Then
   * fencing is strict, and a failover to such a standby loses no lock. Default false.
   */
  readonly synchronous?: boolean | undefined;
}

/**
 * Opens locks that are rows of a table, with fencing tokens, in the database that may hold the protected data as well: then
 * {@link within} lets your own transaction commit only while the lease is held. Create the tables first, by `createSchema`.
 * Opening succeeds without a reachable server: a service may start before it, and every attempt reports it.
 * @example
 * ```ts
 * const host = createHost({ label: 'billing' });
 * const backend = await openPostgres({ source: 'postgres://localhost/app' }, host);
 * const locks = createLocks(backend, host, { ttlMs: 10_000 });
 * ```
 * @throws ConfigError, InvalidOptionError: before anything connects, or because the server cannot keep locks
 */
export async function openPostgres(options: PostgresOptions, host: Host): Promise<Backend> {
  const { schema, namespace = 'holdfast', synchronous = false } = options;
  checkNamespace(namespace, NAME);
  const tables = tablesOf(schema);
  const { database, ownsDatabase } = await databaseOf(options, host, NAME);
  const modes = modeStatementsOf(tables, synchronous);
  const releases = new Releases(database, host);
  const turns = new Turns(host.runtime);
  const store: Store = {
    database,
    host,
    statements: statementsOf(tables, synchronous),
    modes,
    places: new Places({ database, host, modes, namespace, releases }),
    turns,
    batches: new Batches(host.runtime, turns),
    namespace,
    pendingReleases: new PendingReleases(host.runtime),
    releases,
    isSynchronous: synchronous,
  };
  try {
    await checkServer(store, tables);
    return new Postgres(store, ownsDatabase);
  } catch (error) {
    if (ownsDatabase) await database.close();
    throw error;
  }
}
