import { describe, expect, test } from 'vitest';
import { detect, violationFound } from './detect.ts';
import { linesChanged } from './difference.ts';
import { FAIR_QUEUE_MUTANTS } from './mutants/fair-queue.ts';
import { mutantPlayer, rightPlayer } from './schedule-players.ts';

const SEEDS = [1, 2, 3];
/** Most are detected by the first ten schedules. */
const RUNS = 400;
const TIMEOUT_MS = 600_000;

describe.each(FAIR_QUEUE_MUTANTS)('$name', (mutant) => {
  test('differs from the right lock in at most three lines', () => {
    expect(linesChanged(mutant)).toBeGreaterThan(0);
    expect(linesChanged(mutant)).toBeLessThanOrEqual(3);
  });

  test('is detected from each seed, in a schedule that the right lock withstands', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const wrong = await mutantPlayer(mutant);
    const right = await rightPlayer(mutant);
    for (const seed of SEEDS) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const detection = await detect(wrong, mutant.trial, { seed, runs: RUNS });
      if (detection === undefined) throw new Error(`seed ${seed} finds nothing: ${mutant.why}`);
      expect(detection.violation.message).toMatch(mutant.detectedBy);
      // oxlint-disable-next-line no-await-in-loop
      const played = await right(detection.schedule);
      expect(violationFound(played, mutant.trial)).toBeUndefined();
    }
  });
});
