import type { HoldMode } from '@holdfast/core/backend';
import type { Statement } from '../port.ts';
import type { Tables } from '../schema.ts';
import {
  CLOCK,
  CLOCK_US,
  EXPIRY,
  isEarlier,
  isFree,
  KEY,
  nameOf,
  OWNER,
  remainingMs,
  SYNCHRONOUS,
} from '../statements.ts';
import { keep } from './keep.ts';
import { isMarker, type Parts, PERMITS, partsOf, READERS } from './line.ts';

/** The statements of readers, writers and semaphores. In all of them `$1` is the namespace and `$2` the key. */
export interface ModeStatements {
  /**
   * `$3` owner value, `$4` ttl in ms, `$5` contender, `$6` number of the attempt, `$7` permits, `$8` of how many, `$9` ms for
   * which a place in line lasts. Rows: `token` if acquired; then `owner`, `remaining_ms`, `smallest_of`, `is_synchronous`.
   */
  readonly acquire: Readonly<Record<HoldMode['kind'], Statement>>;
  /** The same of the first in line, which nobody has called: it wakes the next ones, by `$10` the prefix of payloads and `$11` the payload. */
  readonly acquireUncalled: Readonly<Record<HoldMode['kind'], Statement>>;
  /**
   * Keeps places in line and tries nothing, so that it waits for nobody. `$3` contenders, separated by `:`, `$4` ms for which the
   * places last. Rows: `contender`, `is_behind` of each that has a place: true if it waits behind another one; then what
   * `set_config` returns.
   */
  readonly keep: Statement;
  /** As `acquireUncalled`, and `$12` the owner value of the writer that becomes a reader. */
  readonly downgrade: Statement;
  /** `$3` owner value, `$4` ttl in ms, `$5` contender. Rows: `renewed` if it was held; then `is_synchronous`. */
  readonly renew: Statement;
  /** `$3` owner value, `$4` payload, `$5` prefix of payloads, `$6` contender. Row: `was_held`, of a hold beside others. */
  readonly release: Statement;
  /** The same of a writer. */
  readonly releaseWriter: Statement;
  /** Gives up a place in line: as `release`. */
  readonly leave: Statement;
}

const LETTERS = { shared: 's', exclusive: 'x', permits: 'p' } as const;

/** Gives the contender a place in line, or keeps the one that it has, unless the key is used as another kind of lock. */
function join({ locks, members }: Tables, kind: HoldMode['kind']): string {
  return `
INSERT INTO ${members} AS stored (namespace, key, contender, attempt, owner, mode, permits, out_of, place, expires_at)
SELECT $1, $2, $5, $6, NULL, '${LETTERS[kind]}', $7, $8,
  (SELECT coalesce(max(place), 0) + 1 FROM ${members} WHERE ${KEY}), ${CLOCK} + $9 * interval '1 millisecond'
WHERE EXISTS (SELECT FROM ${locks} WHERE ${KEY}
  AND (owner IS NULL OR (owner ~ ${OWNER} AND owner <> ${kind === 'permits' ? READERS : PERMITS})))
ON CONFLICT (namespace, key, contender) DO UPDATE
SET attempt = excluded.attempt, expires_at = greatest(stored.expires_at, excluded.expires_at)
WHERE stored.attempt < excluded.attempt;`;
}

/** Makes a member a holder. The first one draws a token, and those beside it have the same one. */
function hold(tables: Tables, marker: string, isHolder: string): string {
  const { locks, members } = tables;
  return `
WITH held AS (
  ${isHolder}
  RETURNING expires_at
)
UPDATE ${locks} AS stored
SET owner = ${marker},
  token = CASE WHEN stored.owner = ${marker} THEN stored.token ELSE greatest(stored.token + 1, ${CLOCK_US}) END,
  expires_at = CASE WHEN stored.owner = ${marker} THEN greatest(stored.expires_at, (SELECT expires_at FROM held)) ELSE (SELECT expires_at FROM held) END
WHERE ${KEY} AND EXISTS (SELECT FROM held)
RETURNING token::text AS token;
${outcome(tables, members)}`;
}

/**
 * The state after an attempt. One that has only kept its place need not wait for the disk: a place that is lost in a crash
 * is taken anew.
 */
function outcome({ locks }: Tables, members: string): string {
  const holds = `FROM ${members} AS hold WHERE ${KEY} AND hold.owner IS NOT NULL`;
  return `
SELECT stored.owner, ${remainingMs(`coalesce((SELECT min(hold.expires_at) ${holds} AND hold.mode = 'p'), stored.expires_at)`)} AS remaining_ms,
  (SELECT min(hold.out_of) ${holds})::text AS smallest_of, (${SYNCHRONOUS})::text AS is_synchronous
FROM (SELECT) AS one LEFT JOIN ${locks} AS stored ON ${KEY};
SELECT set_config('synchronous_commit', 'off', true) AS synchronous_commit
WHERE NOT EXISTS (SELECT FROM ${locks} WHERE ${KEY} AND owner = $3)
  AND NOT EXISTS (SELECT FROM ${members} WHERE ${KEY} AND contender = $5 AND owner = $3)`;
}

function acquireBeside(
  tables: Tables,
  kind: 'shared' | 'permits',
  parts: Parts,
  only: string,
): string {
  const { locks, members } = tables;
  const marker = kind === 'shared' ? READERS : PERMITS;
  const isHolder = `UPDATE ${members} AS own SET owner = $3, expires_at = ${EXPIRY}
  WHERE ${KEY} AND contender = $5 AND attempt = $6 AND ${parts.fits}
    AND EXISTS (SELECT FROM ${locks} AS stored WHERE ${KEY} AND (stored.owner = ${marker} OR ${isFree('stored')}))${only}`;
  return `${parts.create}${parts.prune}${parts.settle}${join(tables, kind)}${hold(tables, marker, isHolder)}`;
}

/** A writer is stored as an exclusive holder, which every release of this library knows, and leaves the line. */
function acquireWriter(tables: Tables, parts: Parts, only: string): string {
  const { locks, members } = tables;
  return `${parts.create}${parts.prune}${parts.settle}${join(tables, 'exclusive')}
WITH held AS (
  UPDATE ${locks} AS stored
  SET owner = $3, expires_at = ${EXPIRY}, token = greatest(stored.token + 1, ${CLOCK_US})
  WHERE ${KEY} AND ${isFree('stored')} AND (${isEarlier('stored')} IS TRUE
    OR EXISTS (SELECT FROM ${members} AS own WHERE ${KEY} AND contender = $5 AND ${parts.fits}))${only}
  RETURNING token
), gone AS (
  DELETE FROM ${members} WHERE ${KEY} AND contender = $5 AND EXISTS (SELECT FROM held)
)
SELECT token::text AS token FROM held;
${outcome(tables, members)}`;
}

/** Makes a writer a reader in one step, and lets the readers behind it in. As `adopt`, it takes no free key. */
function downgrade(tables: Tables, parts: Parts, only: string): string {
  const { locks, members } = tables;
  const isHolder = `INSERT INTO ${members} AS stored (namespace, key, contender, attempt, owner, mode, permits, out_of, place, expires_at)
  SELECT $1, $2, $5, $6, $3, 's', $7, $8, 0, ${EXPIRY}
  WHERE (EXISTS (SELECT FROM ${locks} WHERE ${KEY} AND owner = $12 AND expires_at > ${CLOCK})
    OR EXISTS (SELECT FROM ${members} WHERE ${KEY} AND contender = $5 AND owner IS NOT NULL))${only}
  ON CONFLICT (namespace, key, contender) DO UPDATE
  SET attempt = excluded.attempt, owner = excluded.owner, expires_at = greatest(stored.expires_at, excluded.expires_at)
  WHERE stored.attempt < excluded.attempt`;
  return `${parts.begin}${parts.prune}${parts.settle}${hold(tables, READERS, isHolder)};${parts.wake('$11', '$10')}`;
}

function renew({ locks, members }: Tables, parts: Parts, only: string): string {
  return `${parts.begin}
WITH held AS (
  UPDATE ${members} SET expires_at = greatest(expires_at, ${EXPIRY})
  WHERE ${KEY} AND contender = $5 AND owner = $3 AND expires_at > ${CLOCK}
    AND EXISTS (SELECT FROM ${locks} AS stored WHERE ${KEY} AND ${isMarker('stored')})${only}
  RETURNING expires_at
)
UPDATE ${locks} SET expires_at = greatest(expires_at, (SELECT expires_at FROM held))
WHERE ${KEY} AND EXISTS (SELECT FROM held)
RETURNING 'true' AS renewed;
SELECT (${SYNCHRONOUS})::text AS is_synchronous`;
}

/** Returns the statements on these tables. */
export function modeStatementsOf(tables: Tables, isSynchronous: boolean): ModeStatements {
  const { locks, members } = tables;
  const parts = partsOf(tables);
  const only = isSynchronous ? ` AND ${SYNCHRONOUS}` : '';
  const named = (name: string, sql: string): Statement => ({
    name: nameOf(name, isSynchronous),
    sql,
  });
  const { begin, prune, settle, wake } = parts;
  const wakeAfter = wake('$4', '$5');
  const wakeNext = wake('$11', '$10');
  const shared = acquireBeside(tables, 'shared', parts, only);
  const permits = acquireBeside(tables, 'permits', parts, only);
  const exclusive = acquireWriter(tables, parts, only);
  return {
    acquire: {
      shared: named('acquire', shared),
      permits: named('acquire', permits),
      exclusive: named('acquire', exclusive),
    },
    acquireUncalled: {
      shared: named('acquire', `${shared};${wakeNext}`),
      permits: named('acquire', `${permits};${wakeNext}`),
      exclusive: named('acquire', `${exclusive};${wakeNext}`),
    },
    keep: { name: 'keep', sql: keep(tables) },
    downgrade: named('adopt', downgrade(tables, parts, only)),
    renew: named('renew', renew(tables, parts, only)),
    release: {
      name: 'release',
      sql: `${begin}${prune}
DELETE FROM ${members} WHERE ${KEY} AND contender = $6 AND owner = $3 RETURNING 'true' AS was_held;${settle}${wakeAfter}`,
    },
    releaseWriter: {
      name: 'release',
      sql: `${begin}
UPDATE ${locks} SET owner = NULL, token = token + 1 WHERE ${KEY} AND owner = $3
RETURNING (expires_at > ${CLOCK})::text AS was_held;${prune}${wakeAfter}`,
    },
    leave: {
      name: 'leave',
      sql: `${begin}${prune}
DELETE FROM ${members} WHERE ${KEY} AND contender = $6 AND owner IS NULL;${settle}${wakeAfter}`,
    },
  };
}
