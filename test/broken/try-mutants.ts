import { describe, expect, test } from 'vitest';
import { detect, violationFound } from './detect.ts';
import { linesChanged } from './difference.ts';
import { type AnyMutant, BUDGET_MAX, budgetOf } from './mutant.ts';
import { recordFile, recordText, runsOf } from './record.ts';
import { mutantPlayer, rightPlayer } from './schedule-players.ts';

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);
/** In `npm test`: the seeds that detect the mutant soonest, by the record of all seeds. */
const SOONEST = 2;
/** Of every generator, on the right lock; `npm run test:deep` plays more. */
const RUNS_RIGHT = 32;
/** Searches are not timed: what is rare takes long on a busy machine. */
const TIMEOUT_MS = 600_000;

/** Tests mutants, after the correct locks: each is detected from some seeds, after the recorded number of schedules. */
export function testMutants(mutants: readonly AnyMutant[]): void {
  testRightLocks(mutants, RUNS_RIGHT);

  describe.each(mutants)('$name', (mutant) => {
    test('differs from the right lock in at most three lines', () => {
      expect(linesChanged(mutant)).toBeGreaterThan(0);
      expect(linesChanged(mutant)).toBeLessThanOrEqual(3);
      expect(budgetOf(mutant.trial)).toBeLessThanOrEqual(BUDGET_MAX);
    });

    test(`is detected from ${SOONEST} seeds as on record, in schedules that the correct lock withstands`, {
      timeout: TIMEOUT_MS,
    }, async () => {
      const recorded = runsOf(mutant);
      const seeds = SEEDS.toSorted((a, b) => runsFrom(recorded, a) - runsFrom(recorded, b));
      const soonest = seeds.slice(0, SOONEST);

      const runs = await runsToDetect(mutant, soonest);

      expect(runs).toEqual(soonest.map((seed) => recorded[seed - 1]));
    });
  });
}

/** As many schedules as a seed took; first of all where that is not on record, so that it is noticed. */
function runsFrom(recorded: readonly number[], seed: number): number {
  return recorded[seed - 1] ?? 0;
}

/** Tries every mutant from all seeds, and keeps how many schedules each takes. */
export function tryEverySeed(mutants: readonly AnyMutant[]): void {
  test.each(mutants)(
    `$name is detected from each of ${SEEDS.length} seeds`,
    {
      timeout: TIMEOUT_MS,
    },
    async (mutant) => {
      const runs = await runsToDetect(mutant, SEEDS);

      await expect(recordText({ runs })).toMatchFileSnapshot(recordFile(mutant));
    },
  );
}

/** Returns the number of schedules until the detection, from each seed; the correct lock withstands that schedule. */
async function runsToDetect(mutant: AnyMutant, seeds: readonly number[]): Promise<number[]> {
  const { trial } = mutant;
  const wrong = await mutantPlayer(mutant);
  const right = await rightPlayer(mutant);
  const runs: number[] = [];
  for (const seed of seeds) {
    const detection = await detect(wrong, trial, { seed });
    if (detection === undefined) throw new Error(`seed ${seed} finds nothing: ${mutant.why}`);
    expect(detection.violation.message, `seed ${seed}`).toMatch(mutant.detectedBy);
    const played = await right(detection.schedule);
    expect(violationFound(played, trial), JSON.stringify(detection.schedule)).toBeUndefined();
    runs.push(detection.n);
  }
  return runs;
}

/** Shows that correct locks withstand the schedules that detect the mutants, in so many schedules of each trial. */
export function testRightLocks(mutants: readonly AnyMutant[], runs: number): void {
  describe.each(onePerTrial(mutants))('the schedules that detect $name', (mutant) => {
    test('find nothing in an unchanged copy: they detect the mutation', {
      timeout: TIMEOUT_MS,
    }, async () => {
      const detection = await detect(await rightPlayer(mutant), mutant.trial, { seed: 1, runs });

      expect(detection).toBeUndefined();
    });
  });
}

/** Several mutants share one set of schedules. */
function onePerTrial(mutants: readonly AnyMutant[]): readonly AnyMutant[] {
  const trials = new Map(mutants.map((mutant) => [keyOf(mutant), mutant]));
  return [...trials.values()];
}

function keyOf({
  package: of,
  trial: { subject, faults, modes, setup, target, among },
  name,
}: AnyMutant): string {
  return JSON.stringify([
    of,
    subject,
    faults,
    modes,
    setup,
    target,
    among === undefined ? '' : name,
  ]);
}
