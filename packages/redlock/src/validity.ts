import { driftMs } from '@holdfast/core/backend';

/** Returns the number of `nodes` that must agree: two majorities always share a node. */
export function quorumOf(nodes: number): number {
  return Math.floor(nodes / 2) + 1;
}

/** Returns the number of `nodes` that can prevent a majority: so many share a node with every majority. */
export function blockingOf(nodes: number): number {
  return nodes - quorumOf(nodes) + 1;
}

/**
 * Returns how much longer a lease of `ttlMs` is valid, `elapsedMs` after its request left: `ttl − elapsed − drift`,
 * never negative. (Redlock, step 3, with the drift of its safety argument:
 * https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/)
 */
export function leftMs(ttlMs: number, elapsedMs: number): number {
  return Math.max(0, ttlMs - elapsedMs - driftMs(ttlMs));
}

/**
 * Returns in how many ms a majority will be free if no vote is renewed or released, from the remaining ms of each node.
 * A node that did not reply counts as Infinity. Infinity if a majority never will be free.
 */
export function majorityFreeInMs(remainingMs: readonly number[], quorum: number): number {
  return remainingMs.toSorted((a, b) => a - b)[quorum - 1] ?? Number.POSITIVE_INFINITY;
}

/** Contenders that split the votes retry spread over at least this. */
const SPREAD_MS_MIN = 10;
/** Two of them split again if they start within one vote of each other; several times that keeps them apart. */
const SPREAD_VOTES = 4;
/** The longest back-off: no contender waits longer when the key becomes free. */
export const SPREAD_MS_MAX = 400;
const DOUBLINGS_MAX = 10;

/**
 * Returns the back-off after a lost vote that took `tookMs`: random, and spread more widely after every split in a row,
 * up to `spreadMsMax`, so that contenders that split the votes between them do not do so endlessly.
 */
export function splitBackOffMs(
  tookMs: number,
  splits: number,
  random: number,
  spreadMsMax: number,
): number {
  const firstMs = Math.max(SPREAD_MS_MIN, SPREAD_VOTES * tookMs);
  const spreadMs = firstMs * 2 ** Math.min(splits, DOUBLINGS_MAX);
  return random * Math.min(spreadMsMax, spreadMs);
}
