import { callDeadlineMs, ownerValue } from '@holdfast/core';
import type { NodeVote, VoteRenewal, VoteReply, VoteRequest } from './node-vote.ts';
import { reportNode, type Store } from './store.ts';

/** What a renewal asked of all nodes, and what came of it. */
export interface RenewalRound {
  readonly replies: readonly Promise<VoteRenewal>[];
  /** The seats that counted, or were first being asked for, before it. */
  readonly counted: readonly NodeVote[];
  /** Whether a majority still stood. */
  readonly isCarried: boolean;
  readonly ttlMs: number;
  /** Of {@link Healing.begin}. */
  readonly number: number;
}

/**
 * How often, after one round, a vote is asked for that another has. Three times were too few: in one of 100 000 schedules
 * a waiter had it for a moment each time, and the next node was emptied before the next round.
 */
const ATTEMPTS_MAX = 6;

/**
 * Asks, after every round of a hold, for the votes that are missing: of nodes that were down, slow or another's, and of
 * those that lost their data. What it restores counts from the next round.
 */
export class Healing {
  readonly #store: Store;
  readonly #votes: readonly NodeVote[];
  readonly #contender: string;
  /** Of the latest owner value. */
  #n: number;
  #isOver = false;
  /** Of the latest round. */
  #round = 0;
  #endPause = (): void => {};
  readonly #requesting = new Set<NodeVote>();
  /** Seats that lost their votes since a majority last stood. */
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
   * A round begins, and asks afterwards for what earlier ones did not get: while it is not decided, nobody knows whether
   * what falls in it may be restored.
   */
  begin(): number {
    this.#endPause();
    this.#round += 1;
    return this.#round;
  }

  /** From now on no node is asked any more. */
  end(): void {
    this.#isOver = true;
    this.#endPause();
  }

  /** A vote that is only being restored does not stand, and cannot fall, whatever the answer. */
  isRequesting(vote: NodeVote): boolean {
    return this.#requesting.has(vote);
  }

  /**
   * Votes that were lost in rounds that no majority carried wait for one that is: else a lease whose majority was taken
   * away would restore itself while one of those nodes is silent.
   *
   * A vote that another has is asked for again, since that may be a waiter who has it for a moment and no majority:
   * put off until the next round, again and again, healing would come too late where one node after another is emptied.
   */
  async healAfter(round: RenewalRound): Promise<void> {
    await Promise.all(round.replies);
    if (round.isCarried) this.#lostVotes.clear();
    else for (const vote of round.counted) if (vote.isFree) this.#lostVotes.add(vote);
    // What fell meanwhile fell in a later round, which decides on it.
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
   * Under the next n, so that no undo of an earlier value, however late, can touch the new one. Returns the seats that
   * another has.
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
   * Random, lest it meet the same waiter every time, and shorter than a call may take. Returns whether to go on: not
   * where a later round begins, the hold ends, or the backend closes.
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
      // Apart from its assignment: a function that is written there V8 keeps beyond all young collections.
      const end = (): void => finish(false);
      this.#endPause = end;
    });
  }
}
