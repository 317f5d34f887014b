import { dialectOf } from '../sql/dialects.ts';
import { type SqlClient, SqlGuard, type SqlRow } from '../sql/sql-guard.ts';
import { type PostgresOptions, STILL_OPEN, TRANSACTION_ID } from './postgres-options.ts';

/** What `begin` of `postgres` passes to its function. */
export interface PostgresJsTransaction {
  /** Runs a statement with `$1`, `$2`, … */
  unsafe(text: string, values?: string[]): PromiseLike<readonly SqlRow[]>;
}

/** An instance of `postgres`. */
export interface PostgresJs<Tx extends PostgresJsTransaction> {
  /** Runs a function in a transaction. */
  begin(options: string, body: (tx: Tx) => Promise<unknown>): Promise<unknown>;
}

/**
 * A guard on PostgreSQL through an instance of `postgres`. With its type of transactions you have its templates.
 * @example
 * ```ts
 * const guard = postgresJsGuard(sql);
 * await guard.createTable();
 * await guard.transaction(lease, async (tx) => {
 *   await tx.unsafe('UPDATE stock SET n = n - 1');
 * });
 * ```
 * @throws InvalidOptionError if `table` is no plain name
 */
export function postgresJsGuard<Tx extends PostgresJsTransaction = PostgresJsTransaction>(
  sql: PostgresJs<Tx>,
  { isolation = 'READ COMMITTED', table }: PostgresOptions = {},
): SqlGuard<Tx> {
  const client: SqlClient<Tx> = {
    async transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
      let result: { readonly value: T } | undefined;
      await sql.begin(`ISOLATION LEVEL ${isolation}`, async (tx) => {
        result = { value: await body(tx) };
      });
      if (result === undefined) throw new Error('begin() has not run its function');
      return result.value;
    },
    rows: async (tx, { sql: text, params }) => Array.from(await tx.unsafe(text, [...params])),
    beforeCommit: STILL_OPEN,
    transactionId: TRANSACTION_ID,
  };
  return new SqlGuard(client, dialectOf('postgres', table));
}
