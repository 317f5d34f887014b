import { driftMs, type Instant, type Runtime } from '@holdfast/core/backend';

/** Milliseconds since 1970: 13 digits from 2001 until 2286. A stamp in seconds would be one that has always expired. */
const STAMP = /^\d{13}$/;

/**
 * Returns the stamp that a client writes: the last millisecond, by its own wall clock, at which others must respect its
 * lock. The `+ 1` is the recipe's own; it keeps a stamp of whole ms from ending before the requested lease.
 */
export function stampFor(wallMs: number, ttlMs: number): number {
  return Math.floor(wallMs) + ttlMs + 1;
}

/** Reads a stored stamp; undefined for anything else, for example another tool's value. */
export function parseStamp(value: string): number | undefined {
  return STAMP.test(value) ? Number(value) : undefined;
}

/** True if a stamp is past by the reader's wall clock: the recipe's only test. */
export function isExpired(stamp: number, wallMs: number): boolean {
  return stamp < wallMs;
}

/** A stamp that one command of an attempt writes, if the command is executed. */
export interface StampedWrite {
  /** The instant at which the command left, by the clock that its stamp was taken from. */
  readonly from: Instant;
  readonly ttlMs: number;
  readonly stamp: number;
}

/** Returns a write that leaves now. */
export function stampedWriteNow(runtime: Runtime, ttlMs: number): StampedWrite {
  const from = runtime.now();
  return { from, ttlMs, stamp: stampFor(from.wallMs, ttlMs) };
}

/** Returns how much longer others respect a stamp, by our clocks; a stamp is absolute, however late it arrives. */
export function storedForMs({ from, ttlMs }: StampedWrite, runtime: Runtime): number {
  return Math.max(0, ttlMs + driftMs(ttlMs) - runtime.elapsedMs(from));
}
