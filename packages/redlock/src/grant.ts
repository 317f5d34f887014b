import {
  callDeadlineMs,
  type Grant,
  type Release,
  type Renewal,
  type Validity,
  validityMs,
} from '@holdfast/core';
import { Healing } from './healing.ts';
import type { NodeVote, VoteRenewal, VoteRequest } from './node-vote.ts';
import type { Store } from './store.ts';
import { leftMs } from './validity.ts';
import { count } from './vote.ts';

/** The attempt that won. */
export interface Won {
  readonly contender: string;
  readonly n: number;
  readonly ask: VoteRequest;
}

/** One hold: a seat on every node, of which those that count are a majority. */
export class RedlockGrant implements Grant {
  readonly owner: string;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly #store: Store;
  readonly #votes: readonly NodeVote[];
  readonly #healing: Healing;

  constructor(store: Store, seats: readonly NodeVote[], won: Won) {
    const { ask } = won;
    this.owner = ask.owner;
    this.leaseMs = ask.ttlMs;
    this.validity = { from: ask.from, ms: validityMs(ask.ttlMs) };
    this.#store = store;
    this.#votes = seats;
    this.#healing = new Healing(store, seats, won);
  }

  /**
   * Lengthens the votes that count; a majority of them must still stand. Nodes without one are healed afterwards, and
   * count from the next round: a round is carried by what stood before it, never by what it has itself restored.
   */
  async renew(ttlMs: number): Promise<Renewal> {
    const { host, pendingReleases, quorum } = this.#store;
    const turn = this.#healing.begin();
    const from = host.runtime.now();
    const ask = { ttlMs, from, deadlineMs: from.monotonicMs + callDeadlineMs(ttlMs) };
    const counted = this.#votes.filter((seat) => !seat.isFree && !this.#healing.isRequesting(seat));
    const replies = this.#votes.map((seat) =>
      counted.includes(seat) ? seat.renew(ask) : Promise.resolve<VoteRenewal>('gone'),
    );
    const cast = await count(replies, (standings) => this.#isDecided(standings));

    const kept = numberOf('kept', cast);
    const gone = numberOf('gone', cast);
    if (this.#votes.length - gone < quorum) return { kind: 'lost' };
    const isCarried = kept >= quorum;
    pendingReleases.track(this.#healing.after({ replies, counted, isCarried, ttlMs, turn }));
    const isValid = leftMs(ttlMs, host.runtime.elapsedMs(from)) > 0;
    if (kept >= quorum && isValid) {
      return { kind: 'renewed', validity: { from, ms: validityMs(ttlMs) } };
    }
    const cause = new Error(`${kept} of ${this.#votes.length} nodes renewed, ${quorum} are needed`);
    return { kind: 'unknown', cause };
  }

  /** Released where a majority says that it stood until now; not held where a majority can no longer have stood. */
  async release(): Promise<Release> {
    this.#healing.end();
    const { pendingReleases: giveBack, quorum } = this.#store;
    const asked = this.#votes.map((seat) => seat.release());
    giveBack.track(Promise.all(asked));
    const cast = await count(asked, (releases) => this.#isReleaseDecided(releases));

    const released = releasedIn(cast);
    const notHeld = notHeldIn(cast);
    if (released >= quorum) return { kind: 'released' };
    if (this.#votes.length - notHeld < quorum) return { kind: 'not-held' };
    return cast.find(({ kind }) => kind === 'unknown') ?? { kind: 'not-held' };
  }

  #isDecided(standings: readonly VoteRenewal[]): boolean {
    const { quorum } = this.#store;
    const canBeKept = this.#votes.length - numberOf('gone', standings);
    return numberOf('kept', standings) >= quorum || canBeKept < quorum;
  }

  #isReleaseDecided(releases: readonly Release[]): boolean {
    const { quorum } = this.#store;
    const mayHaveStood = this.#votes.length - notHeldIn(releases);
    return releasedIn(releases) >= quorum || mayHaveStood < quorum;
  }
}

function numberOf(standing: VoteRenewal, cast: readonly VoteRenewal[]): number {
  return cast.filter((each) => each === standing).length;
}

function releasedIn(cast: readonly Release[]): number {
  return cast.filter(({ kind }) => kind === 'released').length;
}

function notHeldIn(cast: readonly Release[]): number {
  return cast.filter(({ kind }) => kind === 'not-held').length;
}
