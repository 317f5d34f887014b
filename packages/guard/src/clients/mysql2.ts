import { dialectOf } from '../sql/dialects.ts';
import { type SqlClient, SqlGuard, type SqlRow } from '../sql/sql-guard.ts';

/** A connection of `mysql2/promise` in a transaction. */
export interface Mysql2Transaction {
  /** Runs a statement with `?`; resolves to rows, or what was changed, and fields. */
  query(sql: string, params?: unknown[]): Promise<[unknown, unknown]>;
}

/** A connection that a pool of `mysql2/promise` lends. */
export interface Mysql2PoolConnection extends Mysql2Transaction {
  /** Gives it back. */
  release(): void;
  /** Ends it. */
  destroy(): void;
}

/** A pool of `mysql2/promise`. */
export interface Mysql2Pool {
  /** Lends a connection. */
  getConnection(): Promise<Mysql2PoolConnection>;
}

/** Options of a guard on MySQL or MariaDB. */
export interface Mysql2Options {
  /** Of its transactions; default `REPEATABLE READ`, as on the server. */
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE' | undefined;
  /** Of the marks; default `holdfast_fence`. */
  readonly table?: string | undefined;
}

/**
 * A guard on MySQL or MariaDB through a pool of `mysql2/promise`. The tables that it protects must be InnoDB.
 * @example
 * ```ts
 * const guard = mysql2Guard(mysqlPool);
 * await guard.createTable();
 * await guard.transaction(lease, (tx) => tx.query('UPDATE stock SET n = n - 1'));
 * ```
 * @throws InvalidOptionError if `table` is no plain name
 */
export function mysql2Guard(
  pool: Mysql2Pool,
  { isolation = 'REPEATABLE READ', table }: Mysql2Options = {},
): SqlGuard<Mysql2Transaction> {
  const client: SqlClient<Mysql2Transaction> = {
    transaction: (body) => inTransaction(pool, isolation, body),
    async rows(tx, { sql, params }) {
      const [rows] = await tx.query(sql, [...params]);
      return isRows(rows) ? rows : [];
    },
  };
  return new SqlGuard(client, dialectOf('mysql', table));
}

async function inTransaction<T>(
  pool: Mysql2Pool,
  isolation: string,
  body: (tx: Mysql2Transaction) => Promise<T>,
): Promise<T> {
  const connection = await pool.getConnection();
  let isOver = false;
  try {
    await connection.query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`);
    // Not WITH CONSISTENT SNAPSHOT: the snapshot has to be taken after the mark is raised.
    await connection.query('START TRANSACTION');
    const result = await body(connection);
    await connection.query('COMMIT');
    isOver = true;
    return result;
  } catch (error) {
    isOver = await rolledBack(connection);
    throw error;
  } finally {
    if (isOver) connection.release();
    else connection.destroy();
  }
}

async function rolledBack(connection: Mysql2Transaction): Promise<boolean> {
  try {
    await connection.query('ROLLBACK');
    return true;
  } catch {
    return false;
  }
}

function isRows(reply: unknown): reply is readonly SqlRow[] {
  return Array.isArray(reply);
}
