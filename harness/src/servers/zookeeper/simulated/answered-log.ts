import type { Instant } from '@holdfast/core';

/** Which requests of one connection were answered by when. Both times grow: servers answer in order. */
export class AnsweredLog {
  readonly #keptMs: number;
  readonly #sent: Instant[] = [];
  readonly #answeredMs: number[] = [];

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
  }

  add(sentAt: Instant, answeredMs: number): void {
    this.#sent.push(sentAt);
    this.#answeredMs.push(answeredMs);
    // One from before is kept, which is the answer for the first moments that are.
    while ((this.#answeredMs[1] ?? Number.POSITIVE_INFINITY) < answeredMs - this.#keptMs) {
      this.#sent.shift();
      this.#answeredMs.shift();
    }
  }

  /** When the latest request left whose answer was here by then. */
  answeredBefore(monotonicMs: number): Instant | undefined {
    const at = this.#answeredMs.findLastIndex((answeredMs) => answeredMs <= monotonicMs);
    return this.#sent[at];
  }
}
