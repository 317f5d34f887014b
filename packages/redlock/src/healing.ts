import { callDeadlineMs, ownerValue } from '@holdfast/core/backend';
import type { NodeVote } from './node-vote.ts';
import { reportNode, type Store } from './store.ts';
import type { VoteRenewal, VoteReply, VoteRequest } from './vote.ts';

/** One renewal on all nodes, with its result. */
export interface RenewalRound {
  readonly replies: readonly Promise<VoteRenewal>[];
  /** The votes that counted before the round, or whose first request was outstanding. */
  readonly counted: readonly NodeVote[];
  /** True if a majority was still stored. */
  readonly hasMajority: boolean;
  readonly ttlMs: number;
  /** From {@link Healing.begin}. */
  readonly number: number;
}

/**
 * Requests per round for a vote that another contender has. Three are too few: in one of 100 000 schedules a waiter had
 * the vote for a moment each time, and the next node lost its data before the next round.
 */
const ATTEMPTS_MAX = 6;

/**
 * Requests, after every round of a hold, the missing votes: of nodes that were down or slow, that lost their data, or
 * that gave their vote to another contender. A restored vote counts from the next round.
 */
export class Healing {
  readonly #store: Store;
  readonly #votes: readonly NodeVote[];
  readonly #contender: string;
  /** The n of the latest owner value. */
  #n: number;
  #isOver = false;
  /** The number of the latest round. */
  #round = 0;
  #endPause = (): void => {};
  readonly #requesting = new Set<NodeVote>();
  /** Votes that were lost since a majority was last stored. */
  readonly #lostVotes = new Set<NodeVote>();

  constructor(
    store: Store,
    votes: readonly NodeVote[],
    { contender, n }: { readonly contender: string; readonly n: number },
  ) {
    this.#store = store;
    this.#votes = votes;
    this.#contender = contender;
    this.#n = n;
  }

  /**
   * Begins a round, and ends the healing of earlier ones: until the round is decided it is unknown whether a vote that is
   * lost in it may be restored.
   */
  begin(): number {
    this.#endPause();
    this.#round += 1;
    return this.#round;
  }

  /** Ends the healing: sends no request from now on. */
  end(): void {
    this.#isOver = true;
    this.#endPause();
  }

  /** True while a vote is being restored: it does not count in a round, and cannot be lost in it. */
  isRequesting(vote: NodeVote): boolean {
    return this.#requesting.has(vote);
  }

  /**
   * Heals after one round. Votes that were lost in rounds without a majority are not restored until a round has one: else
   * a lease that lost its majority would restore itself while one of those nodes is silent.
   *
   * Requests a vote again that another contender has, since that may be a waiter that has it for a moment and no
   * majority. Deferred to the next round each time, healing would be too late if one node after another loses its data.
   */
  async healAfter(round: RenewalRound): Promise<void> {
    await Promise.all(round.replies);
    if (round.hasMajority) this.#lostVotes.clear();
    else for (const vote of round.counted) if (vote.isFree) this.#lostVotes.add(vote);
    // A vote that was lost meanwhile was lost in a later round, which decides on it.
    if (round.number !== this.#round) return;
    let missing = this.#missingVotes(this.#votes);
    for (let attempt = 1; missing.length > 0; attempt++) {
      const taken = await this.#request(missing, round.ttlMs);
      if (attempt === ATTEMPTS_MAX || taken.length === 0) return;
      if (!(await this.#pause(round))) return;
      missing = this.#missingVotes(taken);
    }
  }

  #missingVotes(votes: readonly NodeVote[]): readonly NodeVote[] {
    if (this.#isOver) return [];
    return votes.filter((vote) => vote.isFree && !this.#lostVotes.has(vote));
  }

  /**
   * Requests votes under the next n, so that no undo of an earlier value, however late, can touch the new one. Returns
   * the votes that another contender has.
   */
  async #request(votes: readonly NodeVote[], ttlMs: number): Promise<readonly NodeVote[]> {
    const { runtime, label } = this.#store.host;
    this.#n += 1;
    const owner = ownerValue({ contender: this.#contender, n: this.#n, label });
    const from = runtime.now();
    const deadlineMs = from.monotonicMs + callDeadlineMs(ttlMs);
    const request = { owner, ttlMs, from, deadlineMs };
    const replies = await Promise.all(votes.map((vote) => this.#heal(vote, request)));
    return votes.filter((_, at) => replies[at]?.kind === 'taken');
  }

  async #heal(vote: NodeVote, request: VoteRequest): Promise<VoteReply> {
    this.#requesting.add(vote);
    const reply = await vote.acquire(request);
    this.#requesting.delete(vote);
    if (reply.kind !== 'agreed') return reply;
    const tookMs = this.#store.host.runtime.elapsedMs(request.from);
    reportNode(this.#store.host, vote.node, { outcome: 'healed', key: vote.key, tookMs });
    return reply;
  }

  /**
   * Pauses for a random time, so that it does not meet the same waiter each time, and less than a call may take. Returns
   * false if a later round begins, the hold ends, or the backend closes.
   */
  async #pause({ ttlMs, number }: RenewalRound): Promise<boolean> {
    const { pendingReleases, host } = this.#store;
    if (this.#isOver || number !== this.#round || pendingReleases.isClosed) return false;
    const ms = (host.runtime.random() * callDeadlineMs(ttlMs)) / 2;
    return await new Promise((resolve) => {
      const finish = (continues: boolean): void => {
        cancel();
        unsubscribe();
        resolve(continues);
      };
      const cancel = host.runtime.timer(ms, () => finish(true));
      const unsubscribe = pendingReleases.onClose(() => finish(false));
      // Apart from its assignment: V8 keeps a function that is written there beyond all young collections.
      const end = (): void => finish(false);
      this.#endPause = end;
    });
  }
}
