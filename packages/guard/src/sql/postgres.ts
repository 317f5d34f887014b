import type { SqlDialect } from './dialect.ts';

/**
 * The row is locked until the transaction ends, also where the WHERE is false. At READ COMMITTED the WHERE is checked
 * against the row as it is once it is free; at higher levels the statement fails with 40001 if the row has changed.
 */
export function postgresDialect(table: string): SqlDialect {
  return {
    createTable: `CREATE TABLE IF NOT EXISTS ${table} (
  key text COLLATE "C" PRIMARY KEY,
  token bigint NOT NULL,
  raised_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50)`,
    raise: ({ key, token }) => [
      {
        sql: `INSERT INTO ${table} AS mark (key, token) VALUES ($1, CAST($2 AS bigint))
ON CONFLICT (key) DO UPDATE SET token = excluded.token, raised_at = now() WHERE mark.token <= excluded.token
RETURNING CAST(token AS text) AS token`,
        params: [key, `${token}`],
      },
    ],
    largest: (key) => ({
      sql: `SELECT CAST(token AS text) AS token FROM ${table} WHERE key = $1`,
      params: [key],
    }),
  };
}
