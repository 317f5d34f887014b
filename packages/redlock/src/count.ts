import type { Attempt, Runtime } from '@holdfast/core/backend';
import { JITTER_MS, messageOf } from '@holdfast/redis';
import type { NodeVote } from './node-vote.ts';
import { reportNode, type Store } from './store.ts';
import { blockingOf, majorityFreeInMs } from './validity.ts';
import type { VoteReply, VoteRequest } from './vote.ts';

/** A node is reported as slow if it took more than this, and this many times as long as the vote. */
const SLOW_MS_MIN = 10;
const SLOW_VOTES = 3;

/**
 * Requests the vote of all nodes in parallel. Resolves as soon as the vote is decided either way, with the replies by
 * then. A later reply is handled by its {@link NodeVote}: it counts in renewals if it came in time, and is released if
 * the vote was lost.
 */
export async function requestVotes(
  store: Store,
  votes: readonly NodeVote[],
  request: VoteRequest,
): Promise<readonly VoteReply[]> {
  const pending = votes.map((vote) => vote.acquire(request));
  store.pendingReleases.track(Promise.all(pending));
  const received = await collectUntil(pending, (replies) =>
    isVoteDecided(replies, votes.length, store.quorum),
  );
  const tookMs = store.host.runtime.elapsedMs(request.from);
  reportSlowNodes(store, votes, pending, request, tookMs);
  return received;
}

/**
 * Collects replies until `isDecided`, at the latest until all have come. Resolves with those that came by then, in the
 * order of arrival. None of `pending` may reject.
 */
export function collectUntil<R>(
  pending: readonly Promise<R>[],
  isDecided: (received: readonly R[]) => boolean,
): Promise<readonly R[]> {
  return new Promise((resolve) => {
    const received: R[] = [];
    const add = (reply: R): void => {
      received.push(reply);
      if (received.length === pending.length || isDecided(received)) resolve([...received]);
    };
    for (const reply of pending) void reply.then(add);
  });
}

/** Waits for `work`, which never rejects, at most `ms`. */
export function settledWithin(runtime: Runtime, ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise((done) => {
    const cancel = runtime.timer(ms, done, { awaited: true });
    void work.finally(cancel).then(() => done());
  });
}

/** Counts the nodes that gave their vote. */
export function countAgreed(replies: readonly VoteReply[]): number {
  return replies.filter(({ kind }) => kind === 'agreed').length;
}

/** Counts the nodes whose reply is definite. */
export function countDefinite(replies: readonly VoteReply[]): number {
  return replies.filter(({ kind }) => kind !== 'unknown' && kind !== 'unavailable').length;
}

/** Counts the nodes that certainly have no vote of ours. */
export function countDenied(replies: readonly VoteReply[]): number {
  return replies.filter(({ kind }) => kind !== 'agreed' && kind !== 'unknown').length;
}

/** Counts the nodes that have no exported vote to replace. */
export function countGone(replies: readonly VoteReply[]): number {
  return replies.filter(({ kind }) => kind === 'gone').length;
}

function countRefused(replies: readonly VoteReply[]): number {
  return replies.filter(({ kind }) => kind === 'refused').length;
}

/** True if the vote is won; or lost, and it is known with which outcome. */
function isVoteDecided(received: readonly VoteReply[], nodes: number, quorum: number): boolean {
  const open = nodes - received.length;
  const agreed = countAgreed(received);
  const isWon = agreed >= quorum;
  const isLost = agreed + open < quorum;
  return isWon || (isLost && isOutcomeKnown(received, open, quorum, nodes));
}

/** Waits for more replies if nodes that report at once that they are down might hide that a majority knows the holder. */
function isOutcomeKnown(
  received: readonly VoteReply[],
  open: number,
  quorum: number,
  nodes: number,
): boolean {
  const definite = countDefinite(received);
  const refused = countRefused(received);
  const mayBeRefused = refused > 0 && refused + open >= blockingOf(nodes);
  const isRefused = refused >= blockingOf(nodes);
  if (mayBeRefused) return isRefused;
  return definite >= quorum || definite + open < quorum;
}

/** Runs after the decision, so that no attempt waits for it. */
function reportSlowNodes(
  { host }: Store,
  votes: readonly NodeVote[],
  pending: readonly Promise<VoteReply>[],
  { from }: VoteRequest,
  voteMs: number,
): void {
  for (const [index, { node, key }] of votes.entries()) {
    void pending[index]?.then(({ kind }) => {
      const tookMs = host.runtime.elapsedMs(from);
      const isSlow = tookMs > Math.max(SLOW_MS_MIN, SLOW_VOTES * voteMs);
      const hasReplied = kind === 'agreed' || kind === 'taken';
      if (isSlow && hasReplied) reportNode(host, node, { outcome: 'slow', key, tookMs });
    });
  }
}

/** Everything known about a vote that was not won. */
export interface LostVote {
  /** The replies by the decision. */
  readonly replies: readonly VoteReply[];
  readonly nodes: number;
  readonly quorum: number;
  /** True if a node may still store a vote of ours, after the releases. */
  readonly mayBeStored: boolean;
  /** The earliest time of the next vote. */
  readonly notBeforeMs: number;
  /** The latest time of the next vote, if others may have lost theirs too: a lost vote sends no notification. */
  readonly probeAfterMs: number;
  /** The time between two looks at a vote of others: they report no release in the plain layout. */
  readonly pollMs: number;
  /** In [0, 1). */
  readonly random: number;
}

/**
 * Returns the outcome of a lost vote: *refused* if a majority is impossible until an operator changes something; *busy*
 * if a majority replied and another contender has a vote; else *unknown* if a vote of ours may be stored; else
 * *unavailable*.
 */
export function outcomeOfLost(vote: LostVote): Exclude<Attempt, { kind: 'granted' }> {
  const { replies, nodes, quorum } = vote;
  const refusal = replies.find((reply) => reply.kind === 'refused');
  if (refusal !== undefined && countRefused(replies) >= blockingOf(nodes)) return refusal;
  const isTaken = replies.some(({ kind }) => kind === 'taken');
  const isWonTooLate = countAgreed(replies) >= quorum;
  if (countDefinite(replies) >= quorum && isTaken && !isWonTooLate) return busy(vote);
  const cause = isWonTooLate
    ? new Error('a majority agreed when no validity was left')
    : noMajority(vote);
  return { kind: vote.mayBeStored ? 'unknown' : 'unavailable', cause };
}

function busy(vote: LostVote): Attempt & { kind: 'busy' } {
  const { replies, quorum, notBeforeMs, probeAfterMs, pollMs, random } = vote;
  const freeInMs = majorityFreeInMs(replies.map(remainingMs), quorum);
  const pollAfterMs = Math.min(freeInMs + 1, pollMs) + random * JITTER_MS;
  const retryAfterMs = Math.min(pollAfterMs, probeAfterMs);
  const holderRemainingMs = Number.isFinite(freeInMs) ? freeInMs : undefined;
  return { kind: 'busy', holderRemainingMs, retryAfterMs, notBeforeMs };
}

function noMajority({ replies, nodes, quorum }: LostVote): Error {
  const causes = replies.flatMap(causeIn);
  const message = `${causes.length} of ${nodes} nodes did not vote, so no quorum of ${quorum} is possible`;
  return new AggregateError(causes, `${message} (${causes.map(messageOf).join('; ')})`);
}

function causeIn(reply: VoteReply): unknown[] {
  if (reply.kind === 'refused') return [reply.error];
  return 'cause' in reply ? [reply.cause] : [];
}

/** Votes that were given to us have been released by now. */
function remainingMs(reply: VoteReply): number {
  if (reply.kind === 'agreed') return 0;
  return reply.kind === 'taken' ? reply.remainingMs : Number.POSITIVE_INFINITY;
}
