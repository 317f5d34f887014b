/** Tells how far a campaign has come, and how fast. */
export class CampaignProgress {
  readonly #what: string;
  readonly #total: number;
  readonly #fromMs = performance.now();
  #killed = 0;
  done = 0;

  constructor(what: string, total: number) {
    this.#what = what;
    this.#total = total;
  }

  /** One more; returns the line to show. */
  add(isKilled: boolean): string {
    this.done += 1;
    if (isKilled) this.#killed += 1;
    const rate = this.done / ((performance.now() - this.#fromMs) / 1000);
    const share = Math.round((100 * this.#killed) / this.done);
    return `${this.#what}: ${this.done} of ${this.#total}, ${rate.toFixed(1)} a second, ${share} % noticed`;
  }
}
