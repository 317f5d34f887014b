import {
  callDeadlineMs,
  type Grant,
  type Release,
  type Renewal,
  type Validity,
  validityMs,
} from '@holdfast/core';
import { Healing } from './healing.ts';
import type { Ask, Seat, Standing } from './seat.ts';
import type { Store } from './store.ts';
import { leftMs } from './validity.ts';
import { count } from './vote.ts';

/** The attempt that won. */
export interface Won {
  readonly contender: string;
  readonly n: number;
  readonly ask: Ask;
}

/** One hold: a seat on every node, of which those that count are a majority. */
export class RedlockGrant implements Grant {
  readonly owner: string;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly #store: Store;
  readonly #seats: readonly Seat[];
  readonly #healing: Healing;

  constructor(store: Store, seats: readonly Seat[], won: Won) {
    const { ask } = won;
    this.owner = ask.owner;
    this.leaseMs = ask.ttlMs;
    this.validity = { from: ask.from, ms: validityMs(ask.ttlMs) };
    this.#store = store;
    this.#seats = seats;
    this.#healing = new Healing(store, seats, won);
  }

  /**
   * Lengthens the votes that count; a majority of them must still stand. Nodes without one are healed afterwards, and
   * count from the next round: a round is carried by what stood before it, never by what it has itself restored.
   */
  async renew(ttlMs: number): Promise<Renewal> {
    const { host, giveBack, quorum } = this.#store;
    const turn = this.#healing.begin();
    const from = host.runtime.now();
    const ask = { ttlMs, from, deadlineMs: from.monotonicMs + callDeadlineMs(ttlMs) };
    const stood = this.#seats.filter((seat) => !seat.isVacant && !this.#healing.isAsking(seat));
    const asked = this.#seats.map((seat) =>
      stood.includes(seat) ? seat.renew(ask) : Promise.resolve<Standing>('gone'),
    );
    const cast = await count(asked, (standings) => this.#isDecided(standings));

    const kept = numberOf('kept', cast);
    const gone = numberOf('gone', cast);
    if (this.#seats.length - gone < quorum) return { kind: 'lost' };
    const isCarried = kept >= quorum;
    giveBack.track(this.#healing.after({ asked, stood, isCarried, ttlMs, turn }));
    const isValid = leftMs(ttlMs, host.runtime.elapsedMs(from)) > 0;
    if (kept >= quorum && isValid) {
      return { kind: 'renewed', validity: { from, ms: validityMs(ttlMs) } };
    }
    const cause = new Error(`${kept} of ${this.#seats.length} nodes renewed, ${quorum} are needed`);
    return { kind: 'unknown', cause };
  }

  /** Released where a majority says that it stood until now; not held where a majority can no longer have stood. */
  async release(): Promise<Release> {
    this.#healing.end();
    const { giveBack, quorum } = this.#store;
    const asked = this.#seats.map((seat) => seat.release());
    giveBack.track(Promise.all(asked));
    const cast = await count(asked, (releases) => this.#isReleaseDecided(releases));

    const released = releasedIn(cast);
    const notHeld = notHeldIn(cast);
    if (released >= quorum) return { kind: 'released' };
    if (this.#seats.length - notHeld < quorum) return { kind: 'not-held' };
    return cast.find(({ kind }) => kind === 'unknown') ?? { kind: 'not-held' };
  }

  #isDecided(standings: readonly Standing[]): boolean {
    const { quorum } = this.#store;
    const canBeKept = this.#seats.length - numberOf('gone', standings);
    return numberOf('kept', standings) >= quorum || canBeKept < quorum;
  }

  #isReleaseDecided(releases: readonly Release[]): boolean {
    const { quorum } = this.#store;
    const mayHaveStood = this.#seats.length - notHeldIn(releases);
    return releasedIn(releases) >= quorum || mayHaveStood < quorum;
  }
}

function numberOf(standing: Standing, cast: readonly Standing[]): number {
  return cast.filter((each) => each === standing).length;
}

function releasedIn(cast: readonly Release[]): number {
  return cast.filter(({ kind }) => kind === 'released').length;
}

function notHeldIn(cast: readonly Release[]): number {
  return cast.filter(({ kind }) => kind === 'not-held').length;
}
