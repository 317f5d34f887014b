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
export async function castVote(
  store: Store,
  seats: readonly NodeVote[],
  ask: VoteRequest,
): Promise<readonly VoteReply[]> {
  const asked = seats.map((seat) => seat.acquire(ask));
  store.pendingReleases.track(Promise.all(asked));
  const cast = await count(asked, (ballots) => isVoteOver(ballots, seats.length, store.quorum));
  const tookMs = store.host.runtime.elapsedMs(ask.from);
  reportSlowNodes(store, seats, asked, ask, tookMs);
  return cast;
}

/**
 * Counts what comes in until `isDecided`, at the latest until all are in; resolves with what was cast by then, in the
 * order of arrival. None of `asked` may reject.
 */
export function count<B>(
  asked: readonly Promise<B>[],
  isDecided: (cast: readonly B[]) => boolean,
): Promise<readonly B[]> {
  return new Promise((resolve) => {
    const cast: B[] = [];
    const add = (ballot: B): void => {
      cast.push(ballot);
      if (cast.length === asked.length || isDecided(cast)) resolve([...cast]);
    };
    for (const ballot of asked) void ballot.then(add);
  });
}

/** How many nodes gave their vote. */
export function agreedIn(ballots: readonly VoteReply[]): number {
  return ballots.filter(({ kind }) => kind === 'agreed').length;
}

/** How many nodes answered the question, whatever the answer. */
export function answeredIn(ballots: readonly VoteReply[]): number {
  return ballots.filter(({ kind }) => kind !== 'unknown' && kind !== 'unavailable').length;
}

/** How many nodes certainly have no vote of ours. */
export function deniedIn(ballots: readonly VoteReply[]): number {
  return ballots.filter(({ kind }) => kind !== 'agreed' && kind !== 'unknown').length;
}

/** How many nodes refuse until somebody changes something. */
export function refusedIn(ballots: readonly VoteReply[]): number {
  return ballots.filter(({ kind }) => kind === 'refused').length;
}

/** Whether it is known to be won; or that it is lost, and as what. */
function isVoteOver(cast: readonly VoteReply[], nodes: number, quorum: number): boolean {
  const open = nodes - cast.length;
  const agreed = agreedIn(cast);
  const isWon = agreed >= quorum;
  const isLost = agreed + open < quorum;
  return isWon || (isLost && isOutcomeKnown(cast, open, quorum, nodes));
}

/** Nodes that answer at once that they are down must not hide that a majority says who holds the key. */
function isOutcomeKnown(
  cast: readonly VoteReply[],
  open: number,
  quorum: number,
  nodes: number,
): boolean {
  const answered = answeredIn(cast);
  const refused = refusedIn(cast);
  const mayBeRefused = refused > 0 && refused + open >= blockingOf(nodes);
  const isRefused = refused >= blockingOf(nodes);
  if (mayBeRefused) return isRefused;
  return answered >= quorum || answered + open < quorum;
}

/** After the decision, so that nobody waits for it. */
function reportSlowNodes(
  { host }: Store,
  seats: readonly NodeVote[],
  asked: readonly Promise<VoteReply>[],
  { from }: VoteRequest,
  voteMs: number,
): void {
  for (const [at, { node, key }] of seats.entries()) {
    void asked[at]?.then(({ kind }) => {
      const tookMs = host.runtime.elapsedMs(from);
      const isSlow = tookMs > Math.max(SLOW_MS_MIN, SLOW_VOTES * voteMs);
      const isAnswer = kind === 'agreed' || kind === 'taken';
      if (isSlow && isAnswer) reportNode(host, node, { outcome: 'slow', key, tookMs });
    });
  }
}
