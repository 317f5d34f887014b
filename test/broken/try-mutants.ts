import { describe, expect, test } from 'vitest';
import { detect, violationFound } from './detect.ts';
import { linesChanged } from './difference.ts';
import { type AnyMutant, BUDGET_MAX, budgetOf } from './mutant.ts';
import { recordFile, recordText } from './record.ts';
import { mutantPlayer, rightPlayer } from './schedule-players.ts';

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);
/** Of every generator, on the right lock; `npm run test:deep` plays more. */
const RUNS_RIGHT = 300;
/** Searches are not timed: what is rare takes long on a busy machine. */
const TIMEOUT_MS = 600_000;

/** Puts mutants on trial, after the right locks. */
export function testMutants(mutants: readonly AnyMutant[]): void {
  testRightLocks(mutants, RUNS_RIGHT);

  describe.each(mutants)('$name', (mutant) => {
    const { trial } = mutant;

    test('differs from the right lock in at most three lines', () => {
      expect(linesChanged(mutant)).toBeGreaterThan(0);
      expect(linesChanged(mutant)).toBeLessThanOrEqual(3);
      expect(budgetOf(trial)).toBeLessThanOrEqual(BUDGET_MAX);
    });

    test(`is convicted from each of ${SEEDS.length} seeds, by what the right lock withstands`, {
      timeout: TIMEOUT_MS,
    }, async () => {
      const wrong = await mutantPlayer(mutant);
      const right = await rightPlayer(mutant);
      const runs: number[] = [];

      for (const seed of SEEDS) {
        const conviction = await detect(wrong, trial, { seed });
        if (conviction === undefined) throw new Error(`seed ${seed} finds nothing: ${mutant.why}`);
        expect(conviction.violation.message, `seed ${seed}`).toMatch(mutant.detectedBy);
        const played = await right(conviction.schedule);
        expect(violationFound(played, trial), JSON.stringify(conviction.schedule)).toBeUndefined();
        runs.push(conviction.n);
      }
      await expect(recordText({ runs })).toMatchFileSnapshot(recordFile(mutant));
    });
  });
}

/** Shows that right locks withstand what convicts the wrong ones, in so many schedules of each trial. */
export function testRightLocks(mutants: readonly AnyMutant[], runs: number): void {
  describe.each(onePerTrial(mutants))('the schedules that convict $name', (mutant) => {
    test('acquit an unchanged copy: what convicts is the mutation', {
      timeout: TIMEOUT_MS,
    }, async () => {
      const conviction = await detect(await rightPlayer(mutant), mutant.trial, { seed: 1, runs });

      expect(conviction).toBeUndefined();
    });
  });
}

/** Several mutants are tried by the same schedules. */
function onePerTrial(mutants: readonly AnyMutant[]): readonly AnyMutant[] {
  const trials = new Map(mutants.map((mutant) => [keyOf(mutant), mutant]));
  return [...trials.values()];
}

function keyOf({
  package: of,
  trial: { subject, faults, setup, target, among },
  name,
}: AnyMutant): string {
  return JSON.stringify([of, subject, faults, setup, target, among === undefined ? '' : name]);
}
