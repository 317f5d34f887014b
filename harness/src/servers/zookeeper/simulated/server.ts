import { Anchors, type Moment } from '../../../sim/anchors.ts';
import { Clock } from '../../../sim/clock.ts';
import type { Owner } from '../../../sim/event-queue.ts';
import { type Kernel, toUs } from '../../../sim/kernel.ts';
import type { Connection, Endpoint } from '../../../sim/net/connection.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import type { RestartOptions } from '../../../sim/restart.ts';
import { partsOf, type World } from '../../../sim/world.ts';
import { Program } from './program.ts';
import type { EnsembleContext, Member } from './server-context.ts';
import { Storage, type Transaction } from './transaction-log.ts';

/** What a client or a person finds under a path on one server. */
export interface SimZnode {
  readonly data: string;
  readonly czxid: bigint;
  /** 0 where the node is not ephemeral. */
  readonly ephemeralOwner: bigint;
}

/** A machine with a ZooKeeper server on it: its clock, its log, and what befalls it. Made by `SimZooKeeper`. */
export class SimZooKeeperServer implements Endpoint, Member {
  readonly id: number;
  readonly name: string;
  readonly #kernel: Kernel;
  readonly #clock: Clock;
  readonly #anchors = new Anchors();
  readonly #storage = new Storage();
  readonly #network: Network;
  readonly #ensemble: EnsembleContext;
  #present: Program;

  constructor(world: World, network: Network, ensemble: EnsembleContext, id: number, name: string) {
    const { kernel, claim } = partsOf(world);
    claim(name, 'server');
    this.id = id;
    this.name = name;
    this.#kernel = kernel;
    this.#network = network;
    this.#ensemble = ensemble;
    this.#clock = new Clock({ monotonicMs: 0, wallOffsetMs: 0, driftPpm: 0 });
    this.#present = this.#start();
  }

  /** The run of the server program that goes on now: who stands still or is dead when the server is. */
  get program(): Program {
    return this.#present;
  }

  get readyAtUs(): number {
    return this.#present.readyAtUs;
  }

  /** All that it has written down, committed or not. */
  get log(): readonly Transaction[] {
    return this.#storage.log;
  }

  /** Whether it runs; one that stands still does too. */
  get isUp(): boolean {
    return !this.#present.crashed;
  }

  get role(): 'looking' | 'following' | 'leading' | 'down' {
    return this.isUp ? this.#present.role.name : 'down';
  }

  /** Whether clients may connect. */
  get isServing(): boolean {
    return this.isUp && this.#present.role.isServing;
  }

  /** What its wall clock showed, or will if nothing changes it, at a true time. Nothing in ZooKeeper looks at it. */
  wallAt(atMs: number): number {
    return this.#clock.wallUs(Math.round(atMs * 1000)) / 1000;
  }

  /** The paths that this server has, by what it has applied. */
  paths(): readonly string[] {
    return Array.from(this.#present.tree.nodes, ([path]) => path).toSorted();
  }

  /** Whether any of its paths is such. */
  hasPath(isSuch: (path: string) => boolean): boolean {
    for (const [path] of this.#present.tree.nodes) if (isSuch(path)) return true;
    return false;
  }

  find(path: string): SimZnode | undefined {
    const node = this.#present.tree.get(path);
    if (node === undefined) return undefined;
    return {
      data: node.data,
      czxid: BigInt(node.czxid),
      ephemeralOwner: node.owner?.id ?? 0n,
    };
  }

  /** How many watches clients have set here. */
  get watches(): number {
    return this.#present.watchers.size;
  }

  /** The paths that a process watches here. */
  watchedBy(process: SimProcess): readonly string[] {
    return this.#present.clients.watchedBy(process);
  }

  accept(connection: Connection): Owner | undefined {
    if (!this.isUp) return undefined;
    if (!this.#present.role.isServing) {
      this.#present.role.wake();
      return undefined;
    }
    this.#present.clients.joined(connection);
    this.#ensemble.connections++;
    if (this.#ensemble.connections === 1) this.#ensemble.wake();
    return this.#present;
  }

  disconnected(connection: Connection): void {
    if (this.#present.clients.left(connection)) this.#ensemble.connections--;
  }

  /** Stands still for `ms`, as by SIGSTOP. */
  stop(ms: number): void {
    this.#kernel.record(this.name, 'pause', `${ms}`);
    const untilUs = this.#kernel.nowUs + toUs(ms);
    this.#present.readyAtUs = Math.max(this.#present.readyAtUs, untilUs);
  }

  /** Dies with all its connections, and stays down until {@link restart}. */
  crash(): void {
    if (!this.isUp) return;
    this.#kernel.record(this.name, 'crash');
    this.#present.clients.abort('the server died');
    this.#present.role.end();
    this.#present.crashed = true;
    this.#ensemble.applied?.(this.name, undefined, undefined);
  }

  /** Comes back after `downMs`, having crashed if it had not before. */
  restart(options: RestartOptions): void {
    this.crash();
    const died = this.#present;
    const start = (): boolean => {
      // Another has brought it back since; it may have died anew, and has its own time to wait.
      if (this.#present !== died) return false;
      this.#storage.lose(options);
      this.#kernel.begin(this.name, 'restart', options.data);
      this.#present = this.#start();
      this.#present.look('it has just started');
      return false;
    };
    this.#kernel.schedule(this.#kernel.nowUs + toUs(options.downMs ?? 0), start);
  }

  /** From here on it takes so long to apply what was committed. */
  lag(ms: number): void {
    this.#kernel.record(this.name, 'lag', `${ms}`);
    this.#present.lagMs = ms;
  }

  /** Deletes empty containers, as a leader does once in a while. */
  reapContainers(): void {
    this.#present.reap();
  }

  /** Breaks connections of clients, those of one process for example. */
  breakConnections(which: (connection: Connection) => boolean = () => true): void {
    this.#present.clients.reset('the server closed the connection', which);
  }

  /** Steps its wall clock; negative is back. */
  jumpWall(ms: number): void {
    this.#kernel.record(this.name, 'jump', `${ms}`);
    this.#clock.jumpWall(this.#kernel.nowUs, Math.round(ms * 1000));
  }

  /** Its clocks run fast (positive) or slow by so many microseconds a second. */
  setDrift(ppm: number): void {
    this.#kernel.record(this.name, 'drift', `${ppm}`);
    this.#clock.setDrift(this.#kernel.nowUs, ppm);
  }

  /**
   * Calls `fault` right before this server takes up the `n`-th request with this label from now, or right after it has
   * answered or forwarded it. `proposal` counts what a leader proposes.
   */
  anchor(moment: Moment, label: string, n: number, fault: () => void): void {
    this.#anchors.add(moment, label, n, fault);
  }

  #start(): Program {
    return new Program({
      id: this.id,
      name: this.name,
      kernel: this.#kernel,
      network: this.#network,
      clock: this.#clock,
      anchors: this.#anchors,
      storage: this.#storage,
      ensemble: this.#ensemble,
    });
  }
}
