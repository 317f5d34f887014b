import { BATCH, batchOf, type Played, play } from '@holdfast/sim';
import { expect, test } from 'vitest';
import { SUBJECTS, violationOf } from '../../packages/holdfast/src/search/index.ts';
import { VALIDITY } from '../broken/mutant.ts';
import { ROLLING_RESTART } from '../broken/mutants/rolling-restart.ts';

const SCHEDULES = 256;
const TIMEOUT_MS = 300_000;

/** Whether the lease that is renewed throughout ended before its holder gave it back. */
function isLost({ history }: Played): boolean {
  return history.some((event) => event.type === 'lost' && event.client === 'a');
}

/** The argument is in docs/backends/redlock.md; mutant `vote-that-is-gone-counted` is convicted by the same schedules. */
test(`a rolling restart of three of five nodes without their data ends no lease and lets nobody in, in ${SCHEDULES} schedules`, {
  timeout: TIMEOUT_MS,
}, async () => {
  let effective = 0;
  for (let batch = 0; batch * BATCH < SCHEDULES; batch++) {
    for (const schedule of batchOf(ROLLING_RESTART, 1, batch)) {
      const played = await play(schedule, SUBJECTS.redlock);
      const text = JSON.stringify(schedule);
      expect(violationOf(played, VALIDITY), text).toBeUndefined();
      expect(played.complaints, text).toEqual([]);
      expect(isLost(played), text).toBe(false);
      expect(played.accepted, text).toBe(played.ops);
      if (played.effective) effective++;
    }
  }
  expect(effective).toBeGreaterThan(SCHEDULES / 2);
});
