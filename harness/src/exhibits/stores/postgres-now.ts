import type { Argument, PostgresDatabase, Row, Statement } from '@holdfast/postgres/port';
import type { NaiveLock } from './naive.ts';

/**
 * DO NOT USE. A row with an expiry by `now()`, in the transaction of the caller, which waits there for its turn.
 *
 * Where it comes from: an ORM opens a transaction for each request, and the lock is taken in it. The retries of
 * https://github.com/event-driven-io/emmett/pull/339 compared with the `now()` of such a transaction.
 *
 * What breaks it: `now()` is the start of the transaction. Whoever waited for 700 ms of its ttl of a second gets a row that
 * expires 300 ms later, and believes for a second. In a transaction of its own, as short as the statement, `now()` is right.
 */
export function postgresNow(
  database: PostgresDatabase,
  open: OpenClient,
  clock: string = NOW,
): NaiveLock {
  const waiting = new Map<string, Promise<CallerClient>>();
  const take = `UPDATE app_locks SET owner = $2, expires_at = ${clock} + $3 * interval '1 millisecond'
WHERE key = $1 AND (owner IS NULL OR expires_at <= ${clock}) RETURNING owner`;

  async function begin(key: string, deadlineMs: number): Promise<CallerClient> {
    await database.run(CREATE, [key], { deadlineMs });
    const client = await open();
    await client.query('BEGIN', []);
    return client;
  }

  async function leave(owner: string): Promise<void> {
    const client = await waiting.get(owner)?.catch(() => undefined);
    waiting.delete(owner);
    client?.close();
  }

  return {
    name: 'postgres-now',
    flaw: 'a transaction that waited stamps the lease with the time at which it began',
    validity: 'from-request',

    async take({ key, owner, ttlMs, deadlineMs }) {
      const beginning = waiting.get(owner) ?? begin(key, deadlineMs);
      waiting.set(owner, beginning);
      let isWaiting = false;
      try {
        const client = await beginning;
        const { rows } = await client.query(take, [key, owner, ttlMs]);
        isWaiting = rows.length === 0;
        if (!isWaiting) await client.query('COMMIT', []);
        return !isWaiting;
      } finally {
        if (!isWaiting) await leave(owner);
      }
    },

    async give({ key, owner, deadlineMs }) {
      const { rows } = await database.run(GIVE, [key, owner], { deadlineMs });
      return rows.length > 0;
    },

    leave,
  };
}

/** A connection of the caller, with the method of `pg`. */
interface CallerClient {
  query(text: string, values: readonly Argument[]): Promise<{ readonly rows: readonly Row[] }>;
  close(): void;
}

/** Opens one, for one transaction. */
type OpenClient = () => Promise<CallerClient>;

const NOW = 'now()';

/** The table, which comes with the application. */
export const APP_LOCKS =
  'CREATE TABLE app_locks (key text NOT NULL, owner text, expires_at timestamptz NOT NULL, PRIMARY KEY (key))';

const CREATE: Statement = {
  name: 'create-row',
  sql: 'INSERT INTO app_locks (key, owner, expires_at) VALUES ($1, NULL, clock_timestamp()) ON CONFLICT DO NOTHING',
};
const GIVE: Statement = {
  name: 'release',
  sql: 'UPDATE app_locks SET owner = NULL WHERE key = $1 AND owner = $2 RETURNING key',
};
