import { describe, expect, test } from 'vitest';
import { broken, search, told } from '../properties/support/search.ts';
import { LEASE_MUTANTS } from './mutants.ts';
import { importCopy, importMutant, linesChanged } from './mutate.ts';

/** As many schedules as the right lock is shown to withstand, see `memory-lease.test.ts`. */
const RUNS = 10_000;
const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);

test('an unchanged copy of core is acquitted: what convicts the others is their mutation', async () => {
  const found = await search(await importCopy(), broken, { seed: 1, runs: RUNS });

  expect(found, told(found)).toBeUndefined();
});

describe.each(LEASE_MUTANTS)('$name', (mutant) => {
  test('differs from the right lock in at most three lines', () => {
    expect(linesChanged(mutant)).toBeGreaterThan(0);
    expect(linesChanged(mutant)).toBeLessThanOrEqual(3);
  });

  test(`is convicted from each of ${SEEDS.length} seeds`, async () => {
    const core = await importMutant(mutant);

    const verdicts: string[] = [];
    for (const seed of SEEDS) {
      const found = await search(core, broken, { seed, runs: RUNS, shrink: false });
      expect(found, `seed ${seed}: ${mutant.why}`).toBeDefined();
      verdicts.push(told(found));
    }

    expect(verdicts.join('\n')).toMatch(mutant.convictedBy);
  });
});
