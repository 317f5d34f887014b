import type { FaultId } from '@holdfast/core';
import { BATCH, batchOf, play, type Schedule, schedulesFor } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../../../../harness/src/locks/index.ts';
import { setupOf } from '../../../../harness/src/search/index.ts';

/** What the matrix calls inert on zk is shown to be: the same schedules come to the same without the fault. */
const BATCHES = 1;
const subject = subjectOf('zk');

function schedulesOf(kind: FaultId): readonly Schedule[] {
  const schedules = schedulesFor([kind], setupOf({ subject }));
  return Array.from({ length: BATCHES }, (_, n) => batchOf(schedules, 1, n)).flat();
}

/** The first of the schedules in which it matters whether the faults strike. */
async function differing(kind: FaultId): Promise<Schedule | undefined> {
  for (const schedule of schedulesOf(kind)) {
    const struck = await play(schedule, subject);
    const spared = await play({ ...schedule, faults: [] }, subject);
    if (JSON.stringify(struck.history) !== JSON.stringify(spared.history)) return schedule;
  }
  return undefined;
}

test.each(['server-clock-forward', 'server-clock-back'] as const)(
  `%s changes nothing that happens on zk, in ${BATCHES * BATCH} schedules`,
  { timeout: 120_000 },
  async (kind) => {
    expect(await differing(kind)).toBeUndefined();
  },
);

test('a clock that clients or servers do look at changes what happens', {
  timeout: 120_000,
}, async () => {
  expect(await differing('drift')).toBeDefined();
});
