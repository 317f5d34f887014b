import type { SqlDialect } from './dialect.ts';

/**
 * MySQL and MariaDB. The number of affected rows is of no use: it counts rows that *changed*, unless the client sets
 * FOUND_ROWS, so a second write with the same token would look refused. The mark is raised by GREATEST, which locks the row
 * either way, and read back. The read locks, too: a plain one may see a snapshot. CAST, because a text and a BIGINT are
 * compared as doubles. VARBINARY, because most collations take `A` for `a`, and `a ` for `a`.
 */
export function mysqlDialect(table: string): SqlDialect {
  const key = 'CONVERT(? USING utf8mb4)';
  return {
    createTable: `CREATE TABLE IF NOT EXISTS ${table} (
  lock_key VARBINARY(512) PRIMARY KEY,
  token BIGINT NOT NULL,
  raised_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP
) ENGINE = InnoDB`,
    raise: (fence) => [
      {
        sql: `INSERT INTO ${table} (lock_key, token) VALUES (${key}, CAST(? AS SIGNED))
ON DUPLICATE KEY UPDATE token = GREATEST(token, CAST(? AS SIGNED))`,
        params: [fence.key, `${fence.token}`, `${fence.token}`],
      },
      {
        sql: `SELECT CAST(token AS CHAR) AS token FROM ${table}
WHERE lock_key = ${key} AND token <= CAST(? AS SIGNED) FOR UPDATE`,
        params: [fence.key, `${fence.token}`],
      },
    ],
    largest: (lockKey) => ({
      sql: `SELECT CAST(token AS CHAR) AS token FROM ${table} WHERE lock_key = ${key} FOR UPDATE`,
      params: [lockKey],
    }),
  };
}
