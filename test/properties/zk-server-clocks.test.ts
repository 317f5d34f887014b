import type { FaultId } from '@holdfast/core';
import {
  BATCH,
  batchOf,
  type Fault,
  play,
  type Schedule,
  schedulesFor,
} from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../../harness/src/locks/index.ts';
import { setupOf } from '../../harness/src/search/index.ts';

/** What the matrix calls inert on zk is shown to be: the same schedules come to the same without the fault. */
const BATCHES = 4;
const subject = subjectOf('zk');

function schedulesOf(kind: FaultId): readonly Schedule[] {
  const schedules = schedulesFor([kind], setupOf({ subject }));
  return Array.from({ length: BATCHES }, (_, n) => batchOf(schedules, 1, n)).flat();
}

/** In how many of the schedules it matters whether these of their faults strike. */
async function differing(kind: FaultId, isMeant: (fault: Fault) => boolean): Promise<number> {
  let count = 0;
  for (const schedule of schedulesOf(kind)) {
    const rest = schedule.faults.filter((fault) => !isMeant(fault));
    const [struck, spared] = [
      await play(schedule, subject),
      await play({ ...schedule, faults: rest }, subject),
    ];
    if (JSON.stringify(struck.history) !== JSON.stringify(spared.history)) count++;
  }
  return count;
}

test.each(['server-clock-forward', 'server-clock-back'] as const)(
  `%s changes nothing that happens on zk, in ${BATCHES * BATCH} schedules`,
  { timeout: 120_000 },
  async (kind) => {
    expect(await differing(kind, () => true)).toBe(0);
  },
);

test('a clock that clients or servers do look at changes what happens', {
  timeout: 120_000,
}, async () => {
  expect(await differing('drift', () => true)).toBeGreaterThan(0);
});
