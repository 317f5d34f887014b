import type { Instant, Runtime } from '@holdfast/core';
import { overAfterUs } from './kernel.ts';
import type { Random } from './random.ts';
import type { Timers } from './timers.ts';

/** Both clocks of a process, in microseconds. */
export interface ClockReading {
  readonly monotonicUs: number;
  readonly wallUs: number;
}

/** What a runtime needs to know of its process. */
export interface RuntimeParts {
  /** Reads the clocks for `now` and `elapsedMs`, a call that can be stalled. */
  readonly read: () => ClockReading;
  /** Reads them to set a timer, which can be stalled too. */
  readonly arm: () => ClockReading;
  readonly timers: Timers;
  readonly random: Random;
  readonly collection: SimFinalizationRegistry;
}

/** The runtime that lock code on a simulated process sees. */
export function simRuntime({ read, arm, timers, random, collection }: RuntimeParts): Runtime {
  return {
    now: () => {
      const { monotonicUs, wallUs } = read();
      return { monotonicMs: monotonicUs / 1000, wallMs: wallUs / 1000 };
    },
    elapsedMs: (since) => elapsedUs(since, read()) / 1000,
    timer: (ms, run, options) =>
      timers.start(arm().monotonicUs + overAfterUs(ms), run, options?.awaited ?? false),
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
 * Stands in for the finaliser: nothing is ever collected, except what a test says nobody refers to any more. Who
 * watches such a target later, because it referred to it itself until then, is told at once.
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

  /** Tells whoever watches `target`, once. */
  collect(target: object): void {
    this.#collected.add(target);
    const runs = this.#watched.get(target) ?? [];
    this.#watched.delete(target);
    for (const run of runs) this.#deliver(run);
  }
}
