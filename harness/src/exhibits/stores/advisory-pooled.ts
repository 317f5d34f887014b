import type { PostgresDatabase, Statement } from '@holdfast/postgres/port';
import type { NaiveLock } from './naive.ts';

/**
 * DO NOT USE. An advisory lock through a connection that others share.
 *
 * Where it comes from: `pool.query('SELECT pg_try_advisory_lock($1)')`, or any client behind pgbouncer with
 * `pool_mode = transaction`: https://www.pgbouncer.org/features.html lists session-level advisory locks as unsupported there.
 *
 * What breaks it: the lock belongs to the session, and the next transaction of another client gets the same one. A session
 * may take its own lock again, so both clients are told that they have it. The release may reach a session without it.
 */
export function pooledAdvisory(database: PostgresDatabase): NaiveLock {
  return {
    name: 'advisory-pooled',
    flaw: 'the pooler gives the session, and with it the lock, to whichever client comes next',
    validity: 'until-released',

    async take({ key, owner, deadlineMs }) {
      const { rows } = await database.run(TAKE, [key, owner], { deadlineMs });
      return rows[0]?.['owner'] === owner;
    },

    async give({ key, owner, deadlineMs }) {
      const { rows } = await database.run(GIVE, [key, owner], { deadlineMs });
      return rows[0]?.['was_held'] === 'true';
    },
  };
}

/** `$1` key, `$2` owner value: what the session would be told apart by, if it were told apart. */
const TAKE: Statement = {
  name: 'try-lock',
  sql: 'SELECT CASE WHEN pg_try_advisory_lock(hashtextextended($1, 0)) THEN $2 END AS owner',
};
const GIVE: Statement = {
  name: 'unlock',
  sql: 'SELECT $2 AS owner, pg_advisory_unlock(hashtextextended($1, 0))::text AS was_held',
};
