import type { Instant, Validity } from '@holdfast/core/backend';
import type { Answered, ZooKeeperSession } from './port.ts';

/**
 * Proof of life: how long a lease may be relied on after a write, and why that is safe. See docs/backends/zk.md#proof.
 *
 * T is the negotiated session timeout. A lease is valid until min(proofSent + 2T/3, p + 0.95 T), where
 *
 * - proofSent is the time when the proof, a write, was sent;
 * - p is the send time of the latest request that was answered by T/4 before W was sent;
 * - W is the latest write or sync that was answered before the proof was sent.
 *
 * Why pings prove nothing. A follower that is cut from its leader still answers pings and reads. Meanwhile the leader
 * hears nothing of the session and expires it after T. Only a quorum write shows that the leader can be reached: hence
 * the first limit, by which every ZooKeeper client gives up a silent server.
 *
 * Why the write alone is not enough. A write that a follower forwards does not touch the session at the leader. The
 * sessions that the follower has heard travel with its replies to the leader's pings, one every half tick. A proof that
 * succeeds shows that the leader has heard of p:
 *
 * 1. The follower answered p, and W was sent T/4 later. T is at least two ticks, so T/4 is at least half a tick: a ping
 *    of the leader was due in between.
 * 2. Either the leader ran when the ping was due. Then it sent the ping before it answered W. Or it was paused until
 *    after W was sent. Then the ping is overdue when the leader resumes, and is sent before W's reply reaches the client.
 * 3. So the follower had the ping before it had the proof, which was sent after W's reply. It reported p before it
 *    forwarded the proof. What it sends to the leader arrives in order: the report arrived before the proof.
 *
 * So the leader keeps the session until p + T, as it counts. The second limit leaves 5 % of that for clocks whose rates
 * differ. The leader rounds up to ticks, which is safe. The creation of a session, and its validation on a new
 * connection, count as p at once, because the leader itself does them.
 */
const PROOF_SHARE = 2 / 3;
const TOUCH_SHARE = 0.95;
const REPORTED_SHARE = 1 / 4;

/**
 * The interval of requests to the leader while leases are held or waited for, and the time for which one proof serves all
 * leases of a session. At the worst, p is older than a proof by two such steps and a quarter of T, 7T/12; then 0.36 T are left.
 */
const STEP_SHARE = 1 / 6;
/** A little below those 0.36 T, for the time that the leader's replies took. */
const RECENT_SHARE = 1 / 4;
/** The validity that a renewal should find: time for a call and for a second try. Core renews as early as that needs. */
const RENEWAL_SHARE = 1 / 5;
/** The least validity of a grant: a little below what a renewal should find, for the time until the grant. */
const USEFUL_SHARE = 1 / 6;
/** Timers may fire a moment early; what they are for is due all the same. */
const EARLY_MS = 2;

/** A proof, as known when it was sent. */
export interface Proof {
  /** The time when the write was sent. */
  readonly sentAt: Instant;
  /** p; undefined if the leader is not known to have heard of any request. */
  readonly touched: Instant | undefined;
}

/** The validity that a proof gives. Both limits hold by both clocks, so the validity ends by the earlier of them. */
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

/** The parts of a session that p depends on. */
type ObservedSession = Pick<ZooKeeperSession, 'timeoutMs' | 'validated' | 'answeredBefore'>;

/** The leader's replies to one session, by which p is known. */
export class LeaderReplies {
  readonly #session: ObservedSession;
  #latest: Instant | undefined;
  #reported: Instant | undefined;

  constructor(session: ObservedSession) {
    this.#session = session;
  }

  /** The send time of the latest request that the leader is known to have answered. */
  get latest(): Instant | undefined {
    return this.#latest;
  }

  /** Records the reply to a write or a sync: a new W. */
  add({ sentAt }: Answered): void {
    this.#latest = latest(this.#latest, sentAt);
    const { timeoutMs } = this.#session;
    const reported = this.#session.answeredBefore(reportedMs(sentAt, timeoutMs));
    if (reported !== undefined) this.#reported = latest(this.#reported, reported);
  }

  /** p, for a proof that is sent now. Requests on an earlier connection were sent before the latest validation. */
  touched(): Instant {
    return latest(this.#reported, this.#session.validated);
  }
}

/** The monotonic time by which p must have been answered, for a W that was sent at `sentAt`. */
export function reportedMs(sentAt: Instant, timeoutMs: number): number {
  return sentAt.monotonicMs - timeoutMs * REPORTED_SHARE;
}

/** True if a validity of `leftMs` is enough to begin a lease with. */
export function isRecentlyProven(leftMs: number, timeoutMs: number): boolean {
  return leftMs >= timeoutMs * RECENT_SHARE;
}

/** True if `leftMs` is enough for a renewal to come in time, and for another one after it. */
export function isLasting(leftMs: number, timeoutMs: number): boolean {
  return leftMs >= timeoutMs * RENEWAL_SHARE;
}

/** True if `leftMs` is enough for a renewal to come in time. */
export function isUseful(leftMs: number, timeoutMs: number): boolean {
  return leftMs >= timeoutMs * USEFUL_SHARE;
}

/** True if a proof that was sent `ageMs` ago, and is valid for another `leftMs`, can replace a new one. */
export function isReusable(ageMs: number, leftMs: number, timeoutMs: number): boolean {
  return ageMs < timeoutMs * STEP_SHARE - EARLY_MS && isLasting(leftMs, timeoutMs);
}

/** The time until the next request to the leader is due, if the latest was sent `ageMs` ago; 0 if it is due. */
export function dueInMs(ageMs: number, timeoutMs: number): number {
  const ms = timeoutMs * STEP_SHARE - ageMs;
  return ms <= EARLY_MS ? 0 : ms;
}

/** The later of two times, by the monotonic clock. */
function latest(a: Instant | undefined, b: Instant): Instant {
  return a !== undefined && a.monotonicMs > b.monotonicMs ? a : b;
}

function plusMs({ monotonicMs, wallMs }: Instant, ms: number): Instant {
  return { monotonicMs: monotonicMs + ms, wallMs: wallMs + ms };
}
