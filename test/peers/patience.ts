import type { LivenessBounds } from '@holdfast/harness/simulator';
import type { PeerLibrary } from './peer.ts';

/** As for ours, `harness/src/locks`: clocks may run wrong by so much. */
const DRIFT = 1.5;
const SPARE_MS = 10;
/** ioredis gives up dialling after 10 s, node-redis after 5; either then pauses for 2 s at most. */
const LINK_MS = 10_000 + 2_000;
/** A release, and an attempt: twice each, where the server has forgotten a script. */
const WAYS = 8;
/** As for ours: so many split votes in a row are rarer than one in a million. */
const SPLITS_MAX = 10;

/**
 * How long whoever waits may have to wait for a key that nobody holds: what the library's own settings and the clients'
 * defaults make of it, by the same reckoning as for our own. What nobody alive holds ends with its ttl.
 */
export function patienceOf({
  pollMs,
  nodes,
}: Pick<PeerLibrary, 'pollMs' | 'nodes'>): LivenessBounds {
  const rounds = (waiters: number): number => (nodes > 1 && waiters > 1 ? SPLITS_MAX : 1);
  return {
    settleMs: ({ ttlMs, jumpedMs, latencyMs, waiters }) =>
      DRIFT * (ttlMs + jumpedMs + LINK_MS + rounds(waiters) * pollMs(ttlMs)) + WAYS * latencyMs,
    handoverMs: ({ ttlMs, latencyMs, waiters }) =>
      DRIFT * rounds(waiters) * pollMs(ttlMs) + rounds(waiters) * WAYS * latencyMs + SPARE_MS,
  };
}
