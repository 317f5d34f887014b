import type { HoldLog, HoldStatus } from '../../../sim/hold-log.ts';
import type { SimProcess } from '../../../sim/process.ts';
import { type HoldState, isOf } from '../../../sim/schedule/holds.ts';
import type { SimRedisServer } from './server.ts';

const OVER = Number.NEGATIVE_INFINITY;
const OPEN = Number.POSITIVE_INFINITY;
/** Ms since 1970: a value that says itself by when it is over, on the clock of whoever reads it. */
const STAMP = /^\d{13}$/;
/** A clock of microseconds has to show more than the stamp. */
const INSTANT_MS = 0.001;

/** Where a hold may be stored. */
export interface Nodes {
  readonly members: readonly SimRedisServer[];
  /** The names of the servers behind each address. */
  readonly addresses: readonly (readonly string[])[];
  readonly log: HoldLog;
}

/** What Redis servers say of a hold: its keys, and until when. */
export class RedisHoldState implements HoldState {
  readonly hasExpired = false;
  readonly #nodes: Nodes;
  readonly #owner: string;
  readonly #contender: string;

  constructor(nodes: Nodes, owner: string) {
    const [contender = ''] = owner.split(':');
    this.#nodes = nodes;
    this.#owner = owner;
    this.#contender = contender;
  }

  get votes(): number {
    const isOwn = ({ engine }: SimRedisServer): boolean =>
      engine.snapshot().entries.some(([, value]) => isOf(value, this.#contender));
    return this.#nodes.members.filter(isOwn).length;
  }

  get addresses(): readonly (readonly (readonly HoldStatus[])[])[] {
    const { addresses, log } = this.#nodes;
    return log.timelinesAt(addresses, this.#owner);
  }

  /** Once so many nodes are free that they can elect another. A node that is down elects nobody. */
  freeAtMs(clients: readonly SimProcess[]): number {
    const { members } = this.#nodes;
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

/** The first of all clients to whom it is over could take it; the holder itself is one like any other. */
function stampEndsMs(clients: readonly SimProcess[], stamp: number): number {
  const ends = clients.map((process) => {
    const from = process.clocks;
    return process.endOf({ from, ms: stamp + INSTANT_MS - from.wallMs });
  });
  return Math.min(...ends);
}
