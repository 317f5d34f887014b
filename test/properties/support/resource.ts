import type { Hold, Recorder } from '@holdfast/sim';

/** Two stores that write down the same effects: one compares tokens, the other takes whatever comes. */
export class Resource {
  readonly #recorder: Recorder;
  #largest = 0n;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
  }

  write(hold: Hold, token = 0n): void {
    const accepted = token >= this.#largest;
    if (accepted) this.#largest = token;
    this.#recorder.write(hold, { resource: 'fenced', accepted, fenced: true, token });
    this.#recorder.write(hold, { resource: 'open', accepted: true, fenced: false, token });
  }
}
