import type { HoldLog, HoldStatus } from '../../../sim/hold-log.ts';
import type { HoldState } from '../../../sim/schedule/holds.ts';
import { LEADER } from './leader-holds.ts';
import type { Program } from './program.ts';
import type { SimZooKeeperServer } from './server.ts';
import type { Transaction } from './transaction-log.ts';

const OVER = Number.NEGATIVE_INFINITY;
const OPEN = Number.POSITIVE_INFINITY;

/** What an ensemble says of a hold: a node that its contender made, in a session, somewhere in a queue. */
export class ZooKeeperHoldState implements HoldState {
  readonly #servers: readonly SimZooKeeperServer[];
  readonly #log: HoldLog;
  readonly #owner: string;
  readonly #contender: string;

  constructor(servers: readonly SimZooKeeperServer[], log: HoldLog, owner: string) {
    const [contender = ''] = owner.split(':');
    this.#servers = servers;
    this.#log = log;
    this.#owner = owner;
    this.#contender = contender;
  }

  get votes(): number {
    return this.#servers.filter((server) => server.hasPath((path) => this.#isOwn(path))).length;
  }

  get addresses(): readonly (readonly (readonly HoldStatus[])[])[] {
    return this.#log.timelinesAt([[LEADER]], this.#owner);
  }

  /** By the log of the ensemble: what is not in it, because a minority alone had it or all disks were lost, was never so. */
  get place(): number | undefined {
    const [log = []] = this.#servers
      .map((server) => server.log)
      .toSorted((a, b) => (b.at(-1)?.zxid ?? 0) - (a.at(-1)?.zxid ?? 0));
    const own = log.filter((entry) => this.#sessionOf(entry) !== undefined);
    const session = this.#sessionOf(own.at(-1));
    return own.find((entry) => this.#sessionOf(entry) === session)?.zxid;
  }

  /** The end of a session is why the place in the queue is gone. */
  get hasExpired(): boolean {
    const log = this.#actingLeader()?.machine.storage.log ?? [];
    const end = log.findLast(({ change }) => {
      if (change.kind === 'delete') return this.#isPlace(change.path);
      return change.kind === 'closeSession' && change.paths.some((path) => this.#isPlace(path));
    });
    return end?.change.kind === 'closeSession' && end.waiter === undefined;
  }

  /** Once the leader that a majority follows has deleted the node: followers hear of it later. */
  freeAtMs(): number {
    const tree = this.#actingLeader()?.tree;
    if (tree === undefined) return OPEN;
    for (const [path] of tree.nodes) if (this.#isPlace(path)) return OPEN;
    return OVER;
  }

  #isOwn(path: string): boolean {
    return path.includes(`/${this.#contender}-`);
  }

  #isPlace(path: string): boolean {
    return path.includes(`/${this.#contender}-lock-`);
  }

  /** Of the session that a node of the contender was made in; undefined for any other transaction. */
  #sessionOf(entry: Transaction | undefined): object | undefined {
    if (entry?.change.kind !== 'create' || !this.#isOwn(entry.change.path)) return undefined;
    return entry.change.owner;
  }

  /** Of several that believe they lead the one that was elected last. */
  #actingLeader(): Program | undefined {
    const programs = this.#servers
      .filter(({ role, isServing }) => role === 'leading' && isServing)
      .map(({ program }) => program);
    return programs.toSorted((a, b) => b.machine.storage.epoch - a.machine.storage.epoch)[0];
  }
}
