import type { Out } from 'holdfast/internal';
import type { ExhaustiveListener } from '../exhaustive/search-exhaustively.ts';
import type { SearchListener } from '../find/find.ts';
import type { Tally } from '../search/index.ts';
import type { Explored } from '../simulator/index.ts';

/** Tells what goes on, on stderr: on a terminal one line that changes, else a plain line for each step. */
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

  /** Makes room for lines that stay. */
  clear(): void {
    if (this.#shown) this.#out.write('\r\u001B[2K');
    this.#shown = false;
  }
}

/** On a terminal the line may change as often as an eye can follow; elsewhere every line stays. */
const LIVE_MS = 100;
const SPARSE_MS = 5_000;

/** Tells how far a sweep has come, how fast, and what will end it at the latest; nobody knows how much there is left. */
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
    this.#progress.step(`goes through everything, at most ${budget} runs (--budget)`);
  }

  onProgress({ runs, abandoned }: Explored): void {
    const nowMs = performance.now();
    if (nowMs - this.#lastShownMs < this.#everyMs) return;
    this.#lastShownMs = nowMs;
    const rate = Math.round((1000 * (runs + abandoned)) / (nowMs - this.#fromMs));
    this.#progress.step(
      `${runs} interleavings, none so far; ${runs + abandoned} of at most ${this.#budget} runs, ${rate}/s`,
    );
  }

  onShrink(n: number): void {
    this.#progress.step(`found in interleaving ${n}; making it short`);
  }

  end(): void {
    this.#progress.clear();
  }
}

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
