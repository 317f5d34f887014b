import type { SqlStatement } from '../sql/dialect.ts';
import { dialectOf } from '../sql/dialects.ts';
import { type SqlClient, SqlGuard, type SqlRow } from '../sql/sql-guard.ts';
import { type BuilderOptions, ofDialect } from './builder-options.ts';

/** A transaction of Drizzle. */
export interface DrizzleTransaction<Query> {
  /** Runs a statement. */
  execute(query: Query): PromiseLike<unknown>;
}

/** A database of Drizzle. */
export interface DrizzleDatabase<Tx> {
  /** Runs a function in a transaction. */
  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
}

/**
 * A guard through a database of Drizzle on PostgreSQL or MySQL. `sql` is Drizzle's: this package loads no client.
 * @example
 * ```ts
 * const guard = drizzleGuard(drizzle, { dialect: 'postgres', sql: drizzleSql });
 * await guard.transaction(lease, async (tx) => {
 *   await tx.execute(drizzleSql`UPDATE stock SET n = n - 1`);
 * });
 * ```
 * @throws InvalidOptionError if `table` is no plain name
 */
export function drizzleGuard<Tx extends DrizzleTransaction<Query>, Query>(
  database: DrizzleDatabase<Tx>,
  options: BuilderOptions<'postgres' | 'mysql'> & {
    /** `sql` of Drizzle. */
    readonly sql: (text: TemplateStringsArray, ...params: unknown[]) => Query;
  },
): SqlGuard<Tx> {
  const { dialect, sql, table } = options;
  const client: SqlClient<Tx> = {
    transaction: (body) => database.transaction(body),
    rows: async (tx, statement) => rowsOf(await tx.execute(templateOf(statement, sql))),
    ...ofDialect(dialect),
  };
  return new SqlGuard(client, dialectOf(dialect, table));
}

/** Drizzle numbers the placeholders itself. They are in order in every statement here. */
function templateOf<Query>(
  { sql: text, params }: SqlStatement,
  sql: (strings: TemplateStringsArray, ...params: unknown[]) => Query,
): Query {
  const strings = text.split(/\$\d+|\?/);
  return sql(Object.assign(strings, { raw: strings }), ...params);
}

/** `pg` has an object with `rows`, `postgres` a list of rows, `mysql2` a list of rows before its fields. */
function rowsOf(reply: unknown): readonly SqlRow[] {
  const rows: unknown = Array.isArray(reply) ? reply : Object(reply)['rows'];
  if (!Array.isArray(rows)) return [];
  return Array.isArray(rows[0]) ? rows[0] : rows;
}
