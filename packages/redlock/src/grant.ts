import {
  callDeadlineMs,
  type Grant,
  type Release,
  type Renewal,
  type Validity,
  validityMs,
} from '@holdfast/core/backend';
import { collectUntil } from './count.ts';
import { Healing } from './healing.ts';
import type { NodeVote } from './node-vote.ts';
import { exportedVotes, type Store } from './store.ts';
import { leftMs } from './validity.ts';
import type { VoteRenewal, VoteRequest } from './vote.ts';

/** An attempt that won. */
export interface WonVote {
  readonly contender: string;
  readonly n: number;
  readonly request: VoteRequest;
}

/** One hold: a vote on every node, of which those that count are a majority. */
export class RedlockGrant implements Grant {
  readonly owner: string;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly #store: Store;
  readonly #votes: readonly NodeVote[];
  readonly #healing: Healing;

  constructor(store: Store, votes: readonly NodeVote[], won: WonVote) {
    const { request } = won;
    this.owner = request.owner;
    this.leaseMs = request.ttlMs;
    this.validity = { from: request.from, ms: validityMs(request.ttlMs) };
    this.#store = store;
    this.#votes = votes;
    this.#healing = new Healing(store, votes, won);
  }

  /**
   * Renews the votes that count; a majority must still be stored. Heals the other nodes afterwards, whose votes count
   * from the next round: a round succeeds by votes that were stored before it, never by those it has itself restored.
   */
  async renew(ttlMs: number): Promise<Renewal> {
    const { host, pendingReleases, quorum } = this.#store;
    const round = this.#healing.begin();
    const from = host.runtime.now();
    const request = { ttlMs, from, deadlineMs: from.monotonicMs + callDeadlineMs(ttlMs) };
    const counted = this.#votes.filter((vote) => !vote.isFree && !this.#healing.isRequesting(vote));
    const replies = this.#votes.map((vote) =>
      counted.includes(vote) ? vote.renew(request) : Promise.resolve<VoteRenewal>('gone'),
    );
    const received = await collectUntil(replies, (renewals) => this.#isDecided(renewals));

    const kept = countRenewals('kept', received);
    const gone = countRenewals('gone', received);
    if (this.#votes.length - gone < quorum) return { kind: 'lost' };
    const hasMajority = kept >= quorum;
    pendingReleases.track(
      this.#healing.healAfter({ replies, counted, hasMajority, ttlMs, number: round }),
    );
    const isValid = leftMs(ttlMs, host.runtime.elapsedMs(from)) > 0;
    if (kept >= quorum && isValid) {
      return { kind: 'renewed', validity: { from, ms: validityMs(ttlMs) } };
    }
    const cause = new Error(`${kept} of ${this.#votes.length} nodes renewed, ${quorum} are needed`);
    return { kind: 'unknown', cause };
  }

  /** Reports *released* if a majority of the nodes did release it, and *not held* if no majority can still have stored it. */
  async release(): Promise<Release> {
    this.#healing.end();
    const { pendingReleases, quorum } = this.#store;
    const replies = this.#votes.map((vote) => vote.release());
    pendingReleases.track(Promise.all(replies));
    const received = await collectUntil(replies, (releases) => this.#isReleaseDecided(releases));

    const released = countReleased(received);
    const notHeld = countNotHeld(received);
    if (released >= quorum) return { kind: 'released' };
    if (this.#votes.length - notHeld < quorum) return { kind: 'not-held' };
    return received.find(({ kind }) => kind === 'unknown') ?? { kind: 'not-held' };
  }

  /** Ends the healing, so that nothing of this hold is requested any more. */
  export(): string {
    this.#healing.end();
    for (const vote of this.#votes) vote.end();
    return exportedVotes(
      this.owner,
      this.#votes.map(({ owner }) => owner),
    );
  }

  #isDecided(renewals: readonly VoteRenewal[]): boolean {
    const { quorum } = this.#store;
    const canBeKept = this.#votes.length - countRenewals('gone', renewals);
    return countRenewals('kept', renewals) >= quorum || canBeKept < quorum;
  }

  #isReleaseDecided(releases: readonly Release[]): boolean {
    const { quorum } = this.#store;
    const mayHaveHeld = this.#votes.length - countNotHeld(releases);
    return countReleased(releases) >= quorum || mayHaveHeld < quorum;
  }
}

function countRenewals(renewal: VoteRenewal, received: readonly VoteRenewal[]): number {
  return received.filter((each) => each === renewal).length;
}

function countReleased(received: readonly Release[]): number {
  return received.filter(({ kind }) => kind === 'released').length;
}

function countNotHeld(received: readonly Release[]): number {
  return received.filter(({ kind }) => kind === 'not-held').length;
}
