import type { FaultId } from '@holdfast/core/backend';
import { BATCH, batchOf, play, type Schedule, schedulesFor } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../../../../harness/test/kit/locks.ts';
import { setupOf } from '../../../../harness/test/kit/search.ts';

/** Shows that the faults that the matrix calls inert on zk are inert: each schedule has one history with and without them. */
const BATCHES = 1;
const subject = subjectOf('zk');

function schedulesOf(kind: FaultId): readonly Schedule[] {
  const schedules = schedulesFor([kind], setupOf({ subject }));
  return Array.from({ length: BATCHES }, (_, n) => batchOf(schedules, 1, n)).flat();
}

/** The first schedule whose history depends on its faults. */
async function differing(kind: FaultId): Promise<Schedule | undefined> {
  for (const schedule of schedulesOf(kind)) {
    const affected = await play(schedule, subject);
    const unaffected = await play({ ...schedule, faults: [] }, subject);
    if (JSON.stringify(affected.history) !== JSON.stringify(unaffected.history)) return schedule;
  }
  return undefined;
}

test.each(['server-clock-forward', 'server-clock-back'] as const)(
  `%s changes nothing that happens on zk, in ${BATCHES * BATCH} schedules`,
  async (kind) => {
    expect(await differing(kind)).toBeUndefined();
  },
);

test('a clock that clients or servers do look at changes what happens', async () => {
  expect(await differing('drift')).toBeDefined();
});
