import type { Host } from '@holdfast/core/backend';
import type { PostgresLibrary } from './adapters/load.ts';
import type { PostgresSource } from './adapters/open-database.ts';
import { operatorError } from './failures.ts';
import { creation, tablesOf } from './schema.ts';

/** The database that gets the tables, as {@link PostgresOptions} has it; the user must own it, or the schema. */
export interface CreateSchemaOptions {
  /** A URL, a pool of `pg`, or an instance of `postgres`. */
  readonly source: PostgresSource;
  /** Default `holdfast`. */
  readonly schema?: string | undefined;
  /** The client library for a URL. */
  readonly library?: PostgresLibrary | undefined;
  /** For a URL: options of `tls.connect`. */
  readonly tls?: object | undefined;
}

/** A table can be locked by others for a while, such as by a backup. */
const CREATE_MS = 10_000;

/**
 * Creates the tables of the locks, unless they exist, as the SQL of {@link migration} does. Never called by `openPostgres`:
 * a service should not have the rights for it.
 * @example
 * ```ts
 * await createSchema({ source: process.env['OWNER_URL'] ?? '' }, createHost());
 * ```
 * @throws BackendUnavailableError, ConfigError, InvalidOptionError; LockError if this user may not create them
 */
export async function createSchema(
  { source, schema, library, tls }: CreateSchemaOptions,
  { runtime }: Pick<Host, 'runtime'>,
): Promise<void> {
  const tables = tablesOf(schema);
  // Loaded here, so that nothing else needs Node.
  const { openDatabase } = await import('./adapters/open-database.ts');
  const database = await openDatabase(source, { runtime, library, tls, connections: 1 });
  const statement = { name: 'create-schema', sql: creation(tables) };
  try {
    await database.run(statement, [], { deadlineMs: runtime.now().monotonicMs + CREATE_MS });
  } catch (cause) {
    throw operatorError(cause, '');
  } finally {
    await database.close();
  }
}
