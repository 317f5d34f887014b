import type { HoldMode } from '@holdfast/core/backend';
import type { Statement } from '../port.ts';
import type { Tables } from '../schema.ts';
import {
  attemptOf,
  CLOCK,
  CLOCK_US,
  contenderOf,
  EXPIRY,
  isEarlier,
  isFree,
  isOver,
  KEY,
  nameOf,
  OWNER,
  remainingMs,
  SYNCHRONOUS,
} from '../statements.ts';
import { keep } from './keep.ts';
import {
  isMarker,
  isOneOf,
  isRequested,
  type Parts,
  PERMITS,
  partsOf,
  READERS,
  REQUESTS,
  SEPARATOR,
} from './line.ts';

/**
 * The statements of readers, writers and semaphores. In all of them `$1` is the namespace and `$2` the key. Several owner values
 * or contenders have tabs between.
 */
export interface ModeStatements {
  /**
   * `$3` owner values, one of a writer; `$4` ttl in ms, `$5` label of the owner values, `$6` permits, `$7` of how many, `$8` ms for
   * which a place lasts. Rows: `token` if acquired, and beside others `granted`, their owner values; then `owner`, `remaining_ms`,
   * `other_of`, another number of permits that a holder knows of, and `is_synchronous`.
   */
  readonly acquire: Readonly<Record<HoldMode['kind'], Statement>>;
  /**
   * The same of the first in line, which nobody has called: it wakes the next ones. `$9` prefix of payloads, `$10` payload. That of
   * permits also gives back the owner values of `$11` before, as `release`.
   */
  readonly acquireUncalled: Readonly<Record<HoldMode['kind'], Statement>>;
  /**
   * Keeps places in line and waits for nobody. `$3` contenders, `$4` ms for which the places last. Rows: what `set_config` returns;
   * then `contender`, `is_behind`: true if it waits behind another one.
   */
  readonly keep: Statement;
  /** As `acquireUncalled`, of one reader, and `$11` the owner value of the writer that becomes it. */
  readonly downgrade: Statement;
  /** `$3` owner values, `$4` ttl in ms. Rows: `renewed`, the owner values held, if any; then `is_synchronous`. */
  readonly renew: Statement;
  /** `$3` owner values, `$4` payload, `$5` prefix of payloads. Rows: `released`, the owner value of a hold. */
  readonly release: Statement;
  /** The same of a writer. Row: `was_held`. */
  readonly releaseWriter: Statement;
  /** Gives up a place: as `release`, `$3` is the contender. */
  readonly leave: Statement;
}

const OWNERS_HELD = `(SELECT array_to_string(array_agg(owner), '${SEPARATOR}') FROM held)`;
const LETTERS = { shared: 's', exclusive: 'x', permits: 'p' } as const;

/** Gives each contender a place in line, or keeps the one that it has, unless the key is used as another kind of lock. */
function join({ locks, members }: Tables, kind: HoldMode['kind']): string {
  return `
INSERT INTO ${members} AS stored (namespace, key, contender, attempt, owner, mode, permits, out_of, place, expires_at)
SELECT $1, $2, ${contenderOf('request.owner')}, ${attemptOf('request.owner')}, NULL, '${LETTERS[kind]}', $6, $7,
  (SELECT coalesce(max(place), 0) FROM ${members} WHERE ${KEY}) + request.n, ${CLOCK} + $8 * interval '1 millisecond'
FROM ${REQUESTS}
WHERE EXISTS (SELECT FROM ${locks} WHERE ${KEY}
  AND (owner IS NULL OR (owner ~ ${OWNER} AND owner <> ${kind === 'permits' ? READERS : PERMITS})))
ON CONFLICT (namespace, key, contender) DO UPDATE
SET attempt = excluded.attempt, expires_at = greatest(stored.expires_at, excluded.expires_at)
WHERE stored.attempt < excluded.attempt;`;
}

/** Makes members holders. The first one draws a token, and those beside it have the same one. */
function hold(tables: Tables, marker: string, isHolder: string): string {
  const { locks } = tables;
  return `
WITH held AS (
  ${isHolder}
  RETURNING owner, expires_at
)
UPDATE ${locks} AS stored
SET owner = ${marker},
  token = CASE WHEN stored.owner = ${marker} THEN stored.token ELSE greatest(stored.token + 1, ${CLOCK_US}) END,
  expires_at = CASE WHEN stored.owner = ${marker} THEN greatest(stored.expires_at, (SELECT max(expires_at) FROM held)) ELSE (SELECT max(expires_at) FROM held) END
WHERE ${KEY} AND EXISTS (SELECT FROM held)
RETURNING token::text AS token, ${OWNERS_HELD} AS granted;
${outcome(tables)}`;
}

/** The state after an attempt. */
function outcome({ locks, members }: Tables): string {
  return `
SELECT stored.owner, ${remainingMs('coalesce(holds.soonest, stored.expires_at)')} AS remaining_ms,
  holds.other_of::text AS other_of, (${SYNCHRONOUS})::text AS is_synchronous
FROM (SELECT min(CASE WHEN mode = 'p' THEN expires_at END) AS soonest, min(CASE WHEN out_of <> $7 THEN out_of END) AS other_of
  FROM ${members} WHERE ${KEY} AND owner IS NOT NULL) AS holds LEFT JOIN ${locks} AS stored ON ${KEY}`;
}

/** An attempt that has only kept its place need not wait for the disk: a place that is lost in a crash is taken anew. */
function placeKept({ locks, members }: Tables): string {
  return `;
SELECT set_config('synchronous_commit', 'off', true) AS synchronous_commit
WHERE NOT EXISTS (SELECT FROM ${locks} WHERE ${KEY} AND owner = $3)
  AND NOT EXISTS (SELECT FROM ${members} WHERE ${KEY} AND ${isRequested('owner')})`;
}

function acquireBeside(
  tables: Tables,
  kind: 'shared' | 'permits',
  parts: Parts,
  only: string,
  drop: string = parts.prune,
): string {
  const { locks, members } = tables;
  const marker = kind === 'shared' ? READERS : PERMITS;
  const own = "contender || ':' || attempt || ':' || $5";
  const isHolder = `UPDATE ${members} SET owner = ${own}, expires_at = ${EXPIRY}
  WHERE ${KEY} AND ${isRequested(own)} AND ${isOneOf('contender', parts.fitting(kind === 'permits' ? '$7' : undefined))}
    AND EXISTS (SELECT FROM ${locks} AS stored WHERE ${KEY} AND (stored.owner = ${marker} OR ${isOver('stored')}))${only}`;
  return `${parts.create}${drop}${parts.settle}${join(tables, kind)}${hold(tables, marker, isHolder)}`;
}

/** A writer is stored as an exclusive holder, which every release of this library knows, and leaves the line. */
function acquireWriter(tables: Tables, parts: Parts, only: string): string {
  const { locks, members } = tables;
  return `${parts.create}${parts.prune}${parts.settle}${join(tables, 'exclusive')}
WITH held AS (
  UPDATE ${locks} AS stored
  SET owner = $3, expires_at = ${EXPIRY}, token = greatest(stored.token + 1, ${CLOCK_US})
  WHERE ${KEY} AND ${isFree('stored')} AND (${isEarlier('stored')} IS TRUE OR ${contenderOf('$3')} IN ${parts.fitting()})${only}
  RETURNING token
), gone AS (
  DELETE FROM ${members} WHERE ${KEY} AND contender = ${contenderOf('$3')} AND EXISTS (SELECT FROM held)
)
SELECT token::text AS token FROM held;
${outcome(tables)}`;
}

/** Makes a writer a reader in one step, and lets the readers behind it in. As `adopt`, it takes no free key. */
function downgrade(tables: Tables, parts: Parts, only: string): string {
  const { locks, members } = tables;
  const isHolder = `INSERT INTO ${members} AS stored (namespace, key, contender, attempt, owner, mode, permits, out_of, place, expires_at)
  SELECT $1, $2, ${contenderOf('$3')}, ${attemptOf('$3')}, $3, 's', $6, $7, 0, ${EXPIRY}
  WHERE (EXISTS (SELECT FROM ${locks} WHERE ${KEY} AND owner = $11 AND expires_at > ${CLOCK})
    OR EXISTS (SELECT FROM ${members} WHERE ${KEY} AND contender = ${contenderOf('$3')} AND owner IS NOT NULL))${only}
  ON CONFLICT (namespace, key, contender) DO UPDATE
  SET attempt = excluded.attempt, owner = excluded.owner, expires_at = greatest(stored.expires_at, excluded.expires_at)
  WHERE stored.attempt < excluded.attempt`;
  return `${parts.begin}${parts.prune}${parts.settle}${hold(tables, READERS, isHolder)}${placeKept(tables)};${parts.wake('$10', '$9')}`;
}

function renew({ locks, members }: Tables, parts: Parts, only: string): string {
  return `${parts.begin}
WITH held AS (
  UPDATE ${members} SET expires_at = greatest(expires_at, ${EXPIRY})
  WHERE ${KEY} AND ${isRequested('owner')} AND expires_at > ${CLOCK}
    AND EXISTS (SELECT FROM ${locks} AS stored WHERE ${KEY} AND ${isMarker('stored')})${only}
  RETURNING owner, expires_at
)
UPDATE ${locks} SET expires_at = greatest(expires_at, (SELECT max(expires_at) FROM held))
WHERE ${KEY} AND EXISTS (SELECT FROM held)
RETURNING ${OWNERS_HELD} AS renewed;
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
  const { begin, prune, drop, settle, wake } = parts;
  const wakeAfter = wake('$4', '$5');
  const kept = placeKept(tables);
  const wakeNext = wake('$10', '$9');
  const shared = acquireBeside(tables, 'shared', parts, only);
  const permits = acquireBeside(tables, 'permits', parts, `${only} AND ${parts.isLeftByOthers}`);
  const passed = acquireBeside(tables, 'permits', parts, only, drop('$11'));
  const exclusive = acquireWriter(tables, parts, only);
  return {
    acquire: {
      shared: named('acquire', `${shared}${kept}`),
      permits: named('acquire', `${permits}${kept}`),
      exclusive: named('acquire', `${exclusive}${kept}`),
    },
    acquireUncalled: {
      shared: named('acquire', `${shared}${kept};${wakeNext}`),
      permits: named('acquire', `${passed}${kept} AND $11 = '';${wakeNext}`),
      exclusive: named('acquire', `${exclusive}${kept};${wakeNext}`),
    },
    keep: { name: 'keep', sql: keep(tables) },
    downgrade: named('adopt', downgrade(tables, parts, only)),
    renew: named('renew', renew(tables, parts, only)),
    release: {
      name: 'release',
      sql: `${begin}${drop('$3')}${settle}${wakeAfter}`,
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
DELETE FROM ${members} WHERE ${KEY} AND contender = $3 AND owner IS NULL;${settle}${wakeAfter}`,
    },
  };
}
