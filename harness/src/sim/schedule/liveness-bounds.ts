/** What bounds of waiting go by. */
export interface LivenessConditions {
  readonly ttlMs: number;
  /** How long the slowest of the healthy links takes, one way. */
  readonly latencyMs: number;
  /** By how much the slowest of the followers is behind; 0 where there are none. */
  readonly lagMs?: number;
  /** Whether what stands empty may be taken away at any moment, so that whoever comes has to make it anew. */
  readonly isReaped?: boolean;
  /** Whether who waits may still be subscribing for the first time as the key is released. */
  readonly isOpening?: boolean;
  /** How many of the healthy want the key at once. */
  readonly waiters: number;
  /** By how much wall clocks have jumped, all in all: what goes by them may stand so much longer. */
  readonly jumpedMs: number;
}

/**
 * How long whoever waits may have to wait while nobody holds, in ms: what one lock promises beside healthy links. The
 * bounds of our own are in their records, `harness/src/locks`.
 */
export interface LivenessBounds {
  /** Right after the faults: what dead holders left has to end, connections have to come back, back-offs to run out. */
  settleMs(situation: LivenessConditions): number;
  /** Once all that has settled: from a release to the next grant. A waiter that had to poll for it would exceed this. */
  handoverMs(situation: LivenessConditions): number;
}

/** What is left of a lease, a poll every few seconds, a few connections to be made anew. */
const GENERAL_MS = 15_000;

/** For a lock of which nothing is known: it may poll. */
export const DEFAULT_LIVENESS_BOUNDS: LivenessBounds = {
  settleMs: ({ ttlMs, jumpedMs }) => 2 * ttlMs + jumpedMs + GENERAL_MS,
  handoverMs: ({ ttlMs }) => 2 * ttlMs + GENERAL_MS,
};
