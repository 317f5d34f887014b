import { type Choice, type Chooser, commute, type Step } from './choice.ts';

/** Plays a run from its beginning, as the chooser says. Returns whether it was played to its end. */
export type ExploreRun = (chooser: Chooser) => Promise<boolean>;

export interface ExploreOptions {
  /** How many runs at most, those included that are left half way. */
  readonly budget: number;
  /** Tries every order of all steps, the many that come to the same too: to show that nothing is missed without. */
  readonly naive?: boolean;
  /** Told after every run to the end by which choices it went; returns whether to go on. */
  readonly onRun: (choices: readonly string[], soFar: Explored) => boolean;
}

export interface Explored {
  /** Runs to the end; of all that differ only in the order of steps that commute, exactly one. */
  readonly runs: number;
  /** Runs that were left, because whatever could come next had been tried in an order that comes to the same. */
  readonly left: number;
  /** Whether there is nothing that was not tried. */
  readonly isComplete: boolean;
}

/**
 * Goes through all orders in which the steps of a run can come, depth first. Runs cannot be copied, since promises cannot,
 * so each begins anew. Of orders that come to the same one is tried, by sleep sets: Godefroid, Partial-Order Methods for
 * the Verification of Concurrent Systems (LNCS 1032, 1996), section 5.
 */
export async function explore(
  run: ExploreRun,
  { budget, naive = false, onRun }: ExploreOptions,
): Promise<Explored> {
  const path = new Path(naive);
  let [runs, left] = [0, 0];
  while (runs + left < budget) {
    const isWhole = await run(path.begin());
    if (isWhole) runs++;
    else left++;
    const goesOn = !isWhole || onRun(path.choices, { runs, left, isComplete: false });
    const isComplete = !path.turn();
    if (isComplete || !goesOn) return { runs, left, isComplete };
  }
  return { runs, left, isComplete: false };
}

/** A moment at which several things could come next. */
interface Branch {
  readonly choices: readonly Choice[];
  /** What need not come next, because it has been tried before something that has come since and commutes with it. */
  readonly sleepSet: readonly Step[];
  /** What has come next in earlier runs. */
  readonly explored: Step[];
  /** What comes next in this run; undefined where everything sleeps. */
  chosen: string | undefined;
  /** That, once it has happened. */
  step: Step | undefined;
}

/** The way of one run through its forks, from the first to the last; then it turns to what is left to try. */
export class Path implements Chooser {
  readonly #isNaive: boolean;
  readonly #branches: Branch[] = [];
  #depth = 0;

  /** A naive one takes no two steps to commute. */
  constructor(isNaive: boolean) {
    this.#isNaive = isNaive;
  }

  get choices(): readonly string[] {
    return this.#branches.flatMap(({ chosen }) => chosen ?? []);
  }

  /** Goes the same way again up to where it turned. */
  begin(): this {
    this.#depth = 0;
    return this;
  }

  choose(choices: readonly Choice[]): string | undefined {
    const fork = this.#branches[this.#depth] ?? this.#add(choices);
    this.#depth++;
    return fork.chosen;
  }

  happened(step: Step): void {
    const fork = this.#branches[this.#depth - 1];
    if (fork !== undefined) fork.step = step;
  }

  /** To the last fork at which something is left to try; false when there is none. */
  turn(): boolean {
    for (let fork = this.#branches.at(-1); fork !== undefined; fork = this.#branches.at(-1)) {
      if (fork.step !== undefined) fork.explored.push(fork.step);
      fork.step = undefined;
      fork.chosen = nextOf(fork);
      if (fork.chosen !== undefined) return true;
      this.#branches.pop();
    }
    return false;
  }

  #add(choices: readonly Choice[]): Branch {
    const sleepSet = this.#isNaive ? [] : sleepSetAfter(this.#branches.at(-1));
    const fork: Branch = { choices, sleepSet, explored: [], chosen: undefined, step: undefined };
    fork.chosen = nextOf(fork);
    this.#branches.push(fork);
    return fork;
  }
}

function sleepSetAfter(fork: Branch | undefined): readonly Step[] {
  const step = fork?.step;
  if (fork === undefined || step === undefined) return [];
  return [...fork.sleepSet, ...fork.explored].filter((other) => commute(other, step));
}

function nextOf({ choices, sleepSet, explored }: Branch): string | undefined {
  const isSpent = ({ name }: Choice): boolean =>
    explored.some((step) => step.name === name) || sleepSet.some((step) => step.name === name);
  return choices.find((choice) => !isSpent(choice))?.name;
}
