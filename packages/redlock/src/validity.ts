import { driftMs } from '@holdfast/core';

/** How many of `nodes` must agree: two majorities always share a node. */
export function quorumOf(nodes: number): number {
  return Math.floor(nodes / 2) + 1;
}

/** How many of `nodes` can prevent a majority, and so how many share a node with every majority. */
export function blockingOf(nodes: number): number {
  return nodes - quorumOf(nodes) + 1;
}

/**
 * How much longer a lease of `ttlMs` may be believed in, `elapsedMs` after its request left: `ttl − elapsed − drift`,
 * never negative. (Redlock, step 3, with the drift of its safety argument:
 * https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/)
 */
export function leftMs(ttlMs: number, elapsedMs: number): number {
  return Math.max(0, ttlMs - elapsedMs - driftMs(ttlMs));
}

/**
 * In how many ms a majority will be free if nobody renews or releases, from what each node has left; a node that did
 * not say counts as Infinity. Infinity where a majority of them never will be.
 */
export function majorityFreeInMs(remainingMs: readonly number[], quorum: number): number {
  return remainingMs.toSorted((a, b) => a - b)[quorum - 1] ?? Number.POSITIVE_INFINITY;
}

/** Contenders that split the votes come back spread over at least this. */
const SPREAD_MS_MIN = 10;
/** Two of them split again if they start within one vote of each other; several times that keeps them apart. */
const SPREAD_VOTES = 4;
/** Nobody is kept away for longer than this when the key becomes free. */
export const SPREAD_MS_MAX = 400;
const DOUBLINGS_MAX = 10;

/**
 * How long to stay away after a lost vote that took `tookMs`: random, and spread more widely after every split in a
 * row, up to `spreadMsMax`, so that contenders that split the votes between them do not do so for ever.
 */
export function backOffMs(
  tookMs: number,
  splits: number,
  random: number,
  spreadMsMax: number,
): number {
  const firstMs = Math.max(SPREAD_MS_MIN, SPREAD_VOTES * tookMs);
  const spreadMs = firstMs * 2 ** Math.min(splits, DOUBLINGS_MAX);
  return random * Math.min(spreadMsMax, spreadMs);
}
