import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { playCampaign } from '../mutation/campaign.ts';
import { Ledger } from '../mutation/ledger.ts';
import { mutantsOfPackage } from '../mutation/mutants.ts';
import { mutationPage } from '../mutation/page.ts';
import { ScheduleOnlyRecord } from '../mutation/schedule-only-record.ts';
import { FILES, PACKAGES } from '../mutation/targets.ts';
import { setup } from '../support/build.ts';

/** A slice of a campaign; without, it is played to its end. What has been judged is not judged again. */
const SLICE_S = Number(process.env['HOLDFAST_SLICE_S'] ?? Number.POSITIVE_INFINITY);
const WORKERS = Number(process.env['HOLDFAST_WORKERS'] ?? availableParallelism());
/** Of all mutants; the page says how many have not been played. */
const SHARE = Number(process.env['HOLDFAST_SHARE'] ?? 1);
const ONLY = process.env['HOLDFAST_PACKAGES']?.split(',') ?? PACKAGES;
/** Judges once more the mutants that no test noticed. */
const AGAIN = process.env['HOLDFAST_AGAIN'] === '1';
/** Asks contract and schedules alone about a sample: minutes of an idle machine for each package. */
const ALONE = process.env['HOLDFAST_ALONE'] === '1';
const TIMEOUT_MS = 12 * 3_600_000;
const PAGE = '../../docs/evidence/mutation.md';

const untilMs = Date.now() + SLICE_S * 1000;

const PARTS = ['contract and unit tests', 'schedules'] as const;
const CASES = PARTS.flatMap((part) =>
  PACKAGES.filter((name) => ONLY.includes(name)).map((of) => [of, part] as const),
);

test.each(CASES)(
  'every mutant of %s is judged by %s',
  { timeout: TIMEOUT_MS },
  async (of, part) => {
    setup();
    const mutants = mutantsOfPackage(of);

    const ledger = await playCampaign(of, mutants, {
      part,
      share: SHARE,
      again: AGAIN && part === PARTS[0],
      workers: WORKERS,
      untilMs,
      onProgress: (line) => process.stderr.write(`${line}\n`),
    });

    if (Date.now() >= untilMs || SHARE < 1) return;
    expect(mutants.filter((mutant) => ledger.of(mutant) === undefined)).toEqual([]);
  },
);

test.runIf(ALONE).each(PACKAGES.filter((name) => ONLY.includes(name)))(
  'contract and schedules alone judge a sample of %s',
  { timeout: TIMEOUT_MS },
  async (of) => {
    setup();
    const mutants = mutantsOfPackage(of);
    const alone = new ScheduleOnlyRecord(of);

    await alone.play(of, mutants, { workers: WORKERS, untilMs });

    if (Date.now() >= untilMs) return;
    const unasked = FILES[of].filter(
      (file) => alone.detectedIn(alone.sampleOf(mutants, file)) === undefined,
    );
    expect(unasked).toEqual([]);
  },
);

test('the page says what became of every mutant', async () => {
  const judged = PACKAGES.map((of) => ({
    of,
    mutants: mutantsOfPackage(of),
    ledger: new Ledger(of),
    alone: new ScheduleOnlyRecord(of),
  }));

  await expect(mutationPage(judged)).toMatchFileSnapshot(PAGE);
});
