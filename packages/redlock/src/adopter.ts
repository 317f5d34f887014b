import {
  type Attempt,
  adoptionError,
  type Contender,
  callDeadlineMs,
  ownerValue,
  type Withdrawal,
} from '@holdfast/core/backend';
import { UnresolvedAttempts } from '@holdfast/redis';
import { countAgreed, countGone, outcomeOfLost, requestVotes, settledWithin } from './count.ts';
import { RedlockGrant } from './grant.ts';
import { NAME } from './identity.ts';
import type { Doubts } from './node-calls.ts';
import { NodeVote } from './node-vote.ts';
import { pollMsOf, type Store, type StoredKeys } from './store.ts';
import { blockingOf, leftMs } from './validity.ts';
import type { VoteReply, VoteRequest } from './vote.ts';

/** The contender that adopts, its ttl, and the hold that it replaces. */
export interface Adoption {
  readonly contender: string;
  readonly ttlMs: number;
  readonly exported: string;
}

/**
 * Tries to take over one exported hold: on a majority of the nodes the adopter's vote must replace the exported one. Two
 * majorities share a node, and a node's exported vote can be replaced once: so one adopter wins at most.
 *
 * Votes without a majority are kept for the next attempt, which replaces them, too. Only the end of the adoption releases
 * them: the exported hold has ended, so nothing is to be put back.
 */
export class RedlockAdopter implements Contender {
  readonly #store: Store;
  readonly #keys: StoredKeys;
  readonly #adoption: Adoption;
  readonly #doubts: KeptDoubts;
  #n = 0;
  /** The votes of earlier attempts. */
  #kept: readonly NodeVote[] = [];

  constructor(store: Store, keys: StoredKeys, adoption: Adoption) {
    const { host, pendingReleases } = store;
    this.#store = store;
    this.#keys = keys;
    this.#adoption = adoption;
    this.#doubts = new KeptDoubts(
      new UnresolvedAttempts(host.runtime, pendingReleases, adoption.ttlMs),
    );
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    const { ttlMs } = this.#adoption;
    const { nodes, quorum, host } = this.#store;
    const request = this.#newVoteRequest(deadlineMs);
    const votes = nodes.map(
      (node, index) =>
        new NodeVote(this.#store, { node, place: index + 1 }, this.#keys, this.#doubts),
    );
    const replies = await requestVotes(this.#store, votes, request);
    const isValid = leftMs(ttlMs, host.runtime.elapsedMs(request.from)) > 0;
    if (countAgreed(replies) < quorum || !isValid) return this.#lost(votes, replies);
    void this.#releaseKept();
    const hold = { contender: this.#adoption.contender, n: this.#n, request };
    return { kind: 'granted', grant: new RedlockGrant(this.#store, votes, hold) };
  }

  async withdraw(): Promise<Withdrawal> {
    const { runtime } = this.#store.host;
    const { ttlMs } = this.#adoption;
    const votes = this.#kept;
    await settledWithin(runtime, callDeadlineMs(ttlMs), this.#releaseKept());
    const withdrawal = await this.#doubts.unresolved.settle();
    const unresolvedMs = withdrawal.kind === 'unknown' ? withdrawal.untilMs : 0;
    const untilMs = Math.max(unresolvedMs, ...votes.map(({ mayBeStoredMs }) => mayBeStoredMs));
    return untilMs === 0 ? { kind: 'clean' } : { kind: 'unknown', untilMs };
  }

  #newVoteRequest(deadlineMs: number): VoteRequest {
    const { contender, ttlMs, exported } = this.#adoption;
    this.#n += 1;
    const { runtime, label } = this.#store.host;
    const owner = ownerValue({ contender, n: this.#n, label });
    const from = runtime.now();
    const callEndMs = from.monotonicMs + callDeadlineMs(ttlMs);
    return { owner, ttlMs, from, deadlineMs: Math.min(deadlineMs, callEndMs), exported };
  }

  /** Every vote of which a node still stores, or may come to store, a value. */
  #releaseKept(): Promise<unknown> {
    this.#doubts.releaseAll();
    const stored = this.#kept.filter(({ mayBeStoredMs }) => mayBeStoredMs > 0);
    const releasing = Promise.all(stored.map((vote) => vote.release()));
    this.#store.pendingReleases.track(releasing);
    return releasing;
  }

  #lost(votes: readonly NodeVote[], replies: readonly VoteReply[]): Attempt {
    const { key } = this.#keys;
    const { length: nodes } = votes;
    this.#kept = [...this.#kept, ...votes].filter(({ mayBeStoredMs }) => mayBeStoredMs > 0);
    // So many share a node with every majority.
    if (countGone(replies) >= blockingOf(nodes))
      return { kind: 'refused', error: adoptionError({ key, backend: NAME }) };
    return outcomeOfLost({
      replies,
      nodes,
      quorum: this.#store.quorum,
      mayBeStored: this.#kept.length > 0 || !this.#doubts.isEmpty,
      notBeforeMs: 0,
      probeAfterMs: Number.POSITIVE_INFINITY,
      pollMs: pollMsOf(this.#keys),
      random: 0,
    });
  }
}

/** Keeps the attempts in doubt until the adoption ends: a release before the next attempt would leave it no vote. */
class KeptDoubts implements Doubts {
  readonly unresolved: UnresolvedAttempts;
  #kept: (() => void)[] | undefined = [];

  constructor(unresolved: UnresolvedAttempts) {
    this.unresolved = unresolved;
  }

  get isEmpty(): boolean {
    return this.#kept?.length === 0 && this.unresolved.isEmpty;
  }

  add(...doubt: Parameters<Doubts['add']>): void {
    const add = (): void => this.unresolved.add(...doubt);
    if (this.#kept === undefined) add();
    else this.#kept.push(add);
  }

  /** Releases what has been kept, and from now on each doubt at once. */
  releaseAll(): void {
    const kept = this.#kept ?? [];
    this.#kept = undefined;
    for (const add of kept) add();
  }
}
