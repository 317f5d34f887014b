/** A client's reading of both counters: one accepts every write, the other compares tokens. */
export interface Reading {
  readonly plain: number;
  /** null without a token, or with a token that is too small. */
  readonly fenced: number | null;
}

/** The values a client computed from a {@link Reading}. */
export type Update = Reading;

/** The counters that accepted the update. */
export interface Taken {
  readonly plain: true;
  /** null if the fenced counter was not used. */
  readonly fenced: boolean | null;
}

/**
 * The resource. One counter accepts every update; the other rejects tokens smaller than the largest it has seen. Reads
 * count as seen, because the next write is computed from a read.
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
