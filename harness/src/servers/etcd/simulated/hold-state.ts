import type { HoldLog, HoldStatus } from '../../../sim/hold-log.ts';
import type { HoldState } from '../../../sim/schedule/holds.ts';
import { LEADER, type LeaderHolds, nameOf } from './leader-holds.ts';
import type { SimEtcdServer } from './server.ts';

/** The cluster's view of a hold: a key that its contender created, with a lease, in a queue. */
export class EtcdHoldState implements HoldState {
  readonly #servers: readonly SimEtcdServer[];
  readonly #leader: SimEtcdServer | undefined;
  readonly #log: HoldLog;
  readonly #holds: LeaderHolds;
  readonly #owner: string;
  /** How the names of its keys begin, and its key itself. */
  readonly #contender: string;
  readonly #name: string;
  readonly #n: number;

  constructor(
    { servers, leader }: Pick<EtcdHoldParts, 'servers' | 'leader'>,
    { log, holds }: Pick<EtcdHoldParts, 'log' | 'holds'>,
    owner: string,
  ) {
    const [contender = '', n = ''] = owner.split(':');
    this.#servers = servers;
    this.#leader = leader;
    this.#log = log;
    this.#holds = holds;
    this.#owner = owner;
    this.#contender = `/${contender}-`;
    this.#name = `${this.#contender}${n}`;
    this.#n = Number(n);
  }

  get votes(): number {
    return this.#servers.filter(({ store }) =>
      store.keys.some(({ key }) => key.includes(this.#contender)),
    ).length;
  }

  get addresses(): readonly (readonly (readonly HoldStatus[])[])[] {
    return this.#log.timelinesAt([[LEADER]], this.#owner);
  }

  /** The first key that the contender has held or left since: a lease that ended by itself took an earlier one along. */
  get place(): number | undefined {
    let place = this.#holds.placeOf(this.#name);
    for (let n = this.#n - 1; n > 0; n--) {
      const earlier = `${this.#contender}${n}`;
      if (this.#holds.endOf(earlier) !== 'released') break;
      place = this.#holds.placeOf(earlier) ?? place;
    }
    return place === undefined ? undefined : Number(place);
  }

  get hasExpired(): boolean {
    return this.#holds.endOf(this.#name) === 'expired';
  }

  /** Over once the leader that was elected last has deleted the key; followers apply that later. */
  freeAtMs(): number {
    const isOver = this.#leader?.store.keys.every(({ key }) => nameOf(key) !== this.#name);
    return isOver === true ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
}

/** What a hold is read from. */
export interface EtcdHoldParts {
  readonly servers: readonly SimEtcdServer[];
  /** The leader that was elected last. */
  readonly leader: SimEtcdServer | undefined;
  readonly log: HoldLog;
  readonly holds: LeaderHolds;
}
