import { refusedByCompiler } from './compiles.ts';
import { type JudgeOptions, judgeMutants } from './judge-mutants.ts';
import { isAlive, Ledger, REFUSED, SURVIVED, UNNOTICED, WITHSTOOD } from './ledger.ts';
import { type Mutable, type Mutant, placeOf, unchanged } from './mutant.ts';
import { FILES } from './targets.ts';

/** Schedules that find nothing take long, so they come after the contract and unit tests of every package. */
export type CampaignPart = 'contract and unit tests' | 'schedules';

export interface CampaignOptions extends Pick<JudgeOptions, 'workers' | 'untilMs'> {
  readonly part: CampaignPart;
  /** The share of all mutants, from 0 to 1: a fair sample, and part of every larger one. */
  readonly share: number;
  /** True if mutants that no test noticed are judged once more, because there are new unit tests. */
  readonly again: boolean;
  /** Receives a line after every verdict. */
  readonly onProgress: (line: string) => void;
}

/** One judge: the result that mutants have before it, and the result of those in which it finds nothing. */
interface JudgingStage extends Pick<JudgeOptions, 'script' | 'args'> {
  readonly part: CampaignPart;
  readonly from: string | undefined;
  readonly to: string;
}

const CONTRACT_AND_UNIT = 'contract and unit tests';
const JUDGING_STAGES: readonly JudgingStage[] = [
  {
    part: CONTRACT_AND_UNIT,
    script: 'judge-process.ts',
    args: ['contract'],
    from: undefined,
    to: WITHSTOOD,
  },
  { part: CONTRACT_AND_UNIT, script: 'unit-process.ts', args: [], from: WITHSTOOD, to: UNNOTICED },
  {
    part: 'schedules',
    script: 'judge-process.ts',
    args: ['schedules'],
    from: UNNOTICED,
    to: SURVIVED,
  },
];
/** Verdicts between two savings. */
const SAVED_EVERY = 20;

/**
 * Judges those mutants of a package of which nothing is known yet, cheapest first: the compiler, the contract, the unit
 * tests of the package, schedules. Keeps what is found in the ledger, so that a campaign can be played in slices.
 */
export async function playCampaign(
  of: Mutable,
  mutants: readonly Mutant[],
  options: CampaignOptions,
): Promise<Ledger> {
  const ledger = new Ledger(of);
  const chosen = mutants
    .filter((mutant) => placeOf(mutant) < options.share)
    .toSorted((a, b) => placeOf(a) - placeOf(b));
  const fresh = chosen.filter((mutant) => ledger.of(mutant) === undefined);
  if (fresh.length > 0) {
    for (const digest of await refusedByCompiler(of, fresh)) ledger.set(digest, REFUSED);
    // No mutant may be left for the other judges.
    ledger.keep(mutants);
  }
  if (options.again)
    for (const { digest } of chosen.filter((mutant) => isAlive(ledger.of(mutant))))
      ledger.set(digest, WITHSTOOD);
  for (const { part, script, args = [], from, to } of JUDGING_STAGES) {
    if (part !== options.part) continue;
    const todo = chosen.filter((mutant) => ledger.of(mutant) === from);
    if (todo.length === 0 || Date.now() >= options.untilMs) continue;
    await checkRightLock(of, { ...options, script, args });
    const progress = new CampaignProgress([of, script, ...args].join(' '), todo.length);
    await judgeMutants(of, todo, { ...options, script, args }, ({ digest, finding }) => {
      ledger.set(digest, finding ?? to);
      options.onProgress(progress.add(finding !== null));
      if (progress.done % SAVED_EVERY === 0) ledger.keep(mutants);
    });
    ledger.keep(mutants);
  }
  return ledger;
}

/** Throws if a judge finds anything in the correct lock: then it proves nothing about a mutant. */
export async function checkRightLock(of: Mutable, court: JudgeOptions): Promise<void> {
  let found: string | null = 'no judge was run';
  await judgeMutants(of, [unchanged(of, FILES[of][0] ?? '')], court, ({ finding }) => {
    found = finding;
  });
  if (found !== null) throw new Error(`the judge rejects the correct ${of}: ${found}`);
}

/** Counts the judged mutants of a campaign, and how many a second. */
class CampaignProgress {
  readonly #what: string;
  readonly #total: number;
  readonly #fromMs = performance.now();
  #killed = 0;
  done = 0;

  constructor(what: string, total: number) {
    this.#what = what;
    this.#total = total;
  }

  /** Counts one more and returns the line to show. */
  add(isKilled: boolean): string {
    this.done += 1;
    if (isKilled) this.#killed += 1;
    const rate = this.done / ((performance.now() - this.#fromMs) / 1000);
    const share = Math.round((100 * this.#killed) / this.done);
    return `${this.#what}: ${this.done} of ${this.#total}, ${rate.toFixed(1)} a second, ${share} % noticed`;
  }
}
