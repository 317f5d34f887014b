import type { Statement } from '../port.ts';

/**
 * The number of a lock: 64 bits of its name. Two names with one number exclude each other, and nothing worse. In psql:
 * `pg_try_advisory_lock(hashtextextended(E'holdfast\norders/42', 0))`.
 */
const NUMBER = 'hashtextextended($1, 0)';
const MARK = "current_setting('holdfast.session', true)";

/**
 * Marks a session as this client's. `$1` the mark, `$2` the label, `$3` seconds, `$4` ms: the server gives up on a client
 * whose machine does not answer for so long. Row: `mark`; NULL if the session is marked already, by another client of a pooler.
 */
export const OPEN: Statement = {
  name: 'advisory-open',
  sql: `SELECT CASE WHEN ${MARK} <> '' THEN NULL ELSE set_config('holdfast.session', $1, false) END AS mark,
  set_config('application_name', $2, false) AS label,
  set_config('tcp_keepalives_idle', $3, false) AS idle,
  set_config('tcp_keepalives_interval', $3, false) AS pause,
  set_config('tcp_user_timeout', $4, false) AS silence`,
};

/**
 * `$1` name, `$2` owner value, `$3` mark. Row: `owner` if acquired; `is_standby`, where a lock would exclude nobody on the
 * primary; `is_own`, false behind a pooler that has changed the session. CASE keeps the order: nothing is locked elsewhere.
 */
export const ACQUIRE: Statement = {
  name: 'advisory-acquire',
  sql: `SELECT CASE WHEN ${MARK} = $3 THEN 'true' ELSE 'false' END AS is_own, pg_is_in_recovery()::text AS is_standby,
  CASE WHEN ${MARK} = $3 THEN CASE WHEN NOT pg_is_in_recovery() THEN CASE WHEN pg_try_advisory_lock(${NUMBER}) THEN $2 END END END AS owner`,
};

/** `$1` name, `$2` owner value, `$3` mark. Row: `was_held`, `is_own`. */
export const RELEASE: Statement = {
  name: 'advisory-release',
  sql: `SELECT $2 AS owner, CASE WHEN ${MARK} = $3 THEN 'true' ELSE 'false' END AS is_own,
  CASE WHEN ${MARK} = $3 THEN pg_advisory_unlock(${NUMBER})::text END AS was_held`,
};

/** `$1` mark. Row: `is_own`, `is_standby`. The session was there when the server ran it, and so were all its locks. */
export const PROVE: Statement = {
  name: 'advisory-prove',
  sql: `SELECT CASE WHEN ${MARK} = $1 THEN 'true' ELSE 'false' END AS is_own, pg_is_in_recovery()::text AS is_standby`,
};
