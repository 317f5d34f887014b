import {
  type Attempt,
  type Contender,
  callDeadlineMs,
  ownerValue,
  type Withdrawal,
} from '@holdfast/core';
import { UnresolvedAttempts } from '@holdfast/redis';
import { RedlockGrant } from './grant.ts';
import type { StoredKeys } from './keys.ts';
import { NodeVote, type VoteReply, type VoteRequest } from './node-vote.ts';
import { outcomeOfLost, SAFETY_POLL_MS } from './outcome.ts';
import { reportNode, type Store } from './store.ts';
import { backOffMs, blockingOf, leftMs, SPREAD_MS_MAX } from './validity.ts';
import { collectUntil, countAgreed, countAnswered, countDenied, requestVotes } from './vote.ts';
import { WakeUp } from './wake-up.ts';

/**
 * Redlock: attempt → count → validity → grant or withdraw.
 *
 * Every attempt asks all nodes at once, under an owner value of its own, so that undoing one can never touch the next.
 * (https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/)
 */
export class RedlockContender implements Contender {
  readonly #store: Store;
  readonly #keys: StoredKeys;
  readonly #contender: string;
  readonly #ttlMs: number;
  readonly #unresolved: UnresolvedAttempts;
  // Most contenders win at once and never wait.
  #wakeUp: WakeUp | undefined;
  #n = 0;
  /** Grows with every vote that was lost although some nodes agreed, and shrinks with the others. */
  #splits = 0;
  /** Of lost votes, the seats on which something may stand yet. */
  #leftoverVotes: readonly NodeVote[] = [];

  constructor(store: Store, keys: StoredKeys, contender: string, ttlMs: number) {
    this.#store = store;
    this.#keys = keys;
    this.#contender = contender;
    this.#ttlMs = ttlMs;
    this.#unresolved = new UnresolvedAttempts(store.host.runtime, store.pendingReleases, ttlMs);
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    // A hold has ended, most likely, and a new race begins.
    if (this.#wakeUp?.restart() === true) this.#splits = 0;
    const { nodes, quorum, host } = this.#store;
    const request = this.#newVoteRequest(deadlineMs);
    const votes = nodes.map(
      (node, index) =>
        new NodeVote(this.#store, { node, place: index + 1 }, this.#keys, this.#unresolved),
    );

    const replies = await requestVotes(this.#store, votes, request);
    const tookMs = host.runtime.elapsedMs(request.from);
    const isMajority = countAgreed(replies) >= quorum;
    const isValid = leftMs(this.#ttlMs, tookMs) > 0;
    if (isMajority && isValid) return this.#won(votes, request);

    await this.#releaseAll(votes, replies, deadlineMs);
    return this.#lost(votes, replies, tookMs);
  }

  changed(signal: AbortSignal): Promise<void> {
    const { nodes, host } = this.#store;
    this.#wakeUp ??= new WakeUp(nodes, this.#keys.channel, {
      blocking: blockingOf(nodes.length),
      onRefused: (node, cause) =>
        reportNode(host, node, { outcome: 'no wake-ups', key: this.#keys.key, cause }),
    });
    return this.#wakeUp.changed(signal);
  }

  async withdraw(): Promise<Withdrawal> {
    this.#wakeUp?.close();
    // A node that was slower than the majority is often about to say that nothing stands.
    const releases = this.#leftoverVotes.map(async ({ released }) => await released);
    if (releases.length > 0) await this.#within(callDeadlineMs(this.#ttlMs), Promise.all(releases));
    const withdrawal = await this.#unresolved.settle();
    const unresolvedMs = withdrawal.kind === 'unknown' ? withdrawal.untilMs : 0;
    const untilMs = Math.max(
      unresolvedMs,
      ...this.#leftoverVotes.map(({ mayBeStoredMs }) => mayBeStoredMs),
    );
    return untilMs === 0 ? { kind: 'clean' } : { kind: 'unknown', untilMs };
  }

  #newVoteRequest(deadlineMs: number): VoteRequest {
    this.#n += 1;
    const { runtime, label } = this.#store.host;
    const owner = ownerValue({ contender: this.#contender, n: this.#n, label });
    const from = runtime.now();
    const callEndMs = from.monotonicMs + callDeadlineMs(this.#ttlMs);
    return { owner, ttlMs: this.#ttlMs, from, deadlineMs: Math.min(deadlineMs, callEndMs) };
  }

  #won(votes: readonly NodeVote[], request: VoteRequest): Attempt {
    this.#wakeUp?.close();
    const hold = { contender: this.#contender, n: this.#n, request };
    return { kind: 'granted', grant: new RedlockGrant(this.#store, votes, hold) };
  }

  /**
   * On all nodes, whatever they said; waited for as long as a call may take, so that the next vote finds them free.
   * Where a majority has answered, nodes that are still silent by then hold nobody up. Waiters are woken only where these
   * votes may have been a majority: beside somebody else's hold all that wait would wake each other, again and again.
   */
  #releaseAll(
    votes: readonly NodeVote[],
    replies: readonly VoteReply[],
    deadlineMs: number,
  ): Promise<void> {
    const { host, pendingReleases, quorum } = this.#store;
    const isAnswered = countAnswered(replies) >= quorum;
    const quietly = votes.length - countDenied(replies) < quorum;
    const releasing = votes.map((vote) => vote.release({ quietly }).then(() => vote));
    pendingReleases.track(Promise.all(releasing));
    const released = collectUntil(
      releasing,
      (done) => isAnswered && votes.every((vote) => vote.isAwaitingReply || done.includes(vote)),
    );
    const leftMsOfCaller = deadlineMs - host.runtime.now().monotonicMs;
    const waitMs = Math.max(0, Math.min(callDeadlineMs(this.#ttlMs), leftMsOfCaller));
    return this.#within(waitMs, released);
  }

  /** Waits for it, which never rejects, but not longer. */
  #within(ms: number, work: Promise<unknown>): Promise<void> {
    return new Promise((done) => {
      const cancel = this.#store.host.runtime.timer(ms, done, { awaited: true });
      void work.finally(cancel).then(() => done());
    });
  }

  #lost(votes: readonly NodeVote[], replies: readonly VoteReply[], tookMs: number): Attempt {
    const { runtime } = this.#store.host;
    const { length: nodes } = votes;
    const random = runtime.random();
    const notBeforeMs = backOffMs(tookMs, this.#splits, random, SPREAD_MS_MAX);
    const probeAfterMs = backOffMs(tookMs, this.#splits, random, SAFETY_POLL_MS);
    // Votes count here that came after the decision too: others may have failed because of them.
    const isSplit = [...this.#leftoverVotes, ...votes].some(({ hasAgreed }) => hasAgreed);
    this.#splits = isSplit ? this.#splits + 1 : Math.floor(this.#splits / 2);
    this.#leftoverVotes = [...this.#leftoverVotes, ...votes].filter(
      ({ mayBeStoredMs }) => mayBeStoredMs > 0,
    );
    return outcomeOfLost({
      replies,
      nodes,
      quorum: this.#store.quorum,
      mayBeStored: this.#leftoverVotes.length > 0 || !this.#unresolved.isEmpty,
      notBeforeMs,
      probeAfterMs: isSplit ? probeAfterMs : Number.POSITIVE_INFINITY,
      random: runtime.random(),
    });
  }
}
