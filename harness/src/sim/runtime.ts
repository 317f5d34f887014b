import type { Instant, Runtime } from '@holdfast/core';
import type { ClockReading } from './clock.ts';
import { instantOf } from './clock-times.ts';
import { overAfterUs } from './kernel.ts';
import type { Random } from './random.ts';
import type { Timers } from './timers.ts';

/** The parts of a process that its runtime uses. */
export interface RuntimeParts {
  /** Reads the clocks for `now` and `elapsedMs`: a call that can be stalled. */
  readonly read: () => ClockReading;
  /** Reads the monotonic clock to set a timer, in microseconds: this call can be stalled too. */
  readonly armUs: () => number;
  readonly timers: Timers;
  readonly random: Random;
  readonly collection: SimFinalizationRegistry;
}

/** The runtime that lock code on a simulated process sees. */
export function simRuntime({ read, armUs, timers, random, collection }: RuntimeParts): Runtime {
  return {
    now: () => instantOf(read()),
    elapsedMs: (since) => elapsedUs(since, read()) / 1000,
    timer: (ms, run, options) =>
      timers.start(armUs() + overAfterUs(ms), run, options?.awaited ?? false),
    randomId: () => random.id(),
    random: () => random.next(),
    onCollected: (target, run) => collection.watch(target, run),
  };
}

/** In whole microseconds, because differences of wall clocks in ms lose digits. */
function elapsedUs(since: Instant, now: ClockReading): number {
  return Math.max(
    0,
    now.monotonicUs - Math.round(since.monotonicMs * 1000),
    now.wallUs - Math.round(since.wallMs * 1000),
  );
}

/**
 * Replaces the finaliser: nothing is collected but the targets that a test marks as unreferenced. A callback that is
 * registered for such a target later is run at once.
 */
export class SimFinalizationRegistry {
  readonly #watched = new WeakMap<object, Set<() => void>>();
  readonly #collected = new WeakSet<object>();
  readonly #deliver: (run: () => void) => void;

  constructor(deliver: (run: () => void) => void) {
    this.#deliver = deliver;
  }

  watch(target: object, run: () => void): () => void {
    const runs = this.#watched.get(target) ?? new Set();
    this.#watched.set(target, runs.add(run));
    if (this.#collected.has(target)) this.collect(target);
    return () => void runs.delete(run);
  }

  /** Runs the callbacks registered for `target`, once. */
  collect(target: object): void {
    this.#collected.add(target);
    const runs = this.#watched.get(target) ?? [];
    this.#watched.delete(target);
    for (const run of runs) this.#deliver(run);
  }
}
