/** The conditions that bounds of waiting depend on. */
export interface LivenessConditions {
  readonly ttlMs: number;
  /** Latency of the slowest healthy link, one way. */
  readonly latencyMs: number;
  /** Lag of the slowest follower; 0 if there are none. */
  readonly lagMs?: number;
  /** True if empty containers may be deleted at any moment, so that the next client has to create them anew. */
  readonly isReaped?: boolean;
  /** True if a waiter may still be subscribing for the first time when the key is released. */
  readonly isOpening?: boolean;
  /** Number of healthy clients that want the key at once. */
  readonly waiters: number;
  /** Sum of all jumps of wall clocks: a key whose expiry depends on them may exist for that much longer. */
  readonly jumpedMs: number;
}

/**
 * Longest waits while no client holds, in ms, that one lock promises beside healthy links. The bounds of the built-in
 * locks are in their records, `harness/src/locks`.
 */
export interface LivenessBounds {
  /** Right after the faults: holds of dead clients have to end, connections have to come back, back-offs to run out. */
  settleMs(conditions: LivenessConditions): number;
  /**
   * Once all that has settled: from a release to the next grant. A waiter that had to poll for it would exceed this.
   */
  handoverMs(conditions: LivenessConditions): number;
}

/** The rest of a lease, a poll every few seconds, a few new connections. */
const GENERAL_MS = 15_000;

/** For an unknown lock: it may poll. */
export const DEFAULT_LIVENESS_BOUNDS: LivenessBounds = {
  settleMs: ({ ttlMs, jumpedMs }) => 2 * ttlMs + jumpedMs + GENERAL_MS,
  handoverMs: ({ ttlMs }) => 2 * ttlMs + GENERAL_MS,
};
