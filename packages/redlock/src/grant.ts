import {
  callDeadlineMs,
  type Grant,
  ownerValue,
  type Release,
  type Renewal,
  type Validity,
  validityMs,
} from '@holdfast/core';
import type { Ask, Seat, Standing } from './seat.ts';
import { reportNode, type Store } from './store.ts';
import { leftMs } from './validity.ts';
import { count } from './vote.ts';

/** The attempt that won. */
export interface Won {
  readonly contender: string;
  readonly n: number;
  readonly ask: Ask;
}

/** What a renewal asked of all nodes, and what came of it. */
interface Round {
  readonly asked: readonly Promise<Standing>[];
  /** The seats that counted, or were being asked for, before it. */
  readonly stood: readonly Seat[];
  /** Whether a majority still stood. */
  readonly isCarried: boolean;
  readonly ttlMs: number;
}

/** One hold: a seat on every node, of which those that count are a majority. */
export class RedlockGrant implements Grant {
  readonly owner: string;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly #store: Store;
  readonly #seats: readonly Seat[];
  readonly #contender: string;
  /** Of the latest owner value; every healing writes a new one. */
  #n: number;
  #isOver = false;
  /** Seats that lost their votes since a majority last stood. */
  readonly #fallen = new Set<Seat>();

  constructor(store: Store, seats: readonly Seat[], { contender, n, ask }: Won) {
    this.owner = ask.owner;
    this.leaseMs = ask.ttlMs;
    this.validity = { from: ask.from, ms: validityMs(ask.ttlMs) };
    this.#store = store;
    this.#seats = seats;
    this.#contender = contender;
    this.#n = n;
  }

  /**
   * Lengthens the votes that count; a majority of them must still stand. Nodes without one are healed afterwards, and
   * count from the next round: a round is carried by what stood before it, never by what it has itself restored.
   */
  async renew(ttlMs: number): Promise<Renewal> {
    const { host, giveBack, quorum } = this.#store;
    const from = host.runtime.now();
    const ask = { ttlMs, from, deadlineMs: from.monotonicMs + callDeadlineMs(ttlMs) };
    const stood = this.#seats.filter(({ isVacant }) => !isVacant);
    const asked = this.#seats.map((seat) => seat.renew(ask));
    const cast = await count(asked, (standings) => this.#isDecided(standings));

    const kept = numberOf('kept', cast);
    const gone = numberOf('gone', cast);
    if (this.#seats.length - gone < quorum) return { kind: 'lost' };
    const isCarried = kept >= quorum;
    giveBack.track(this.#healAfter({ asked, stood, isCarried, ttlMs }));
    const isValid = leftMs(ttlMs, host.runtime.elapsedMs(from)) > 0;
    if (kept >= quorum && isValid) {
      return { kind: 'renewed', validity: { from, ms: validityMs(ttlMs) } };
    }
    const cause = new Error(`${kept} of ${this.#seats.length} nodes renewed, ${quorum} are needed`);
    return { kind: 'unknown', cause };
  }

  /** Released where a majority says that it stood until now; not held where a majority can no longer have stood. */
  async release(): Promise<Release> {
    this.#isOver = true;
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

  /**
   * Asks for the votes that are missing: of nodes that were down, slow or another's, and of those that lost their data.
   * Under the next n, so that no undo of an earlier value, however late, can touch the new one. Votes that were lost
   * in rounds that no majority carried wait for one that is: else a lease whose majority was taken away would restore
   * itself while one of those nodes is silent.
   */
  async #healAfter({ asked, stood, isCarried, ttlMs }: Round): Promise<void> {
    await Promise.all(asked);
    if (isCarried) this.#fallen.clear();
    else for (const seat of stood) if (seat.isVacant) this.#fallen.add(seat);
    const vacant = this.#seats.filter((seat) => seat.isVacant && !this.#fallen.has(seat));
    if (this.#isOver || vacant.length === 0) return;
    const { runtime, label } = this.#store.host;
    this.#n += 1;
    const owner = ownerValue({ contender: this.#contender, n: this.#n, label });
    const from = runtime.now();
    const deadlineMs = from.monotonicMs + callDeadlineMs(ttlMs);
    await Promise.all(vacant.map((seat) => this.#heal(seat, { owner, ttlMs, from, deadlineMs })));
  }

  async #heal(seat: Seat, ask: Ask): Promise<void> {
    const ballot = await seat.acquire(ask);
    if (ballot.kind !== 'agreed') return;
    const tookMs = this.#store.host.runtime.elapsedMs(ask.from);
    reportNode(this.#store.host, seat.node, { outcome: 'healed', key: seat.key, tookMs });
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
