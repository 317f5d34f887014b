import type { SqlDialect } from './dialect.ts';

/** As the first statement of a transaction it takes the lock of the database, so nobody writes until the transaction ends. */
export function sqliteDialect(table: string): SqlDialect {
  return {
    createTable: `CREATE TABLE IF NOT EXISTS ${table} (
  key TEXT PRIMARY KEY,
  token INTEGER NOT NULL,
  raised_at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
) WITHOUT ROWID`,
    raise: ({ key, token }) => [
      {
        sql: `INSERT INTO ${table} (key, token) VALUES (?, CAST(? AS INTEGER))
ON CONFLICT (key) DO UPDATE SET token = excluded.token, raised_at = CURRENT_TIMESTAMP WHERE token <= excluded.token
RETURNING CAST(token AS TEXT) AS token`,
        params: [key, `${token}`],
      },
    ],
    largest: (key) => ({
      sql: `SELECT CAST(token AS TEXT) AS token FROM ${table} WHERE key = ?`,
      params: [key],
    }),
  };
}
