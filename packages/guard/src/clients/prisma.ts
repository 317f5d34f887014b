import { dialectOf } from '../sql/dialects.ts';
import { type SqlClient, SqlGuard, type SqlRow } from '../sql/sql-guard.ts';
import { type BuilderOptions, ofDialect } from './builder-options.ts';

/** A transaction of Prisma. */
export interface PrismaTransaction {
  /** Runs a query that returns rows. */
  $queryRawUnsafe(sql: string, ...params: unknown[]): Promise<unknown>;
  /** Runs a statement that returns none. */
  $executeRawUnsafe(sql: string, ...params: unknown[]): Promise<unknown>;
}

/** A client of Prisma. */
export interface PrismaClient<Tx> {
  /** Runs a function in a transaction. */
  $transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
}

/**
 * A guard through a client of Prisma, by its raw queries.
 * @example
 * ```ts
 * const guard = prismaGuard(prisma, { dialect: 'postgres' });
 * await guard.transaction(lease, (tx) => tx.$executeRawUnsafe('UPDATE stock SET n = n - 1'));
 * ```
 * @throws InvalidOptionError if `table` is no plain name
 */
export function prismaGuard<Tx extends PrismaTransaction>(
  prisma: PrismaClient<Tx>,
  { dialect, table }: BuilderOptions<'postgres' | 'mysql'>,
): SqlGuard<Tx> {
  const client: SqlClient<Tx> = {
    transaction: (body) => prisma.$transaction(body),
    async rows(tx, { sql, params }) {
      const hasRows = /\bSELECT\b|\bRETURNING\b/.test(sql);
      const reply = await (hasRows
        ? tx.$queryRawUnsafe(sql, ...params)
        : tx.$executeRawUnsafe(sql, ...params));
      return isRows(reply) ? reply : [];
    },
    ...ofDialect(dialect),
  };
  return new SqlGuard(client, dialectOf(dialect, table));
}

function isRows(reply: unknown): reply is readonly SqlRow[] {
  return Array.isArray(reply);
}
