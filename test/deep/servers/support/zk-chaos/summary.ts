import { loadavg } from 'node:os';
import { type Expiry, type Verdict, verdictOf } from './expiries.ts';
import { grantsOf, PROMISES } from './promises.ts';
import type { Chaos } from './run.ts';

/** For people: what was done, and what came of it. */
export function summaryOf(name: string, chaos: Chaos): string {
  const { seed, end, injections, calms, rifts, report, expiries } = chaos;
  return JSON.stringify(
    {
      name,
      seed,
      end,
      injections,
      calms: calms.length,
      judged: calms.filter((stuck) => stuck !== undefined).length,
      rifts: rifts.map(({ missing, paths: [example] }) => ({ missing, example })),
      granted: grantsOf(chaos),
      errors: report?.errors,
      ledger: report?.ledger.length,
      expired: counts(expiries.map(verdictOf)),
      endedButNotCommitted: expiries.filter(isUncommitted).length,
      // Beside the true ones, which are many: what they are judged by.
      expiries: expiries.filter((expiry) => verdictOf(expiry) !== 'truly'),
      broken: Object.fromEntries(
        PROMISES.map(([promise, judge]) => [promise, judged(judge, chaos)]),
      ),
      load: loadavg(),
    },
    undefined,
    1,
  );
}

/** True if the leader had decided on its end while its nodes still existed. */
function isUncommitted({ looks: [first] }: Expiry): boolean {
  return first !== undefined && first.hasNodes && !first.isKnown;
}

function counts(verdicts: readonly Verdict[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...new Set(verdicts)].map((verdict) => [
      verdict,
      verdicts.filter((each) => each === verdict).length,
    ]),
  );
}

/** Counts of violations of each promise, or the error of its judge. */
function judged(judge: (chaos: Chaos) => readonly unknown[], chaos: Chaos): number | string {
  try {
    return judge(chaos).length;
  } catch (error) {
    return String(error);
  }
}
