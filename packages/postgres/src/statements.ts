import type { Statement } from './port.ts';
import type { Tables } from './schema.ts';

/** The channel of all releases; the payload names the key. */
export const CHANNEL = 'holdfast_v1';

/** The statements of one backend. In all of them `$1` is the namespace and `$2` the key. */
export interface Statements {
  /** `$3` owner value, `$4` ttl in ms. Rows: `token` if acquired; then `owner`, `remaining_ms`, `is_synchronous`. */
  readonly acquire: Statement;
  /** `$3` owner value, `$4` ttl in ms. Rows: `renewed` if it was held; then `is_synchronous`. */
  readonly renew: Statement;
  /** `$3` owner value, `$4` payload. Row: `was_held`; none if the value is not stored. */
  readonly release: Statement;
  /** `$3` owner value, `$4` ttl in ms, `$5` exported owner value. Rows: `token` if adopted; then `is_synchronous`. */
  readonly adopt: Statement;
  /** `$3` payload. Row: `was_held`, none if the key is free; then `owner`. */
  readonly force: Statement;
  /** Row: `owner`, `remaining_ms`, `token`; none if the key was never locked. */
  readonly inspect: Statement;
  /** `$1` alone. Rows: `key` of each hold. */
  readonly held: Statement;
  /** `$2` is the name of a mark. Row: `value`. */
  readonly readMark: Statement;
  /** `$2` is the name of a mark, `$3` its value. Row: `value`. */
  readonly writeMark: Statement;
}

/** The form of an owner value; any other is foreign, and left alone. */
export const OWNER: string = String.raw`'^[^:]+:[0-9]+:'`;
/** Never now(), which is the start of the transaction: a wait for a lock would make the lease begin in the past. */
export const CLOCK = 'clock_timestamp()';
export const CLOCK_US: string = `(extract(epoch FROM ${CLOCK}) * 1000000)::bigint`;
export const EXPIRY: string = `${CLOCK} + $4 * interval '1 millisecond'`;
export const KEY = 'namespace = $1 AND key = $2';
export const SYNCHRONOUS = `current_setting('synchronous_standby_names') <> ''`;

/** True if the stored row is of an earlier attempt of the contender of `$3`. */
export function isEarlier(row: string): string {
  const [stored, own] = [`${row}.owner`, '$3'];
  return `(${contenderOf(stored)} = ${contenderOf(own)} AND ${attemptOf(stored)} < ${attemptOf(own)})`;
}

export function contenderOf(owner: string): string {
  return `substring(${owner} FROM '^([^:]+):')`;
}

export function attemptOf(owner: string): string {
  return `substring(${owner} FROM '^[^:]+:([0-9]+):')::numeric`;
}

/** True if nobody holds by the row. */
export function isOver(row: string): string {
  return `(${row}.owner IS NULL OR (${row}.owner ~ ${OWNER} AND ${row}.expires_at <= ${CLOCK}))`;
}

/** True if the row may be taken. A NULL makes it false: such a row is foreign. */
export function isFree(row: string): string {
  return `(${isOver(row)} OR (${row}.owner ~ ${OWNER} AND ${isEarlier(row)}))`;
}

export function nameOf(name: string, isSynchronous: boolean): string {
  return isSynchronous ? `${name}-synchronous` : name;
}

export function remainingMs(expiry: string): string {
  return `(extract(epoch FROM ${expiry} - ${CLOCK}) * 1000)::text`;
}

/**
 * Takes the key if it is free, has expired, or is of an earlier attempt of the same contender: then with a full ttl and a
 * new token. The conflict clause locks the row before it looks at it, so two never take it. It would lock a row that is
 * held, too, and wait for transactions that have checked their lease: so a look at the row comes first, and only a row that
 * can be taken is locked. The token is at least the server's time, so that it grows although a row was deleted, or a
 * failover has lost one. With `synchronous` nothing is taken while no standby is configured.
 */
function acquire({ locks }: Tables, isSynchronous: boolean): Statement {
  return {
    name: nameOf('acquire', isSynchronous),
    sql: `
INSERT INTO ${locks} AS stored (namespace, key, owner, expires_at, token)
SELECT $1, $2, $3, ${EXPIRY}, ${CLOCK_US}
WHERE NOT EXISTS (SELECT FROM ${locks} AS seen WHERE seen.namespace = $1 AND seen.key = $2 AND ${isFree('seen')} IS NOT TRUE)${isSynchronous ? ` AND ${SYNCHRONOUS}` : ''}
ON CONFLICT (namespace, key) DO UPDATE
SET owner = excluded.owner, expires_at = ${EXPIRY}, token = greatest(stored.token + 1, ${CLOCK_US})
WHERE ${isFree('stored')}
RETURNING token::text AS token;
SELECT owner, ${remainingMs('expires_at')} AS remaining_ms, (${SYNCHRONOUS})::text AS is_synchronous
FROM (SELECT) AS one LEFT JOIN ${locks} ON ${KEY}`,
  };
}

/**
 * Lengthens a hold that has not expired. Never shortens one, so that a late renewal cannot undo a later one. Changes no
 * column of a unique index, so it does not wait for transactions that have checked their lease.
 */
function renew({ locks }: Tables, isSynchronous: boolean): Statement {
  return {
    name: nameOf('renew', isSynchronous),
    sql: `
UPDATE ${locks} SET expires_at = greatest(expires_at, ${EXPIRY})
WHERE ${KEY} AND owner = $3 AND expires_at > ${CLOCK}${isSynchronous ? ` AND ${SYNCHRONOUS}` : ''}
RETURNING 'true' AS renewed;
SELECT (${SYNCHRONOUS})::text AS is_synchronous`,
  };
}

/**
 * Frees one hold and wakes the waiters; also the undo of a doubtful attempt. Compares the whole owner value, so that a late
 * one never touches another hold. The new token makes it wait for transactions that have checked their lease.
 */
function release({ locks }: Tables): Statement {
  return {
    name: 'release',
    sql: `
WITH freed AS (
  UPDATE ${locks} SET owner = NULL, token = token + 1 WHERE ${KEY} AND owner = $3
  RETURNING (expires_at > ${CLOCK})::text AS was_held
)
SELECT was_held, pg_notify('${CHANNEL}', $4)::text AS notified FROM freed`,
  };
}

/**
 * Replaces an exported hold by the adopter's own, or an earlier attempt of this adopter: with a full ttl and a new token.
 * Takes no free key, and none that has expired.
 */
function adopt({ locks }: Tables, isSynchronous: boolean): Statement {
  return {
    name: nameOf('adopt', isSynchronous),
    sql: `
UPDATE ${locks} AS stored SET owner = $3, expires_at = ${EXPIRY}, token = greatest(token + 1, ${CLOCK_US})
WHERE ${KEY} AND expires_at > ${CLOCK} AND (owner = $5 OR ${isEarlier('stored')})${isSynchronous ? ` AND ${SYNCHRONOUS}` : ''}
RETURNING token::text AS token;
SELECT (${SYNCHRONOUS})::text AS is_synchronous`,
  };
}

function force({ locks }: Tables): Statement {
  return {
    name: 'force',
    sql: `
WITH freed AS (
  UPDATE ${locks} SET owner = NULL, token = token + 1 WHERE ${KEY} AND owner ~ ${OWNER}
  RETURNING (expires_at > ${CLOCK})::text AS was_held
)
SELECT was_held, pg_notify('${CHANNEL}', $3)::text AS notified FROM freed;
SELECT owner FROM ${locks} WHERE ${KEY}`,
  };
}

/** Returns the statements on these tables. */
export function statementsOf(tables: Tables, isSynchronous: boolean): Statements {
  const { locks, marks } = tables;
  return {
    acquire: acquire(tables, isSynchronous),
    renew: renew(tables, isSynchronous),
    release: release(tables),
    adopt: adopt(tables, isSynchronous),
    force: force(tables),
    inspect: {
      name: 'inspect',
      sql: `SELECT owner, ${remainingMs('expires_at')} AS remaining_ms, token::text AS token FROM ${locks} WHERE ${KEY}`,
    },
    held: {
      name: 'held',
      sql: `SELECT key FROM ${locks} WHERE namespace = $1 AND owner IS NOT NULL AND expires_at > ${CLOCK}`,
    },
    readMark: {
      name: 'read-mark',
      sql: `SELECT value FROM ${marks} WHERE namespace = $1 AND name = $2`,
    },
    writeMark: {
      name: 'write-mark',
      sql: `INSERT INTO ${marks} (namespace, name, value) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING;
SELECT value FROM ${marks} WHERE namespace = $1 AND name = $2`,
    },
  };
}
