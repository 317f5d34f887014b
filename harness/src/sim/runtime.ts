import type { Instant, Runtime } from '@holdfast/core';
import type { ClockReading } from './clock.ts';
import { instantOf } from './clock-times.ts';
import { overAfterUs } from './kernel.ts';
import type { Random } from './random.ts';
import type { Timers } from './timers.ts';

/** The parts of a process that its runtimes share. */
export interface RuntimeParts {
  readonly timers: Timers;
  readonly random: Random;
  readonly collection: SimFinalizationRegistry;
}

/** How a runtime reads the clocks of its process. */
export interface ClockReader {
  /** Reads the clocks for `now` and `elapsedMs`: a call that can be stalled. */
  readonly read: () => ClockReading;
  /** Reads the monotonic clock to set a timer, in microseconds: this call can be stalled too. */
  readonly armUs: () => number;
}

/** The runtime that lock code on a simulated process sees. */
export class SimRuntime implements Runtime {
  readonly #parts: RuntimeParts;
  readonly #clocks: ClockReader;

  constructor(parts: RuntimeParts, clocks: ClockReader) {
    this.#parts = parts;
    this.#clocks = clocks;
  }

  now(): Instant {
    return instantOf(this.#clocks.read());
  }

  elapsedMs(since: Instant): number {
    return elapsedUs(since, this.#clocks.read()) / 1000;
  }

  timer(ms: number, run: () => void, options?: { readonly awaited: boolean }): () => void {
    const dueUs = this.#clocks.armUs() + overAfterUs(ms);
    return this.#parts.timers.start(dueUs, run, options?.awaited ?? false);
  }

  randomId(): string {
    return this.#parts.random.id();
  }

  random(): number {
    return this.#parts.random.next();
  }

  onCollected(target: object, run: () => void): () => void {
    return this.#parts.collection.watch(target, run);
  }
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
