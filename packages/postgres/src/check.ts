import { ConfigError } from '@holdfast/core';
import { callDeadlineMs } from '@holdfast/core/backend';
import { failureOf, isSchemaMissing, messageOf } from './failures.ts';
import { NAME } from './identity.ts';
import type { Row, Statement } from './port.ts';
import type { Tables } from './schema.ts';
import type { Store } from './store.ts';

/** `pg_current_xact_id_if_assigned` and the limits of several statements in one message. */
const VERSION_MIN = 130_000;

const CHECK: Statement = {
  name: 'check',
  sql: `SELECT current_setting('server_version_num') AS version,
  pg_is_in_recovery()::text AS is_standby,
  (current_setting('synchronous_standby_names') <> '')::text AS is_synchronous,
  (current_setting('fsync') = 'on')::text AS is_durable,
  (has_table_privilege($1::regclass, 'SELECT') AND has_table_privilege($1::regclass, 'INSERT')
    AND has_table_privilege($1::regclass, 'UPDATE'))::text AS may_lock,
  (has_table_privilege($2::regclass, 'SELECT') AND has_table_privilege($2::regclass, 'INSERT'))::text AS may_mark,
  EXISTS (SELECT FROM pg_index WHERE indrelid = $1::regclass AND indisunique AND indisvalid AND indpred IS NULL
    AND EXISTS (SELECT FROM pg_attribute WHERE attrelid = indrelid AND attname = 'token' AND attnum = ANY (indkey)))::text AS has_index`,
};

/**
 * Checks once that the server can keep locks. A server that is down can be opened: every attempt reports it.
 * @throws ConfigError if it cannot keep locks
 */
export async function checkServer(store: Store, { locks, marks }: Tables): Promise<void> {
  const { database, host } = store;
  const deadlineMs = host.runtime.now().monotonicMs + callDeadlineMs(undefined);
  let row: Row | undefined;
  try {
    const { rows } = await database.run(CHECK, [locks, marks], { deadlineMs });
    row = rows[0];
  } catch (cause) {
    const failure = failureOf(cause, '');
    const why = `${database.address}: ${messageOf(cause)}`;
    if (failure.kind === 'refused') throw configError(`${why}${hint(cause)}`, cause);
    const message = `${NAME}: the server could not be checked yet: ${why}`;
    host.emit({ type: 'warning', backend: NAME, code: 'unchecked-server', message, cause });
    return;
  }
  if (row !== undefined) judge(store, row);
}

function hint(cause: unknown): string {
  return isSchemaMissing(cause) ? '; run the output of `holdfast schema postgres` first' : '';
}

function judge({ database, host, isSynchronous }: Store, row: Row): void {
  const reject = (why: string): never => {
    throw configError(`${database.address} ${why}`);
  };
  if (Number(row['version']) < VERSION_MIN)
    reject(`is too old: PostgreSQL 13 is needed, not ${row['version']}`);
  if (row['may_lock'] !== 'true' || row['may_mark'] !== 'true')
    reject(
      'gives this user too few rights: SELECT, INSERT and UPDATE on the locks, SELECT and INSERT on the marks',
    );
  if (isSynchronous && row['is_synchronous'] !== 'true')
    reject('has no synchronous_standby_names, which "synchronous" needs');
  const warn = (code: string, message: string): void =>
    host.emit({ type: 'warning', backend: NAME, code, message: `${NAME}: ${message}` });
  if (row['is_durable'] !== 'true')
    warn('not-durable', 'fsync is off: a crash of the machine may lose locks and tokens');
  if (row['has_index'] !== 'true')
    warn('no-token-index', 'within() protects nothing: the unique index on the token is missing');
}

function configError(why: string, cause?: unknown): ConfigError {
  return new ConfigError(`${NAME}: ${why}`, { backend: NAME, cause });
}
