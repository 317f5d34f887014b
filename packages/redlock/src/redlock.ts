import {
  type Attempt,
  type Contender,
  callDeadlineMs,
  ownerValue,
  type Withdrawal,
} from '@holdfast/core/backend';
import { SAFETY_POLL_MS, UnresolvedAttempts, WakeUp } from '@holdfast/redis';
import {
  collectUntil,
  countAgreed,
  countDefinite,
  countDenied,
  outcomeOfLost,
  requestVotes,
  settledWithin,
} from './count.ts';
import { RedlockGrant } from './grant.ts';
import { NodeVote } from './node-vote.ts';
import { pollMsOf, reportNode, type Store, type StoredKeys } from './store.ts';
import { blockingOf, leftMs, SPREAD_MS_MAX, splitBackOffMs } from './validity.ts';
import type { VoteReply, VoteRequest } from './vote.ts';

/**
 * Redlock: attempt → count → validity → grant or withdraw. Steps 1 to 5 of
 * https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/ are in {@link attempt}; the rule which vote
 * counts, with its argument, is in `vote.ts`.
 */
export class RedlockContender implements Contender {
  readonly #store: Store;
  readonly #keys: StoredKeys;
  readonly #contender: string;
  readonly #ttlMs: number;
  readonly #unresolved: UnresolvedAttempts;
  // Most contenders win at once and need none.
  #wakeUp: WakeUp | undefined;
  #n = 0;
  /** Grows with every lost vote in which some nodes agreed, and shrinks with the others. */
  #splits = 0;
  /** Nodes of lost votes that may still store a vote of ours. */
  #leftoverVotes: readonly NodeVote[] = [];

  constructor(store: Store, keys: StoredKeys, contender: string, ttlMs: number) {
    this.#store = store;
    this.#keys = keys;
    this.#contender = contender;
    this.#ttlMs = ttlMs;
    this.#unresolved = new UnresolvedAttempts(store.host.runtime, store.pendingReleases, ttlMs);
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    // After a notification most likely a hold has ended, and a new race begins.
    if (this.#wakeUp?.restart() === true) this.#splits = 0;
    const { nodes, quorum, host } = this.#store;
    // 1. Read the clock, before anything leaves.
    const request = this.#newVoteRequest(deadlineMs);
    // 2. Request all nodes in parallel, under one new owner value, each with a deadline far below the ttl.
    const votes = nodes.map(
      (node, index) =>
        new NodeVote(this.#store, { node, place: index + 1 }, this.#keys, this.#unresolved),
    );

    const replies = await requestVotes(this.#store, votes, request);
    // 3. The lock is acquired if a majority agreed and took less than the validity.
    const tookMs = host.runtime.elapsedMs(request.from);
    const isMajority = countAgreed(replies) >= quorum;
    const isValid = leftMs(this.#ttlMs, tookMs) > 0;
    // 4. It is then valid for the rest of the time, as from step 1.
    if (isMajority && isValid) return this.#won(votes, request);
    // 5. Else release all nodes, also those that did not agree.
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
    // A node that was slower than the majority is often about to reply that it stores nothing.
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
   * Releases all nodes, whatever they replied. Waits as long as a call may take, so that the next vote finds them free.
   * If a majority has replied, does not wait for the silent nodes. Wakes waiters only if these votes may have been a
   * majority: else, while another contender holds the key, all waiters would wake each other endlessly.
   */
  #releaseAll(
    votes: readonly NodeVote[],
    replies: readonly VoteReply[],
    deadlineMs: number,
  ): Promise<void> {
    const { host, pendingReleases, quorum } = this.#store;
    const hasMajorityReplied = countDefinite(replies) >= quorum;
    const quietly = votes.length - countDenied(replies) < quorum;
    const releasing = votes.map((vote) => vote.release({ quietly }).then(() => vote));
    pendingReleases.track(Promise.all(releasing));
    const released = collectUntil(
      releasing,
      (done) =>
        hasMajorityReplied && votes.every((vote) => vote.isAwaitingReply || done.includes(vote)),
    );
    const leftMsOfCaller = deadlineMs - host.runtime.now().monotonicMs;
    const waitMs = Math.max(0, Math.min(callDeadlineMs(this.#ttlMs), leftMsOfCaller));
    return this.#within(waitMs, released);
  }

  #within(ms: number, work: Promise<unknown>): Promise<void> {
    return settledWithin(this.#store.host.runtime, ms, work);
  }

  #lost(votes: readonly NodeVote[], replies: readonly VoteReply[], tookMs: number): Attempt {
    const { runtime } = this.#store.host;
    const { length: nodes } = votes;
    const random = runtime.random();
    const notBeforeMs = splitBackOffMs(tookMs, this.#splits, random, SPREAD_MS_MAX);
    const probeAfterMs = splitBackOffMs(tookMs, this.#splits, random, SAFETY_POLL_MS);
    // Includes votes that came after the decision: other contenders may have failed because of them.
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
      pollMs: pollMsOf(this.#keys),
      probeAfterMs: isSplit ? probeAfterMs : Number.POSITIVE_INFINITY,
      random: runtime.random(),
    });
  }
}
