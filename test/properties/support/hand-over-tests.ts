import { expect, test } from 'vitest';
import { subjectOf } from '../../../harness/test/kit/locks.ts';
import {
  cellIn,
  loadMatrix,
  type Row,
  rowName,
  TARGET_OF,
} from '../../../harness/test/kit/matrix.ts';
import { search } from '../../../harness/test/kit/search.ts';
import { handedOver } from './handed-over.ts';

const LOCKS = ['redis-simple', 'redlock-3'] as const;

/** Where the lock itself keeps mutual exclusion, so do leases of it that were handed over. */
function isSurvived(row: Row, lock: string): boolean {
  return cellIn(row, lock).claims.validity.expect === 'holds';
}

/** Plays so many schedules of each lock and each row that it survives, or of rows of these faults alone. */
export function handOverTests(schedules: number, faults?: readonly string[]): void {
  test.each(LOCKS)(
    'leases of %s that were handed over are never two at once, and none is adopted twice',
    async (lock) => {
      const { subject, seen } = handedOver(subjectOf(lock));
      const broken: string[] = [];

      const rows = loadMatrix().rows.filter((row) => faults?.includes(row.fault) ?? true);
      for (const row of rows.filter((each) => isSurvived(each, lock))) {
        const { counterexample, tally } = await search({
          subject,
          faults: [row.fault],
          setup: row.setup,
          seed: 1,
          budget: schedules,
          targets: subject.tokens ? [TARGET_OF.validity, TARGET_OF.resource] : [TARGET_OF.validity],
        });
        expect(tally.accepted, 'it proved nothing').toBeGreaterThan(0);
        if (counterexample !== undefined)
          broken.push(`${rowName(row)}: ${counterexample.violation.message}`);
      }

      expect(broken).toEqual([]);
      expect(seen.twice).toBe(0);
      // Adopters met, and tried again after a reply was lost.
      expect(seen.refused).toBeGreaterThan(0);
      expect(seen.repeated).toBeGreaterThan(0);
    },
  );
}
