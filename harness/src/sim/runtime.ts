import type { Instant, Runtime } from '@holdfast/core';
import type { SimFinalizationRegistry } from './finalization-registry.ts';
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
