import type { Tables } from '../schema.ts';
import { CLOCK, KEY } from '../statements.ts';

/** Keeps a place in line. Has no need of the lock of the row: nobody else changes a place, but drops it once it is over. */
export function keep({ members }: Tables): string {
  return `
UPDATE ${members} AS own SET expires_at = greatest(expires_at, ${CLOCK} + $4 * interval '1 millisecond')
WHERE ${KEY} AND contender = $3 AND owner IS NULL AND expires_at > ${CLOCK}
RETURNING (EXISTS (SELECT FROM ${members} AS ahead
  WHERE ahead.namespace = $1 AND ahead.key = $2 AND ahead.owner IS NULL AND ahead.place < own.place AND ahead.expires_at > ${CLOCK}))::text AS is_behind;
SELECT set_config('synchronous_commit', 'off', true) AS synchronous_commit`;
}
