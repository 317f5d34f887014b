/** Milliseconds since 1970: 13 digits from 2001 until 2286. A stamp in seconds would be one that has always expired. */
const STAMP = /^\d{13}$/;

/**
 * What a client writes: the last millisecond, by its own wall clock, at which others must respect its lock. The `+ 1`
 * is the recipe's own; it keeps a stamp of whole ms from ending before the lease that was asked for.
 */
export function stampFor(wallMs: number, ttlMs: number): number {
  return Math.floor(wallMs) + ttlMs + 1;
}

/** Reads a stored stamp; undefined for anything else, for example another tool's value. */
export function parseStamp(value: string): number | undefined {
  return STAMP.test(value) ? Number(value) : undefined;
}

/** Whether a stamp is past by the wall clock of whoever looks: the recipe's only judge. */
export function isExpired(stamp: number, wallMs: number): boolean {
  return stamp < wallMs;
}
