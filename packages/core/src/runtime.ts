/**
 * The only file of the library that touches a clock, a timer, a random source or the finaliser.
 * Everything else takes a {@link Runtime}, so that the simulator can put a virtual world in its place.
 */

/** Both clocks, read together. Instants of two runtimes are never compared. */
export interface Instant {
  /** Milliseconds of a clock that never steps, but may stop while the machine sleeps. */
  readonly monotonicMs: number;
  /** Milliseconds since 1970 by a clock that may jump either way. */
  readonly wallMs: number;
}

/** The environment of lock code: time, timers, randomness, finalisation. */
export interface Runtime {
  /** Reads both clocks together. */
  now(): Instant;
  /** Milliseconds since `since`, by the clock that says more; never negative. */
  elapsedMs(since: Instant): number;
  /**
   * Runs `run` after `ms` milliseconds of the monotonic clock and returns its cancel.
   * It keeps the process alive only if `awaited`, which is for timers that settle a caller's promise.
   */
  timer(ms: number, run: () => void, options?: { readonly awaited: boolean }): () => void;
  /** At least 120 unguessable bits, in characters that need no escaping, without `:`. */
  randomId(): string;
  /** Uniform in [0, 1), for jitter; not unguessable. */
  random(): number;
  /** Calls `run` some time after `target` has been garbage-collected; returns its cancel. */
  onCollected(target: object, run: () => void): () => void;
}

/** `setTimeout` fires at once if its delay is longer than this. */
const TIMER_MS_MAX = 2 ** 31 - 1;
const ID_BYTES = 16;
/** `getRandomValues` costs about a microsecond at any size, so ids are cut from a larger draw. */
const POOL_BYTES = 64 * ID_BYTES;
const HEX_DIGITS = new TextEncoder().encode('0123456789abcdef');
const decoder = new TextDecoder();

function drawIds(): () => string {
  const bytes = new Uint8Array(POOL_BYTES);
  const digits = new Uint8Array(2 * POOL_BYTES);
  let pool = '';
  let used = 0;
  return () => {
    if (used === pool.length) {
      crypto.getRandomValues(bytes);
      for (let at = 0; at < POOL_BYTES; at++) {
        const byte = bytes[at] ?? 0;
        digits[2 * at] = HEX_DIGITS[byte >> 4] ?? 0;
        digits[2 * at + 1] = HEX_DIGITS[byte & 15] ?? 0;
      }
      pool = decoder.decode(digits);
      used = 0;
    }
    used += 2 * ID_BYTES;
    return pool.slice(used - 2 * ID_BYTES, used);
  };
}

/**
 * Starts a timer of any length: a delay that is too long for `setTimeout` is split into several, and it makes none of less
 * than a millisecond.
 */
function startTimer(ms: number, run: () => void, awaited: boolean): () => void {
  // Browsers have none, whatever the types say.
  if (ms <= 0 && typeof setImmediate === 'function') {
    const handle = setImmediate(run);
    if (!awaited) handle.unref();
    return () => clearImmediate(handle);
  }
  let handle: ReturnType<typeof setTimeout>;
  const arm = (leftMs: number): void => {
    const sliceMs = Math.min(leftMs, TIMER_MS_MAX);
    handle = setTimeout(() => {
      if (leftMs > sliceMs) arm(leftMs - sliceMs);
      else run();
    }, sliceMs);
    // Browsers return a number, which cannot be unref'ed.
    if (!awaited && typeof handle === 'object') handle.unref();
  };
  arm(Math.max(0, ms));
  return () => clearTimeout(handle);
}

/**
 * The real clocks, timers and random source of this process.
 * @example
 * ```ts
 * const runtime = systemRuntime();
 * const start = runtime.now();
 * await body();
 * log(`took ${runtime.elapsedMs(start)} ms`);
 * ```
 */
export function systemRuntime(): Runtime {
  const collected = new FinalizationRegistry<() => void>((run) => run());
  return {
    now: () => ({ monotonicMs: performance.now(), wallMs: Date.now() }),
    elapsedMs: (since) =>
      Math.max(0, performance.now() - since.monotonicMs, Date.now() - since.wallMs),
    timer: (ms, run, options) => startTimer(ms, run, options?.awaited ?? false),
    randomId: drawIds(),
    random: () => Math.random(),
    onCollected: (target, run) => {
      collected.register(target, run, run);
      return () => void collected.unregister(run);
    },
  };
}
