import { ConfigError, InvalidOptionError } from '@holdfast/core';
import type { Host } from '@holdfast/core/backend';
import type { DatabaseOptions, PostgresSource } from './adapters/open-database.ts';
import type { PostgresDatabase } from './port.ts';

/** A database, and how to reach it. Set exactly one of `source` and `database`. */
export interface SourceOptions extends Omit<DatabaseOptions, 'runtime'> {
  /**
   * A URL; a pool of `pg`, whose connections are used and which stays open; or an instance of `postgres`, used for its
   * configuration. A connection that listens, or that holds locks, is its own in all cases.
   */
  readonly source?: PostgresSource | undefined;
  /** A database that is already open. Its owner closes it. */
  readonly database?: PostgresDatabase | undefined;
}

/** More would be a mistake: a server has a hundred by default. */
const CONNECTIONS_MAX = 100;

/** Opens the database of a backend, unless it is open. @throws ConfigError, InvalidOptionError before anything connects */
export async function databaseOf(
  { source, database, library, tls, connections }: SourceOptions,
  { runtime }: Pick<Host, 'runtime'>,
  backend: string,
): Promise<{ readonly database: PostgresDatabase; readonly ownsDatabase: boolean }> {
  checkConnections(connections, backend);
  if (database !== undefined && source === undefined) return { database, ownsDatabase: false };
  if (database !== undefined || source === undefined)
    throw new ConfigError(`${backend}: set either source or database`, { backend });
  const { openDatabase } = await import('./adapters/open-database.ts');
  const opened = await openDatabase(source, { runtime, library, tls, connections });
  return { database: opened, ownsDatabase: true };
}

function checkConnections(value: number | undefined, backend: string): void {
  if (value === undefined) return;
  if (Number.isInteger(value) && value >= 1 && value <= CONNECTIONS_MAX) return;
  const message = `connections must be a whole number from 1 to ${CONNECTIONS_MAX}`;
  throw new InvalidOptionError(message, { backend });
}
