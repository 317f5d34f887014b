import type { Hold, Recorder } from '../recorder.ts';

/** The values that a client reads before it works. */
export interface ResourceReading {
  readonly open: number;
  /** undefined without a token, or with one that is too small by now. */
  readonly fenced: number | undefined;
}

/**
 * Two counters that receive the same updates: one accepts every write, the other rejects tokens smaller than the
 * largest it has seen. A read counts as seeing a token, because the next write is computed from what was read. With a
 * fence on writes alone, updates would still be lost.
 */
export class Resource {
  readonly #recorder: Recorder;
  #open = 0;
  #fenced = 0;
  #largest = 0n;
  /** Number of rejected tokens. */
  refused = 0;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  read(token: bigint | undefined): ResourceReading {
    return { open: this.#open, fenced: this.#admits(token) ? this.#fenced : undefined };
  }

  /** Writes the value read plus one. */
  write(hold: Hold, reading: ResourceReading, token: bigint | undefined): void {
    this.#open = reading.open + 1;
    const [value, readValue] = [this.#open, reading.open];
    this.#recorder.write(hold, {
      resource: 'open',
      accepted: true,
      fenced: false,
      value,
      readValue,
    });
    if (token !== undefined) this.#writeFenced(hold, reading.fenced, token);
  }

  #writeFenced(hold: Hold, read: number | undefined, token: bigint): void {
    const accepted = read !== undefined && this.#admits(token);
    if (accepted) this.#fenced = read + 1;
    const value = read === undefined ? undefined : read + 1;
    const effect = { resource: 'fenced', accepted, fenced: true, token, value, readValue: read };
    this.#recorder.write(hold, effect);
  }

  #admits(token: bigint | undefined): boolean {
    if (token === undefined) return false;
    if (token < this.#largest) this.refused++;
    else this.#largest = token;
    return token >= this.#largest;
  }
}
