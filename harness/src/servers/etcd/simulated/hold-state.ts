import type { HoldLog, HoldStatus } from '../../../sim/hold-log.ts';
import type { HoldState } from '../../../sim/schedule/holds.ts';
import { LEADER, type LeaderHolds } from './leader-holds.ts';
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
  }

  get votes(): number {
    return this.#servers.filter(({ store }) =>
      store.keys.some(({ key }) => key.includes(this.#contender)),
    ).length;
  }

  get addresses(): readonly (readonly (readonly HoldStatus[])[])[] {
    return this.#log.timelinesAt([[LEADER]], this.#owner);
  }

  get place(): number | undefined {
    const revision = this.#holds.placeOf(this.#name);
    return revision === undefined ? undefined : Number(revision);
  }

  get hasExpired(): boolean {
    return this.#holds.endOf(this.#name) === 'expired';
  }

  /** Over once the leader that was elected last has deleted the key; followers apply that later. */
  freeAtMs(): number {
    const isOver = this.#leader?.store.keys.every(({ key }) => !key.endsWith(this.#name));
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
