import type { HoldLog, HoldStatus } from '../../../sim/hold-log.ts';
import type { HoldState } from '../../../sim/schedule/holds.ts';
import { LEADER } from './leader-holds.ts';
import type { Program } from './program.ts';
import type { SimZooKeeperServer } from './server.ts';
import type { Transaction } from './transaction-log.ts';

const OVER = Number.NEGATIVE_INFINITY;
const OPEN = Number.POSITIVE_INFINITY;

/** The ensemble's view of a hold: a node that its contender created, in a session, in a queue. */
export class ZooKeeperHoldState implements HoldState {
  readonly #servers: readonly SimZooKeeperServer[];
  readonly #log: HoldLog;
  readonly #owner: string;
  /** How the names of its nodes begin, if it is exclusive, or in a mode. */
  readonly #own: readonly [exclusive: string, mode: string];

  constructor(servers: readonly SimZooKeeperServer[], log: HoldLog, owner: string) {
    const [contender = ''] = owner.split(':');
    this.#servers = servers;
    this.#log = log;
    this.#owner = owner;
    this.#own = [`/${contender}-`, `/${contender}:`];
  }

  get votes(): number {
    return this.#servers.filter((server) => server.hasPath((path) => this.#isOwn(path))).length;
  }

  get addresses(): readonly (readonly (readonly HoldStatus[])[])[] {
    return this.#log.timelinesAt([[LEADER]], this.#owner);
  }

  /** Taken from the longest log. An entry that only a minority had, or that was lost with all disks, never existed. */
  get place(): number | undefined {
    const [log = []] = this.#servers
      .map((server) => server.log)
      .toSorted((a, b) => (b.at(-1)?.zxid ?? 0) - (a.at(-1)?.zxid ?? 0));
    const own = log.filter((entry) => this.#sessionOf(entry) !== undefined);
    const session = this.#sessionOf(own.at(-1));
    return own.find((entry) => this.#sessionOf(entry) === session)?.zxid;
  }

  /** True if the node is gone because its session ended. */
  get hasExpired(): boolean {
    const log = this.#actingLeader()?.machine.storage.log ?? [];
    const end = log.findLast(({ change }) => {
      if (change.kind === 'delete') return this.#isPlace(change.path);
      return change.kind === 'closeSession' && change.paths.some((path) => this.#isPlace(path));
    });
    return end?.change.kind === 'closeSession' && end.waiter === undefined;
  }

  /** Over once the leader that a majority follows has deleted the node; followers apply that later. */
  freeAtMs(): number {
    const tree = this.#actingLeader()?.tree;
    if (tree === undefined) return OPEN;
    for (const [path] of tree.nodes) if (this.#isPlace(path)) return OPEN;
    return OVER;
  }

  #isOwn(path: string): boolean {
    return this.#own.some((start) => path.includes(start));
  }

  #isPlace(path: string): boolean {
    return path.includes('-lock-') && this.#isOwn(path);
  }

  /** The session in which a node of the contender was created; undefined for any other transaction. */
  #sessionOf(entry: Transaction | undefined): object | undefined {
    if (entry?.change.kind !== 'create' || !this.#isOwn(entry.change.path)) return undefined;
    return entry.change.owner;
  }

  /** The leader that was elected last, if several servers believe they lead. */
  #actingLeader(): Program | undefined {
    const programs = this.#servers
      .filter(({ role, isServing }) => role === 'leading' && isServing)
      .map(({ program }) => program);
    return programs.toSorted((a, b) => b.machine.storage.epoch - a.machine.storage.epoch)[0];
  }
}
