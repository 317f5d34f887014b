import { type Choice, type Chooser, type ChosenStep, commute } from './choice.ts';

/** Plays a run from its beginning, as the chooser decides. Returns true if it was played to its end. */
export type ExploreRun = (chooser: Chooser) => Promise<boolean>;

export interface ExploreOptions {
  /** Most runs to make, including abandoned ones. */
  readonly budget: number;
  /**
   * True to try every order of all steps, including the many that are equivalent: to show that the reduction misses
   * nothing.
   */
  readonly naive?: boolean;
  /** Called after every complete run with its choices; returns whether to continue. */
  readonly onRun: (choices: readonly string[], soFar: Explored) => boolean;
}

export interface Explored {
  /** Complete runs; of all that differ only in the order of steps that commute, exactly one. */
  readonly runs: number;
  /** Runs that were abandoned, because every possible next step had been tried in an equivalent order. */
  readonly abandoned: number;
  /** True if nothing is left to try. */
  readonly isComplete: boolean;
}

/**
 * Explores all orders in which the steps of a run can come, depth first. Runs cannot be copied, since promises
 * cannot, so each begins anew. Of equivalent orders one is tried, by sleep sets: Godefroid, Partial-Order Methods for
 * the Verification of Concurrent Systems (LNCS 1032, 1996), section 5.
 */
export async function explore(
  run: ExploreRun,
  { budget, naive = false, onRun }: ExploreOptions,
): Promise<Explored> {
  const path = new Path(naive);
  let [runs, abandoned] = [0, 0];
  while (runs + abandoned < budget) {
    const isWhole = await run(path.begin());
    if (isWhole) runs++;
    else abandoned++;
    const continues = !isWhole || onRun(path.choices, { runs, abandoned, isComplete: false });
    const isComplete = !path.backtrack();
    if (isComplete || !continues) return { runs, abandoned, isComplete };
  }
  return { runs, abandoned, isComplete: false };
}

/** A moment at which several steps could come next. */
interface Branch {
  readonly choices: readonly Choice[];
  /** Steps that need not come next: each was tried before a step that has come since and that commutes with it. */
  readonly sleepSet: readonly ChosenStep[];
  /** Steps that came next in earlier runs. */
  readonly explored: ChosenStep[];
  /** The step that comes next in this run; undefined if every step sleeps. */
  chosen: string | undefined;
  /** The chosen step, once it has happened. */
  step: ChosenStep | undefined;
}

/**
 * The path of one run through its branches, from the first to the last; then it backtracks to the steps that are left
 * to try.
 */
class Path implements Chooser {
  readonly #isNaive: boolean;
  readonly #branches: Branch[] = [];
  #depth = 0;

  /** A naive path treats no two steps as commuting. */
  constructor(isNaive: boolean) {
    this.#isNaive = isNaive;
  }

  get choices(): readonly string[] {
    return this.#branches.flatMap(({ chosen }) => chosen ?? []);
  }

  /** Starts over; it follows the same path up to the branch where it turned. */
  begin(): this {
    this.#depth = 0;
    return this;
  }

  choose(choices: readonly Choice[]): string | undefined {
    const branch = this.#branches[this.#depth] ?? this.#add(choices);
    this.#depth++;
    return branch.chosen;
  }

  happened(step: ChosenStep): void {
    const branch = this.#branches[this.#depth - 1];
    if (branch !== undefined) branch.step = step;
  }

  /** Backtracks to the last branch with a step left to try; returns false if there is none. */
  backtrack(): boolean {
    for (let branch = this.#branches.at(-1); branch !== undefined; branch = this.#branches.at(-1)) {
      if (branch.step !== undefined) branch.explored.push(branch.step);
      branch.step = undefined;
      branch.chosen = nextOf(branch);
      if (branch.chosen !== undefined) return true;
      this.#branches.pop();
    }
    return false;
  }

  #add(choices: readonly Choice[]): Branch {
    const sleepSet = this.#isNaive ? [] : sleepSetAfter(this.#branches.at(-1));
    const branch: Branch = { choices, sleepSet, explored: [], chosen: undefined, step: undefined };
    branch.chosen = nextOf(branch);
    this.#branches.push(branch);
    return branch;
  }
}

function sleepSetAfter(branch: Branch | undefined): readonly ChosenStep[] {
  const step = branch?.step;
  if (branch === undefined || step === undefined) return [];
  return [...branch.sleepSet, ...branch.explored].filter((other) => commute(other, step));
}

function nextOf({ choices, sleepSet, explored }: Branch): string | undefined {
  const isSpent = ({ name }: Choice): boolean =>
    explored.some((step) => step.name === name) || sleepSet.some((step) => step.name === name);
  return choices.find((choice) => !isSpent(choice))?.name;
}
