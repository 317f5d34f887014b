import type { SqlDialectName, SqlStatement } from '../sql/dialect.ts';
import { dialectOf } from '../sql/dialects.ts';
import { type SqlClient, SqlGuard, type SqlRow } from '../sql/sql-guard.ts';
import { type BuilderOptions, ofDialect } from './builder-options.ts';

/** A transaction of Kysely. */
export interface KyselyTransaction<Query> {
  /** Runs a compiled query. */
  executeQuery(query: Query): Promise<{ readonly rows: SqlRow[] }>;
}

/** An instance of Kysely. */
export interface KyselyDatabase<Tx> {
  /** Begins a transaction. */
  transaction(): {
    /** Runs a function in it. */
    execute<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  };
}

/**
 * A guard through an instance of Kysely. `raw` is its `CompiledQuery.raw`: this package loads no client.
 * @example
 * ```ts
 * const { raw } = CompiledQuery;
 * const guard = kyselyGuard(kysely, { dialect: 'postgres', raw });
 * await guard.transaction(lease, (tx) => tx.executeQuery(raw('UPDATE stock SET n = n - 1', [])));
 * ```
 * @throws InvalidOptionError if `table` is no plain name
 */
export function kyselyGuard<Tx extends KyselyTransaction<Query>, Query>(
  database: KyselyDatabase<Tx>,
  options: BuilderOptions<SqlDialectName> & {
    /** `CompiledQuery.raw` of Kysely. */
    readonly raw: (sql: string, params: unknown[]) => Query;
  },
): SqlGuard<Tx> {
  const { dialect, raw, table } = options;
  const client: SqlClient<Tx> = {
    transaction: (body) => database.transaction().execute(body),
    rows: async (tx: Tx, { sql, params }: SqlStatement) =>
      (await tx.executeQuery(raw(sql, [...params]))).rows,
    ...ofDialect(dialect),
  };
  return new SqlGuard(client, dialectOf(dialect, table));
}
