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
const POOL_BYTES = 128 * ID_BYTES;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

function drawIds(): () => string {
  const pool = new Uint8Array(POOL_BYTES);
  let used = POOL_BYTES;
  return () => {
    if (used === POOL_BYTES) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    let id = '';
    for (const byte of pool.subarray(used, used + ID_BYTES)) id += HEX[byte] ?? '';
    used += ID_BYTES;
    return id;
  };
}

/** Starts a timer of any length: a delay that is too long for `setTimeout` is split into several. */
function startTimer(ms: number, run: () => void, awaited: boolean): () => void {
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

/** The real clocks, timers and random source of this process. */
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
      const handle = {};
      collected.register(target, run, handle);
      return () => void collected.unregister(handle);
    },
  };
}
