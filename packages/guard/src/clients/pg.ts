import { dialectOf } from '../sql/dialects.ts';
import { type SqlClient, SqlGuard, type SqlRow } from '../sql/sql-guard.ts';
import { type PostgresOptions, TRANSACTION_ID } from './postgres-options.ts';

/** A connection of `pg` in a transaction. */
export interface PgTransaction {
  /** Runs a statement with `$1`, `$2`, … */
  query(text: string, values?: unknown[]): Promise<PgReply>;
}

/** A reply of `pg`. */
export interface PgReply {
  /** By name of column. */
  readonly rows: readonly SqlRow[];
  /** Rows that the statement returned or changed. */
  readonly rowCount?: number | null;
  /** What the server says that it did. */
  readonly command?: string;
}

/** A connection that a pool of `pg` lends. */
export interface PgPoolClient extends PgTransaction {
  /** Gives it back; `true` ends it instead. */
  release(isBroken?: boolean): void;
  /** Adds a listener. */
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Removes a listener. */
  off(event: 'error', listener: (error: Error) => void): unknown;
}

/** A pool of `pg`. */
export interface PgPool {
  /** Lends a connection. */
  connect(): Promise<PgPoolClient>;
}

/**
 * A guard on PostgreSQL through a pool of `pg`.
 * @example
 * ```ts
 * const guard = pgGuard(pool);
 * await guard.createTable();
 * await guard.transaction(lease, (tx) => tx.query('UPDATE stock SET n = n - 1'));
 * ```
 * @throws InvalidOptionError if `table` is no plain name
 */
export function pgGuard(pool: PgPool, options: PostgresOptions = {}): SqlGuard<PgTransaction> {
  const { isolation = 'READ COMMITTED', table } = options;
  const client: SqlClient<PgTransaction> = {
    transaction: (body) => inTransaction(pool, `BEGIN ISOLATION LEVEL ${isolation}`, body),
    rows: async (tx, { sql, params }) => (await tx.query(sql, [...params])).rows,
    transactionId: TRANSACTION_ID,
  };
  return new SqlGuard(client, dialectOf('postgres', table));
}

async function inTransaction<T>(
  pool: PgPool,
  begin: string,
  body: (tx: PgTransaction) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  let isBroken = false;
  // Without a listener, a connection that breaks between two statements would end the process.
  const onError = (): void => {
    isBroken = true;
  };
  client.on('error', onError);
  try {
    await client.query(begin);
    const result = await body(client);
    await commit(client);
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(onError);
    throw error;
  } finally {
    client.off('error', onError);
    client.release(isBroken);
  }
}

/** A transaction that failed before, with an error that its body has caught, is rolled back by COMMIT without an error. */
async function commit(client: PgTransaction): Promise<void> {
  const { command } = await client.query('COMMIT');
  if (command === 'COMMIT') return;
  const message = 'the transaction was rolled back: a statement of it had failed';
  throw Object.assign(new Error(message), { code: '25P02' });
}
