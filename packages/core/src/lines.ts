import type { Front } from './front.ts';
import type { Hold } from './hold.ts';

/** Somebody in a line; `go` is called once, when it is its turn to contend. */
export interface Waiting {
  go(): void;
}

/** The local queue of one key: its head contends or holds, everybody else waits here and sends nothing. */
export class Line {
  front: Front | undefined;
  holder: Hold | undefined;
  readonly #key: string;
  readonly #lines: Map<string, Line>;
  readonly #waiting = new Set<Waiting>();

  constructor(key: string, lines: Map<string, Line>) {
    this.#key = key;
    this.#lines = lines;
    lines.set(key, this);
  }

  /** How much longer the key is taken, where the holder here or the store said so. */
  get holderRemainingMs(): number | undefined {
    if (this.holder?.state === 'held') return this.holder.remainingMs();
    return this.front?.holderRemainingMs;
  }

  join(waiting: Waiting): void {
    this.#waiting.add(waiting);
  }

  /** A waiter that gave up leaves at once, wherever it stands. */
  leave(waiting: Waiting): void {
    this.#waiting.delete(waiting);
  }

  /** The head is done, and its contender withdrawn: the next one's turn. */
  next(): void {
    this.front = undefined;
    this.holder = undefined;
    for (const waiting of this.#waiting) {
      this.#waiting.delete(waiting);
      return waiting.go();
    }
    this.#lines.delete(this.#key);
  }
}
