import { describe, expect, test } from 'vitest';
import { subjectOf } from '../../../harness/test/kit/locks.ts';
import {
  type CellResult,
  cellIn,
  contradictedClaims,
  isTried,
  loadMatrix,
  rowName,
  rowsOf,
  runCell,
  stuckIn,
} from '../../../harness/test/kit/matrix.ts';

const FAIR = 'redis-simple/fair';
/** The lock that `fair: true` adds a queue to: what holds there has to hold here. */
const UNFAIR = 'redis-simple';
/** The minimum shares, as in a cell of the matrix. */
const ACCEPTED_MIN = 0.5;
const EFFECTIVE_MIN = 0.2;

/** Plays every row of the matrix on a lock with a queue, `schedules` of each. */
export function fairQueueTests({
  schedules,
  seed = 1,
  timeoutMs,
}: {
  readonly schedules: number;
  readonly seed?: number;
  readonly timeoutMs: number;
}): void {
  const matrix = loadMatrix();
  const subject = subjectOf(FAIR);
  const results: CellResult[] = [];
  const rows = rowsOf(matrix, UNFAIR).filter((row) => isTried(cellIn(row, UNFAIR)));

  describe(`redis-simple with a queue, in ${schedules} schedules of each row`, () => {
    test.each(rows.map((row) => [rowName(row), row] as const))(
      '%s: it holds where it holds without a queue, and serves in order',
      { timeout: timeoutMs },
      async (_, row) => {
        const cell = cellIn(row, UNFAIR);
        const result = await runCell(subject, row, { seed, budget: schedules });

        results.push(result);
        expect(
          contradictedClaims(result, cell).filter((each) => cell.claims[each].expect === 'holds'),
        ).toEqual([]);
        expect(unkeptBy(result, 'ownership')).toBeUndefined();
        expect(stuckIn(result), unkeptBy(result, 'liveness')).toBeLessThanOrEqual(
          cell.stuck * schedules,
        );
        // Servers that lose their data, or are two, have no one order.
        const isOrdered = cell.claims.validity.expect === 'holds';
        expect(isOrdered ? unkeptBy(result, 'fifo') : undefined).toBeUndefined();
      },
    );

    test('the faults took effect, and most operations were done', () => {
      const sum = (of: keyof CellResult['tally'] & ('ops' | 'accepted' | 'effective')): number =>
        results.reduce((total, { tally }) => total + tally[of], 0);

      expect(results).toHaveLength(rows.length);
      expect(sum('accepted') / sum('ops')).toBeGreaterThan(ACCEPTED_MIN);
      expect(sum('effective') / (rows.length * schedules)).toBeGreaterThan(EFFECTIVE_MIN);
    });
  });
}

function unkeptBy({ findings }: CellResult, property: string): string | undefined {
  const found = findings.get(property);
  return found && `${found.violation.message}\n${JSON.stringify(found.schedule)}`;
}
