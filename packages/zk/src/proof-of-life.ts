import type { Instant, Validity } from '@holdfast/core';

/**
 * How long a proof of life carries a lease. Pure. A follower that is cut from its leader goes on answering pings and
 * reads, so only a quorum write shows that the leader can be reached. But a write that a follower forwards does not
 * touch the session at the leader: the touches travel with the follower's answers to the leader's pings, one every
 * half tick. Hence two limits, and the earlier one counts:
 *
 * - two thirds of T after the proof left, as every ZooKeeper client gives up a silent server by then;
 * - 0.95 T after p, the latest request that was answered at least T/4 before W left, where W was answered by the leader
 *   before the proof left (`LeaderAnswers`). The rest is for clocks whose rates differ, and for the leader's rounding
 *   up to ticks, which is safe.
 */
const PROOF_SHARE = 2 / 3;
const TOUCH_SHARE = 0.95;
/** With T ≥ 2 ticks a quarter of T is half a tick: by then a leader that runs has pinged. */
const REPORTED_SHARE = 1 / 4;
/** What a renewal should find left of a lease: time for a call and for another try. Core renews as early as that takes. */
const RENEWAL_SHARE = 1 / 5;

/** A little below the 0.36 T that the leader’s answers of the last T/6 make sure of, for the time that they took. */
const RECENT_SHARE = 1 / 4;
/**
 * How often the leader is asked, while anything is held or waited for, and how often one proof is enough for all leases
 * of a session. At the worst, p is older than a proof by two such steps and a quarter of T, 7T/12; then 0.36 T are left.
 */
const STEP_SHARE = 1 / 6;
/** How long a session is kept ready after its last use. */
const WARM_SHARE = 2;
/** Timers may fire a moment early; what they ask for is due all the same. */
const EARLY_MS = 2;
/** A grant with less is of no use; a little below what a renewal should find, for the time it takes to get there. */
const USEFUL_SHARE = 1 / 6;

/** A proof of life, and what else was known of the session when it left. */
export interface Proof {
  /** When the write left. */
  readonly sentAt: Instant;
  /** p: when the latest request left of which the leader has heard if the proof came through; undefined without one. */
  readonly touched: Instant | undefined;
}

/** By when, on the monotonic clock, p must have been answered for a request to the leader that left at `sentAt`. */
export function reportedMs(sentAt: Instant, timeoutMs: number): number {
  return sentAt.monotonicMs - timeoutMs * REPORTED_SHARE;
}

/** How long a lease may be believed in; by both clocks, since each of the two limits is kept by both. */
export function validityOf(proof: Proof, timeoutMs: number): Validity {
  const { sentAt, touched } = proof;
  const proven = plusMs(sentAt, timeoutMs * PROOF_SHARE);
  if (touched === undefined) return { from: sentAt, ms: 0 };
  const reached = plusMs(touched, timeoutMs * TOUCH_SHARE);
  const end: Instant = {
    monotonicMs: Math.min(proven.monotonicMs, reached.monotonicMs),
    wallMs: Math.min(proven.wallMs, reached.wallMs),
  };
  const ms = Math.max(0, end.monotonicMs - sentAt.monotonicMs);
  return { from: plusMs(end, -ms), ms };
}

/** Whether what a write has proven, or would prove, is enough to begin a lease with. */
export function isRecentlyProven(leftMs: number, timeoutMs: number): boolean {
  return leftMs >= timeoutMs * RECENT_SHARE;
}

/** Whether a renewal finds enough left to come in time, and another one after it. */
export function isLasting(leftMs: number, timeoutMs: number): boolean {
  return leftMs >= timeoutMs * RENEWAL_SHARE;
}

/** Whether so little is left that not even a renewal would come in time. */
export function isUseful(leftMs: number, timeoutMs: number): boolean {
  return leftMs >= timeoutMs * USEFUL_SHARE;
}

/** Whether a proof that left `ageMs` ago, and carries a lease for another `leftMs`, can stand for one of now. */
export function heldForNow(ageMs: number, leftMs: number, timeoutMs: number): boolean {
  return ageMs < timeoutMs * STEP_SHARE - EARLY_MS && isLasting(leftMs, timeoutMs);
}

/** In how long the leader has to be asked again after a request to it that left `ageMs` ago; 0 when it is due. */
export function dueInMs(ageMs: number, timeoutMs: number): number {
  const ms = timeoutMs * STEP_SHARE - ageMs;
  return ms <= EARLY_MS ? 0 : ms;
}

/** Whether a session that was last used `idleMs` ago is still kept ready. */
export function isWarm(idleMs: number, timeoutMs: number): boolean {
  return idleMs < timeoutMs * WARM_SHARE;
}

/** The later of two, by the monotonic clock. */
export function latest(a: Instant | undefined, b: Instant): Instant {
  return a !== undefined && a.monotonicMs > b.monotonicMs ? a : b;
}

function plusMs({ monotonicMs, wallMs }: Instant, ms: number): Instant {
  return { monotonicMs: monotonicMs + ms, wallMs: wallMs + ms };
}
