import { type Choice, type Chooser, commute, type Step } from './choice.ts';

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
