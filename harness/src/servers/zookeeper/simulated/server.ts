import { type AnchorMoment, Anchors } from '../../../sim/anchors.ts';
import { Clock } from '../../../sim/clock.ts';
import type { EventOwner } from '../../../sim/event-queue.ts';
import { type Kernel, toUs } from '../../../sim/kernel.ts';
import type { Connection, Endpoint } from '../../../sim/net/connection.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import type { RestartOptions } from '../../../sim/schedule/cluster.ts';
import { partsOf, type World } from '../../../sim/world.ts';
import { Program } from './program.ts';
import type { EnsembleContext, EnsembleMember } from './server-context.ts';
import { DurableState, type Transaction } from './transaction-log.ts';

/** A node on one server, as clients and people see it. */
export interface SimZnode {
  readonly data: string;
  readonly czxid: bigint;
  /** 0 if the node is not ephemeral. */
  readonly ephemeralOwner: bigint;
}

/** A simulated machine running ZooKeeper: its clock, log, client connections and faults. `SimZooKeeper` creates it. */
export class SimZooKeeperServer implements Endpoint, EnsembleMember {
  readonly id: number;
  readonly name: string;
  readonly #kernel: Kernel;
  readonly #clock: Clock;
  readonly #anchors = new Anchors();
  readonly #storage = new DurableState();
  readonly #network: Network;
  readonly #ensemble: EnsembleContext;
  #current: Program;

  constructor(world: World, network: Network, ensemble: EnsembleContext, id: number, name: string) {
    const { kernel, claim } = partsOf(world);
    claim(name, 'server');
    this.id = id;
    this.name = name;
    this.#kernel = kernel;
    this.#network = network;
    this.#ensemble = ensemble;
    this.#clock = new Clock({ monotonicMs: 0, wallOffsetMs: 0, driftPpm: 0 });
    this.#current = this.#start();
  }

  /** The current run of the server program: it is paused or dead when the server is. */
  get program(): Program {
    return this.#current;
  }

  get readyAtUs(): number {
    return this.#current.readyAtUs;
  }

  /** Every transaction on its disk, committed or not. */
  get log(): readonly Transaction[] {
    return this.#storage.log;
  }

  /** True if it runs; a paused server does too. */
  get isUp(): boolean {
    return !this.#current.crashed;
  }

  get role(): 'looking' | 'following' | 'leading' | 'down' {
    return this.isUp ? this.#current.role.name : 'down';
  }

  /** True if clients may connect. */
  get isServing(): boolean {
    return this.isUp && this.#current.role.isServing;
  }

  /**
   * Returns its wall clock's reading at a true time, past or, if nothing changes the clock, future. Nothing in
   * ZooKeeper reads it.
   */
  wallAt(atMs: number): number {
    return this.#clock.wallUs(Math.round(atMs * 1000)) / 1000;
  }

  /** The paths in its applied state. */
  paths(): readonly string[] {
    return Array.from(this.#current.tree.nodes, ([path]) => path).toSorted();
  }

  /** True if any of its paths matches. */
  hasPath(isSuch: (path: string) => boolean): boolean {
    for (const [path] of this.#current.tree.nodes) if (isSuch(path)) return true;
    return false;
  }

  find(path: string): SimZnode | undefined {
    const node = this.#current.tree.get(path);
    if (node === undefined) return undefined;
    return {
      data: node.data,
      czxid: BigInt(node.czxid),
      ephemeralOwner: node.owner?.id ?? 0n,
    };
  }

  /** Number of watches that clients have set here. */
  get watches(): number {
    return this.#current.watchers.size;
  }

  /** The paths that a process watches here. */
  watchedBy(process: SimProcess): readonly string[] {
    return this.#current.clients.watchedBy(process);
  }

  accept(connection: Connection): EventOwner | undefined {
    if (!this.isUp) return undefined;
    if (!this.#current.role.isServing) {
      this.#current.role.wake();
      return undefined;
    }
    this.#current.clients.connected(connection);
    this.#ensemble.connections++;
    if (this.#ensemble.connections === 1) this.#ensemble.wake();
    return this.#current;
  }

  disconnected(connection: Connection): void {
    if (this.#current.clients.disconnected(connection)) this.#ensemble.connections--;
  }

  /** Pauses for `ms`, as by SIGSTOP. */
  stop(ms: number): void {
    this.#kernel.record(this.name, 'pause', `${ms}`);
    const untilUs = this.#kernel.nowUs + toUs(ms);
    this.#current.readyAtUs = Math.max(this.#current.readyAtUs, untilUs);
  }

  /** Crashes with all its connections, and stays down until {@link restart}. */
  crash(): void {
    if (!this.isUp) return;
    this.#kernel.record(this.name, 'crash');
    this.#current.clients.abort('the server died');
    this.#current.role.end();
    this.#current.crashed = true;
    this.#ensemble.applied?.(this.name, undefined, undefined);
  }

  /** Comes back after `downMs`; crashes first if it is up. */
  restart(options: RestartOptions): void {
    this.crash();
    const died = this.#current;
    const start = (): boolean => {
      // Another restart has brought it back since. If that run crashed too, its own restart applies.
      if (this.#current !== died) return false;
      this.#storage.lose(options);
      this.#kernel.begin(this.name, 'restart', options.data);
      this.#current = this.#start();
      this.#current.startElection('it has just started');
      return false;
    };
    this.#kernel.schedule(this.#kernel.nowUs + toUs(options.downMs ?? 0), start);
  }

  /** Takes this long from now on to apply committed transactions. */
  lag(ms: number): void {
    this.#kernel.record(this.name, 'lag', `${ms}`);
    this.#current.lagMs = ms;
  }

  /** Deletes empty containers, as a leader does at intervals. */
  reapContainers(): void {
    this.#current.reap();
  }

  /** Breaks connections of clients, for example those of one process. */
  breakConnections(which: (connection: Connection) => boolean = () => true): void {
    this.#current.clients.reset('the server closed the connection', which);
  }

  /** Steps its wall clock; a negative `ms` steps back. */
  jumpWall(ms: number): void {
    this.#kernel.record(this.name, 'jump', `${ms}`);
    this.#clock.jumpWall(this.#kernel.nowUs, Math.round(ms * 1000));
  }

  /** Makes its clocks fast (positive) or slow by this many microseconds a second. */
  setDrift(ppm: number): void {
    this.#kernel.record(this.name, 'drift', `${ppm}`);
    this.#clock.setDrift(this.#kernel.nowUs, ppm);
  }

  /**
   * Calls `fault` right before this server executes the `n`-th request with this label from now, or right after it has
   * replied to it or forwarded it. `proposal` counts the proposals of a leader.
   */
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void {
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
