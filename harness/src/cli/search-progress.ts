import type { Out } from 'holdfast/internal';
import type { SearchListener } from '../find/find.ts';
import type { Tally } from '../search/index.ts';
import { Progress } from './progress.ts';

/** On a terminal the line may change as often as an eye can follow; elsewhere every line stays. */
const LIVE_MS = 100;
const SPARSE_MS = 5_000;

/** Tells how a search gets on, and how fast; never on stdout, which says the same for the same search. */
export class SearchProgress implements SearchListener {
  readonly #progress: Progress;
  readonly #everyMs: number;
  readonly #budget: number;
  readonly #fromMs = performance.now();
  #lastShownMs: number;

  constructor(out: Out, budget: number) {
    this.#progress = new Progress(out);
    this.#everyMs = out.isTTY === true ? LIVE_MS : SPARSE_MS;
    this.#budget = budget;
    this.#lastShownMs = this.#fromMs;
  }

  onProgress({ schedules }: Tally): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastShownMs < this.#everyMs) return;
    this.#lastShownMs = nowMs;
    const rate = Math.round((1000 * schedules) / (nowMs - this.#fromMs));
    this.#progress.step(`${schedules} of ${this.#budget} schedules, ${rate}/s`);
  }

  onShrink(n: number): void {
    this.#progress.step(`found in schedule ${n}; making it small`);
  }

  onHang(): void {
    this.#progress.step('the lock hung; making it small, which takes seconds');
  }

  end(): void {
    this.#progress.clear();
  }
}
