/** Which messages were held up until their key had become somebody else's, on the clock of a sale. */
export class OvertakenReleases {
  readonly #clock: () => number;
  readonly #sinceMs: number[] = [];

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** A message is held up from now on. Returns what to call if it goes on because its key is somebody else's. */
  delayed(): () => void {
    const fromMs = this.#clock();
    return () => void this.#sinceMs.push(fromMs);
  }

  /** Whether one that has gone on was held up since then: who asks between two steps of its own means its own. */
  since(fromMs: number): boolean {
    return this.#sinceMs.some((atMs) => atMs >= fromMs);
  }
}
