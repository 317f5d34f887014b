import type { Out } from 'holdfast/internal';
import type { ExhaustiveListener } from '../exhaustive/search-exhaustively.ts';
import type { Explored } from '../simulator/index.ts';
import { Progress } from './progress.ts';

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
