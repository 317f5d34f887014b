import { checkRightLock } from './campaign.ts';
import { reasonOf } from './equivalents.ts';
import { type JudgeOptions, judgeMutants } from './judge-mutants.ts';
import { isAlive, Ledger, REFUSED, SURVIVED } from './ledger.ts';
import { type Mutable, type Mutant, placeOf } from './mutant.ts';

/** Of each file, so many: whoever is found by nothing takes seconds of schedules, and there are thousands. */
export const EACH = 3;
const CONTRACT = 'contract:';

/** What contract and schedules came to, where no unit test was asked. */
export class ScheduleOnlyRecord {
  readonly #all: Ledger;
  readonly #asked: Ledger;

  constructor(resultOf: Mutable) {
    this.#all = new Ledger(resultOf);
    this.#asked = new Ledger(resultOf, 'alone');
  }

  /** The first of a file that somebody could ship: they compile, and are not the right lock in other words. */
  sampleOf(mutants: readonly Mutant[], file: string): readonly Mutant[] {
    return mutants
      .filter((mutant) => mutant.file === file && this.#isWrong(mutant))
      .toSorted((a, b) => placeOf(a) - placeOf(b))
      .slice(0, EACH);
  }

  /** How many of a sample were noticed; undefined where somebody has still to be asked. */
  detectedIn(sample: readonly Mutant[]): number | undefined {
    const came = sample.map((mutant) => this.resultOf(mutant));
    return came.includes(undefined)
      ? undefined
      : came.filter((finding) => finding !== SURVIVED).length;
  }

  /** By what: the contract was asked first, and whom it noticed no schedule has to. */
  resultOf(mutant: Mutant): string | undefined {
    const first = this.#all.of(mutant);
    return first?.startsWith(CONTRACT) === true ? first : this.#asked.of(mutant);
  }

  /** Asks schedules about those of the samples that the contract did not notice. */
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
