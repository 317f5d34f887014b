import { driftMs, type Instant, type Runtime } from '@holdfast/core';
import { stampFor } from './stamp.ts';

/** What one command of an attempt writes, if it is executed. */
export interface StampedWrite {
  /** When it left, and the clock that its stamp was taken from. */
  readonly from: Instant;
  readonly ttlMs: number;
  readonly stamp: number;
}

/** A bid that leaves now. */
export function stampedWriteNow(runtime: Runtime, ttlMs: number): StampedWrite {
  const from = runtime.now();
  return { from, ttlMs, stamp: stampFor(from.wallMs, ttlMs) };
}

/** How much longer others respect its stamp, by our clocks; a stamp is absolute, however late it lands. */
export function storedForMs({ from, ttlMs }: StampedWrite, runtime: Runtime): number {
  return Math.max(0, ttlMs + driftMs(ttlMs) - runtime.elapsedMs(from));
}
