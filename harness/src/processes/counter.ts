/** What a client reads before it thinks: from a counter that takes every write, and from one that compares tokens. */
export interface Reading {
  readonly plain: number;
  /** null without a token, or with one that is too small by now. */
  readonly fenced: number | null;
}

/** The values a client computed from a {@link Reading}. */
export type Update = Reading;

/** Whether each of the counters took the update. */
export interface Taken {
  readonly plain: true;
  /** null when the fenced counter was not asked. */
  readonly fenced: boolean | null;
}

/**
 * The resource: the same updates go to a counter that takes every write and to one that refuses tokens smaller than
 * the largest it has seen. Reads count as seeing, because what was read before is what the next write is computed from.
 */
export class Counter {
  #plain = 0;
  #fenced = 0;
  #largest = 0n;

  read(token: bigint | undefined): Reading {
    return { plain: this.#plain, fenced: this.#admits(token) ? this.#fenced : null };
  }

  write(update: Update, token: bigint | undefined): Taken {
    this.#plain = update.plain;
    if (token === undefined) return { plain: true, fenced: null };
    const admitted = update.fenced !== null && this.#admits(token);
    if (admitted) this.#fenced = update.fenced;
    return { plain: true, fenced: admitted };
  }

  #admits(token: bigint | undefined): boolean {
    if (token === undefined || token < this.#largest) return false;
    this.#largest = token;
    return true;
  }
}
