/** The only file of this package that touches a clock, a timer or a random source; all of them can be handed in. */

/** Both clocks, read together. */
export interface Instant {
  /** Milliseconds of a clock that never steps, but may stop while the machine sleeps. */
  readonly monotonicMs: number;
  /** Milliseconds since 1970 by a clock that may jump either way. */
  readonly wallMs: number;
}

/** Time and chance. The runtime of `@holdfast/core` is one. */
export interface Clock {
  /** Reads both clocks together. */
  now(): Instant;
  /** Runs `run` after `ms` and returns its cancel; keeps the process alive only when `awaited`. */
  timer(ms: number, run: () => void, options?: { readonly awaited: boolean }): () => void;
  /** Uniform in [0, 1). */
  random(): number;
}

/** `setTimeout` fires at once for longer times. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The clocks, timers and random source of this process. */
export const systemClock: Clock = {
  now: () => ({ monotonicMs: performance.now(), wallMs: Date.now() }),
  timer: (ms, run, options) => {
    const handle = setTimeout(run, Math.min(ms, TIMER_MS_MAX));
    if (options?.awaited !== true) handle.unref();
    return () => clearTimeout(handle);
  },
  random: () => Math.random(),
};
