import type { Tables } from '../schema.ts';
import { CLOCK, KEY } from '../statements.ts';
import { isRequested } from './line.ts';

/** Keeps places in line. Has no need of the lock of the row: nobody else changes a place, but drops it once it is over. */
export function keep({ members }: Tables): string {
  const waits = `${KEY} AND owner IS NULL AND expires_at > ${CLOCK}`;
  return `
UPDATE ${members} SET expires_at = greatest(expires_at, ${CLOCK} + $4 * interval '1 millisecond')
WHERE ${isRequested('contender')} AND ${waits}
RETURNING contender, (place > (SELECT min(place) FROM ${members} WHERE ${waits}))::text AS is_behind;
SELECT set_config('synchronous_commit', 'off', true) AS synchronous_commit`;
}
