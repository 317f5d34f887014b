import { FAULT_IDS } from '@holdfast/harness/simulator';
import { expect, test } from 'vitest';
import { subjectOf } from '../src/locks/index.ts';
import { carries, searchModes, VARIANTS } from './kit/modes.ts';

const BUDGET = 30;
const TIMEOUT_MS = 300_000;

/** Few: `test/deep/modes.test.ts` plays every fault. */
const CELLS = VARIANTS.flatMap((variant) =>
  [
    ...['none', 'lost-reply', 'pause'].map((fault) => ['redis-simple', variant, fault] as const),
    ...['none', 'pause'].map((fault) => ['memory', variant, fault] as const),
    ...['zk', 'postgres'].map((name) => [name, variant, 'lost-reply'] as const),
  ].filter(([name]) => carries(name, variant)),
);

test.each(CELLS)(
  '%s, %s: no two holds that exclude each other are valid at once under %s',
  {
    timeout: TIMEOUT_MS,
  },
  async (name, variant, fault) => {
    expect(FAULT_IDS).toContain(fault);
    const { counterexample, tally } = await searchModes(subjectOf(name), variant, {
      faults: [fault],
      budget: BUDGET,
    });

    expect(counterexample?.violation.message).toBeUndefined();
    expect(tally.schedules).toBe(BUDGET);
  },
);

test('a reader whose downgrade is over before its remaining time is read claims nothing until then', async () => {
  const n = 3_177;
  const { counterexample, tally } = await searchModes(subjectOf('memory'), 'downgrades', {
    faults: ['pause'],
    after: n - 1,
    budget: n,
  });

  expect(counterexample?.violation.message).toBeUndefined();
  expect(tally.schedules).toBe(1);
});
