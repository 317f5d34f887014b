import type { Out } from 'holdfast/internal';
import type { ExhaustiveListener } from '../exhaustive/search-exhaustively.ts';
import type { SearchListener } from '../find/find.ts';
import type { Tally } from '../search/index.ts';
import type { Explored } from '../simulator/index.ts';

/** Shows progress on stderr: one changing line on a terminal, otherwise a line for each step. */
export class Progress {
  readonly #out: Out;
  #shown = false;

  constructor(out: Out) {
    this.#out = out;
  }

  step(text: string): void {
    if (this.#out.isTTY !== true) {
      this.#out.write(`${text}\n`);
      return;
    }
    this.clear();
    this.#out.write(`… ${text}`);
    this.#shown = true;
  }

  /** Clears the line, to make room for permanent lines. */
  clear(): void {
    if (this.#shown) this.#out.write('\r\u001B[2K');
    this.#shown = false;
  }
}

/** The intervals of updates, in ms: on a terminal as fast as an eye can follow; elsewhere every line is permanent. */
const LIVE_MS = 100;
const SPARSE_MS = 5_000;

/** Shows the progress and speed of an exhaustive search, and its budget; how much is left is unknown. */
export class ExhaustiveProgress implements ExhaustiveListener {
  readonly #progress: Progress;
  readonly #everyMs: number;
  readonly #budget: number;
  readonly #fromMs = performance.now();
  #lastShownMs = this.#fromMs;

  constructor(out: Out, budget: number) {
    this.#budget = budget;
    this.#progress = new Progress(out);
    this.#everyMs = out.isTTY === true ? LIVE_MS : SPARSE_MS;
    this.#progress.step(`trying every order, at most ${budget} runs (--budget)`);
  }

  onProgress({ runs, abandoned }: Explored): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastShownMs < this.#everyMs) return;
    this.#lastShownMs = nowMs;
    const rate = Math.round((1000 * (runs + abandoned)) / (nowMs - this.#fromMs));
    this.#progress.step(
      `${runs} interleavings, no violation so far; ${runs + abandoned} of at most ${this.#budget} runs, ${rate}/s`,
    );
  }

  onShrink(n: number): void {
    this.#progress.step(`found in interleaving ${n}; shortening it`);
  }

  end(): void {
    this.#progress.clear();
  }
}

/** Shows the progress and speed of a search, never on stdout, whose content depends only on the search. */
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
    this.#progress.step(`found in schedule ${n}; minimising it`);
  }

  onHang(): void {
    this.#progress.step('the lock hangs; minimising the schedule, which takes seconds');
  }

  end(): void {
    this.#progress.clear();
  }
}
