import type { HoldLog, HoldStatus } from '../../../sim/hold-log.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { type HoldState, isOf } from '../../../sim/schedule/holds.ts';
import type { PlaceLog } from '../../../sim/schedule/place-log.ts';
import type { SimRedisServer } from './server.ts';

const OVER = Number.NEGATIVE_INFINITY;
const OPEN = Number.POSITIVE_INFINITY;
/** Ms since 1970: a value that contains its own expiry, on the clock of each reader. */
const STAMP = /^\d{13}$/;
/** A clock with microseconds has to show more than the stamp. */
const INSTANT_MS = 0.001;

/** The servers that may store a hold. */
export interface HoldServers {
  readonly members: readonly SimRedisServer[];
  /** The names of the servers behind each address. */
  readonly addresses: readonly (readonly string[])[];
  readonly log: HoldLog;
  /** Present if waiters queue on the servers. */
  readonly places: PlaceLog | undefined;
}

/** The state of a hold on Redis servers: its keys, and their expiry. */
export class RedisHoldState implements HoldState {
  readonly hasExpired = false;
  readonly #servers: HoldServers;
  readonly #owner: string;
  readonly #contender: string;

  constructor(servers: HoldServers, owner: string) {
    const [contender = ''] = owner.split(':');
    this.#servers = servers;
    this.#owner = owner;
    this.#contender = contender;
  }

  get place(): number | undefined {
    return this.#servers.places?.ticketOf(this.#owner);
  }

  get votes(): number {
    const isOwn = ({ engine }: SimRedisServer): boolean =>
      engine.snapshot().entries.some(([, value]) => isOf(value, this.#contender));
    return this.#servers.members.filter(isOwn).length;
  }

  get addresses(): readonly (readonly (readonly HoldStatus[])[])[] {
    const { addresses, log } = this.#servers;
    return log.timelinesAt(addresses, this.#owner);
  }

  /** Free once a quorum of nodes is free, so that it can elect another holder. A node that is down elects none. */
  freeAtMs(clients: readonly SimProcess[]): number {
    const { members } = this.#servers;
    const ends = members.map((each) => (each.isUp ? this.#endMs(each, clients) : OPEN));
    const quorum = Math.floor(members.length / 2) + 1;
    return ends.toSorted((a, b) => a - b)[quorum - 1] ?? OVER;
  }

  #endMs(server: SimRedisServer, clients: readonly SimProcess[]): number {
    const { entries } = server.engine.snapshot();
    const isOwn = (value: unknown): boolean =>
      value === this.#owner || isOf(value, this.#contender);
    const own = entries.find(([, value]) => isOwn(value));
    if (own === undefined) return OVER;
    const [, value, expiresAtMs] = own;
    if (expiresAtMs !== undefined) return server.whenWall(expiresAtMs + 1);
    return typeof value === 'string' && STAMP.test(value)
      ? stampEndsMs(clients, Number(value))
      : OPEN;
  }
}

/** The first client whose clock shows that the hold is over could take it; the holder itself is one of the clients. */
function stampEndsMs(clients: readonly SimProcess[], stamp: number): number {
  const ends = clients.map((process) => {
    const from = process.clocks;
    return process.times.endOf({ from, ms: stamp + INSTANT_MS - from.wallMs });
  });
  return Math.min(...ends);
}
