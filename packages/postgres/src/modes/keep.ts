import type { Tables } from '../schema.ts';
import { CLOCK, KEY } from '../statements.ts';
import { isRequested } from './line.ts';

/**
 * Keeps places in line. Has no need of the lock of the row: nobody else changes a place, but drops it once it is over. Passes
 * over members that a call is about to change, which keeps their places itself: two that lock many members would deadlock.
 */
export function keep({ members }: Tables): string {
  const waits = `${KEY} AND owner IS NULL AND expires_at > ${CLOCK}`;
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
