import type { NodeVote, VoteReply, VoteRequest } from './node-vote.ts';
import { reportNode, type Store } from './store.ts';
import { blockingOf } from './validity.ts';

/** A node is told of as slow when it took more than this, and this many times as long as the vote. */
const SLOW_MS_MIN = 10;
const SLOW_VOTES = 3;

/**
 * Asks all nodes at once, and resolves as soon as the vote is decided either way, with the ballots cast by then. What
 * comes later is its seat's to keep: it counts in renewals when it came in time, and is given back when the vote was
 * lost.
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
 * Counts what comes in until `isDecided`, at the latest until all are in; resolves with what was cast by then, in the
 * order of arrival. None of `asked` may reject.
 */
export function collectUntil<B>(
  pending: readonly Promise<B>[],
  isDecided: (received: readonly B[]) => boolean,
): Promise<readonly B[]> {
  return new Promise((resolve) => {
    const received: B[] = [];
    const add = (reply: B): void => {
      received.push(reply);
      if (received.length === pending.length || isDecided(received)) resolve([...received]);
    };
    for (const reply of pending) void reply.then(add);
  });
}

/** How many nodes gave their vote. */
export function countAgreed(replies: readonly VoteReply[]): number {
  return replies.filter(({ kind }) => kind === 'agreed').length;
}

/** How many nodes answered the question, whatever the answer. */
export function countAnswered(replies: readonly VoteReply[]): number {
  return replies.filter(({ kind }) => kind !== 'unknown' && kind !== 'unavailable').length;
}

/** How many nodes certainly have no vote of ours. */
export function countDenied(replies: readonly VoteReply[]): number {
  return replies.filter(({ kind }) => kind !== 'agreed' && kind !== 'unknown').length;
}

/** How many nodes refuse until somebody changes something. */
export function countRefused(replies: readonly VoteReply[]): number {
  return replies.filter(({ kind }) => kind === 'refused').length;
}

/** Whether it is known to be won; or that it is lost, and as what. */
function isVoteDecided(received: readonly VoteReply[], nodes: number, quorum: number): boolean {
  const open = nodes - received.length;
  const agreed = countAgreed(received);
  const isWon = agreed >= quorum;
  const isLost = agreed + open < quorum;
  return isWon || (isLost && isOutcomeKnown(received, open, quorum, nodes));
}

/** Nodes that answer at once that they are down must not hide that a majority says who holds the key. */
function isOutcomeKnown(
  received: readonly VoteReply[],
  open: number,
  quorum: number,
  nodes: number,
): boolean {
  const answered = countAnswered(received);
  const refused = countRefused(received);
  const mayBeRefused = refused > 0 && refused + open >= blockingOf(nodes);
  const isRefused = refused >= blockingOf(nodes);
  if (mayBeRefused) return isRefused;
  return answered >= quorum || answered + open < quorum;
}

/** After the decision, so that nobody waits for it. */
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
      const isAnswer = kind === 'agreed' || kind === 'taken';
      if (isSlow && isAnswer) reportNode(host, node, { outcome: 'slow', key, tookMs });
    });
  }
}
