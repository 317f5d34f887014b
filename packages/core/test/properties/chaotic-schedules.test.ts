import { expect, test } from 'vitest';
import { runs } from '../../../../test/support/runs.ts';
import { chaos } from '../support/chaos.ts';

const SCHEDULES = runs(700);

test(`in ${SCHEDULES} chaotic schedules no two leases are valid at once, every call settles, nothing is left behind`, async () => {
  for (let seed = 0; seed < SCHEDULES; seed++) {
    const wrong = await chaos(seed);

    expect(wrong, `chaos(${seed})`).toEqual([]);
  }
});
