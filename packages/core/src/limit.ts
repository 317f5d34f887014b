import type { Runtime } from './runtime.ts';

/** A time limit that can be shortened while it runs. */
export class Limit {
  readonly #runtime: Runtime;
  #untilMs = Number.POSITIVE_INFINITY;
  #end: (() => void) | undefined;
  #cancelTimer: () => void = () => {};

  constructor(runtime: Runtime, ms: number) {
    this.#runtime = runtime;
    this.shorten(ms);
  }

  /** Ends the limit `ms` from now, unless it ends sooner anyway. */
  shorten(ms: number): void {
    this.#untilMs = Math.min(this.#untilMs, this.#runtime.now().monotonicMs + ms);
    this.#arm();
  }

  get leftMs(): number {
    return Math.max(0, this.#untilMs - this.#runtime.now().monotonicMs);
  }

  /** Resolves when `work` has settled or the limit is over. Keeps the process alive until then. */
  async wait(work: Promise<unknown>): Promise<void> {
    await new Promise<void>((resume) => {
      this.#end = resume;
      this.#arm();
      void Promise.allSettled([work]).then(() => resume());
    });
    this.#end = undefined;
    this.#cancelTimer();
  }

  #arm(): void {
    if (this.#end === undefined) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#runtime.timer(this.leftMs, this.#end, { awaited: true });
  }
}
