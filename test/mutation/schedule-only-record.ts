import { checkRightLock } from './campaign.ts';
import { reasonOf } from './equivalents.ts';
import { type JudgeOptions, judgeMutants } from './judge-mutants.ts';
import { isAlive, Ledger, REFUSED, SURVIVED } from './ledger.ts';
import { type Mutable, type Mutant, placeOf } from './mutant.ts';

/** Mutants of each file: one that no schedule detects takes seconds, and there are thousands. */
export const EACH = 3;
const CONTRACT = 'contract:';

/** Results of contract and schedules alone, without unit tests. */
export class ScheduleOnlyRecord {
  readonly #all: Ledger;
  readonly #asked: Ledger;

  constructor(resultOf: Mutable) {
    this.#all = new Ledger(resultOf);
    this.#asked = new Ledger(resultOf, 'alone');
  }

  /** Returns the first mutants of a file that could be shipped: they compile, and are not equivalent to the correct lock. */
  sampleOf(mutants: readonly Mutant[], file: string): readonly Mutant[] {
    return mutants
      .filter((mutant) => mutant.file === file && this.#isWrong(mutant))
      .toSorted((a, b) => placeOf(a) - placeOf(b))
      .slice(0, EACH);
  }

  /** Counts the mutants of a sample that were noticed; undefined if some have still to be judged. */
  detectedIn(sample: readonly Mutant[]): number | undefined {
    const came = sample.map((mutant) => this.resultOf(mutant));
    return came.includes(undefined)
      ? undefined
      : came.filter((finding) => finding !== SURVIVED).length;
  }

  /** Returns the result of a mutant. The contract comes first; a mutant that it noticed needs no schedule. */
  resultOf(mutant: Mutant): string | undefined {
    const first = this.#all.of(mutant);
    return first?.startsWith(CONTRACT) === true ? first : this.#asked.of(mutant);
  }

  /** Plays schedules on those mutants of the samples that the contract did not notice. */
  async play(
    of: Mutable,
    mutants: readonly Mutant[],
    { workers, untilMs }: Pick<JudgeOptions, 'workers' | 'untilMs'>,
  ): Promise<void> {
    const files = [...new Set(mutants.map(({ file }) => file))];
    const samples = files.flatMap((file) => this.sampleOf(mutants, file));
    const todo = samples.filter((mutant) => this.resultOf(mutant) === undefined);
    if (todo.length === 0) return;
    const court = { script: 'judge-process.ts', args: ['schedules'], workers, untilMs } as const;
    await checkRightLock(of, court);
    await judgeMutants(of, todo, court, ({ digest, finding }) => {
      this.#asked.set(digest, finding ?? SURVIVED);
      this.#asked.keep(samples);
    });
  }

  #isWrong(mutant: Mutant): boolean {
    const came = this.#all.of(mutant);
    if (came === undefined || came === REFUSED) return false;
    return !isAlive(came) || reasonOf(mutant) === undefined;
  }
}
