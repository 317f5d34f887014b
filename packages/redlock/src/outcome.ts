import type { Attempt } from '@holdfast/core';
import type { VoteReply } from './node-vote.ts';
import { blockingOf, majorityFreeInMs } from './validity.ts';
import { countAgreed, countAnswered, countRefused } from './vote.ts';

/** A waiter looks at the nodes at least this often, because a half-open subscription is silent for ever. */
export const SAFETY_POLL_MS = 2_000;
/** Waiters of a dead holder all learn the same remaining time, and poll alike; they come back spread over this. */
const JITTER_MS = 50;

/** What is known of a vote that was not won. */
export interface LostVote {
  /** Those cast by the decision. */
  readonly replies: readonly VoteReply[];
  readonly nodes: number;
  readonly quorum: number;
  /** Whether something of it may stand on a node, after the releases. */
  readonly mayBeStored: boolean;
  /** When to vote again at the earliest. */
  readonly notBeforeMs: number;
  /** When to vote again at the latest, where others may have lost theirs likewise, and none of them tells anybody. */
  readonly probeAfterMs: number;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * What a lost vote comes to: *refused* where a majority is impossible until somebody changes something, *busy* where
 * a majority answered and somebody else has a vote, else *unknown* where something may stand, else *unavailable*.
 */
export function outcomeOfLost(vote: LostVote): Exclude<Attempt, { kind: 'granted' }> {
  const { replies, nodes, quorum } = vote;
  const refusal = replies.find((reply) => reply.kind === 'refused');
  if (refusal !== undefined && countRefused(replies) >= blockingOf(nodes)) return refusal;
  const isTaken = replies.some(({ kind }) => kind === 'taken');
  const isWonTooLate = countAgreed(replies) >= quorum;
  if (countAnswered(replies) >= quorum && isTaken && !isWonTooLate) return busy(vote);
  const cause = isWonTooLate
    ? new Error('a majority agreed when no validity was left')
    : noMajority(vote);
  return { kind: vote.mayBeStored ? 'unknown' : 'unavailable', cause };
}

function busy(vote: LostVote): Attempt & { kind: 'busy' } {
  const { replies, quorum, notBeforeMs, probeAfterMs, random } = vote;
  const freeInMs = majorityFreeInMs(replies.map(remainingMs), quorum);
  const pollAfterMs = Math.min(freeInMs + 1, SAFETY_POLL_MS) + random * JITTER_MS;
  const retryAfterMs = Math.min(pollAfterMs, probeAfterMs);
  const holderRemainingMs = Number.isFinite(freeInMs) ? freeInMs : undefined;
  return { kind: 'busy', holderRemainingMs, retryAfterMs, notBeforeMs };
}

function noMajority({ replies, nodes, quorum }: LostVote): Error {
  const causes = replies.flatMap(causeIn);
  const why = causes.map((cause) => (cause instanceof Error ? cause.message : String(cause)));
  const message = `${causes.length} of ${nodes} nodes did not vote, so no quorum of ${quorum} is possible`;
  return new AggregateError(causes, `${message} (${why.join('; ')})`);
}

function causeIn(reply: VoteReply): unknown[] {
  if (reply.kind === 'refused') return [reply.error];
  return 'cause' in reply ? [reply.cause] : [];
}

/** What was given to us has been given back. */
function remainingMs(reply: VoteReply): number {
  if (reply.kind === 'agreed') return 0;
  return reply.kind === 'taken' ? reply.remainingMs : Number.POSITIVE_INFINITY;
}
