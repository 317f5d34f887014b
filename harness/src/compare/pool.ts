import type { Hand } from './hands.ts';
import type { Kind, Result, Task } from './task.ts';

/** For each hand, so many tasks are worth having at once: it can choose then. */
const CHOICE = 4;

interface Waiting {
  readonly column: string;
  readonly begin: (hand: Hand) => void;
}

/**
 * Tasks for several hands: each takes the next as soon as it has done its own, of a column that it has played before if
 * it can. A thread takes as long to learn a lock's code by heart as to play some hundred schedules. The first hand never
 * goes.
 */
export class Pool {
  readonly #hands: readonly Hand[];
  readonly #idle: Hand[];
  readonly #waiting: Waiting[] = [];
  readonly #learnt = new Map<Hand, Set<string>>();

  constructor(hands: readonly Hand[]) {
    this.#hands = hands;
    this.#idle = [...hands];
  }

  /** How many tasks to ask for at once. */
  get lanes(): number {
    return this.#hands.length === 1 ? 1 : this.#hands.length * CHOICE;
  }

  async perform<K extends Kind>(task: Task<K>): Promise<Result<K>> {
    const column = columnOf(task);
    const hand = await this.#hand(column);
    this.#learntBy(hand).add(column);
    try {
      return await hand.perform(task);
    } finally {
      if (!hand.isGone()) this.#free(hand);
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#hands.map((hand) => hand.close()));
  }

  #free(hand: Hand): void {
    const [next] = this.#waiting.splice(this.#choiceOf(hand), 1);
    if (next === undefined) this.#idle.push(hand);
    else next.begin(hand);
  }

  /** What it knows, else what nobody knows yet, else the first. */
  #choiceOf(hand: Hand): number {
    const known = this.#waiting.findIndex(({ column }) => this.#learntBy(hand).has(column));
    if (known >= 0) return known;
    const isNew = ({ column }: Waiting): boolean =>
      this.#hands.every((each) => !this.#learntBy(each).has(column));
    return Math.max(0, this.#waiting.findIndex(isNew));
  }

  #learntBy(hand: Hand): Set<string> {
    const learnt = this.#learnt.get(hand) ?? new Set();
    this.#learnt.set(hand, learnt);
    return learnt;
  }

  #hand(column: string): Promise<Hand> {
    const hand = this.#idle.shift();
    if (hand !== undefined) return Promise.resolve(hand);
    return new Promise((begin) => this.#waiting.push({ column, begin }));
  }
}

function columnOf(task: Task): string {
  return 'column' in task ? task.column : task.id.column;
}
