import type { Tables } from '../schema.ts';
import { CLOCK, KEY } from '../statements.ts';
import { isRequested } from './line.ts';

/** Keeps places in line, without the lock of the row. */
export function keep({ members }: Tables): string {
  const waits = `${KEY} AND owner IS NULL AND expires_at > ${CLOCK}`;
  // Members that another call is about to change are left to it: both lock many, and would deadlock.
  return `
WITH unlocked AS (
  SELECT contender FROM ${members} WHERE ${isRequested('contender')} AND ${waits} FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE ${members} SET expires_at = greatest(expires_at, ${CLOCK} + $4 * interval '1 millisecond')
WHERE ${KEY} AND (contender IN (SELECT contender FROM unlocked)) IS TRUE;
SELECT set_config('synchronous_commit', 'off', true) AS synchronous_commit;
SELECT contender, (place > (SELECT min(place) FROM ${members} WHERE ${waits}))::text AS is_behind
FROM ${members} WHERE ${isRequested('contender')} AND ${waits}`;
}
