import { type AnchorMoment, Anchors } from '../../../sim/anchors.ts';
import { Clock } from '../../../sim/clock.ts';
import type { EventOwner } from '../../../sim/event-queue.ts';
import { type Kernel, toUs } from '../../../sim/kernel.ts';
import type { Connection, Endpoint } from '../../../sim/net/connection.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import type { Member, RestartOptions } from '../../../sim/schedule/cluster.ts';
import { partsOf, type World } from '../../../sim/world.ts';
import type { EnsembleContext, EnsembleMember } from './context.ts';
import { DurableLog } from './durable-log.ts';
import { Program } from './program.ts';
import type { EtcdStore } from './store.ts';

/** A simulated machine running etcd: its clocks, disk, client connections and faults. `SimEtcd` creates it. */
export class SimEtcdServer implements Endpoint, EnsembleMember, Member {
  readonly id: number;
  readonly name: string;
  readonly log: DurableLog = new DurableLog();
  readonly clock: Clock = new Clock({ monotonicMs: 0, wallOffsetMs: 0, driftPpm: 0 });
  readonly #kernel: Kernel;
  readonly #anchors = new Anchors();
  readonly #network: Network;
  readonly #ensemble: EnsembleContext;
  #current: Program | undefined;
  #runs = 0;

  constructor(world: World, network: Network, ensemble: EnsembleContext, id: number, name: string) {
    const { kernel, claim } = partsOf(world);
    claim(name, 'server');
    this.id = id;
    this.name = name;
    this.#kernel = kernel;
    this.#network = network;
    this.#ensemble = ensemble;
  }

  /** The current run of the server program: it is paused or dead when the server is. */
  get program(): Program {
    this.#current ??= this.#start();
    return this.#current;
  }

  get readyAtUs(): number {
    return this.program.readyAtUs;
  }

  /** True if it runs; a paused server does too. */
  get isUp(): boolean {
    return !this.program.crashed;
  }

  /** True if it believes that it leads. */
  get leads(): boolean {
    return this.isUp && this.program.raft.leads;
  }

  /** What it has applied. */
  get store(): EtcdStore {
    return this.program.store;
  }

  /** Its wall clock at a true time. Nothing in etcd reads it. */
  wallAt(atMs: number): number {
    return this.clock.wallUs(Math.round(atMs * 1000)) / 1000;
  }

  /** The keys that a process watches here. */
  watchedBy(process: SimProcess): readonly string[] {
    return this.program.clients.watchedBy(process);
  }

  accept(connection: Connection): EventOwner | undefined {
    if (!this.isUp) return undefined;
    this.program.clients.connected(connection);
    return this.program;
  }

  disconnected(connection: Connection): void {
    this.program.clients.disconnected(connection);
  }

  /** Pauses for `ms`, as by SIGSTOP. */
  stop(ms: number): void {
    this.#kernel.record(this.name, 'pause', `${ms}`);
    this.program.pauseUntil(this.#kernel.nowUs + toUs(ms));
  }

  /** Crashes with all its connections, and stays down until {@link restart}. */
  crash(): void {
    if (!this.isUp) return;
    this.#kernel.record(this.name, 'crash');
    this.program.end();
  }

  /** Comes back after `downMs`; crashes first if it is up. */
  restart(options: RestartOptions = { data: 'durable' }): void {
    this.crash();
    const died = this.program;
    const start = (): boolean => {
      // Another restart has brought it back since. If that run crashed too, its own restart applies.
      if (this.program !== died) return false;
      this.log.lose(options);
      this.#kernel.begin(this.name, 'restart', options.data);
      this.#current = this.#start();
      this.#ensemble.observer?.replaced(this.#current);
      this.#current.raft.begin();
      return false;
    };
    this.#kernel.schedule(this.#kernel.nowUs + toUs(options.downMs ?? 0), start);
  }

  /** Breaks connections of clients, for example those of one process. */
  breakConnections(which: (connection: Connection) => boolean = () => true): void {
    this.program.clients.reset('the server closed the connection', which);
  }

  /** Steps its wall clock; a negative `ms` steps back. */
  jumpWall(ms: number): void {
    this.#kernel.record(this.name, 'jump', `${ms}`);
    this.clock.jumpWall(this.#kernel.nowUs, Math.round(ms * 1000));
  }

  /** Makes its clocks fast (positive) or slow by this many microseconds a second. */
  setDrift(ppm: number): void {
    this.#kernel.record(this.name, 'drift', `${ppm}`);
    this.clock.setDrift(this.#kernel.nowUs, ppm);
  }

  /**
   * Calls `fault` right before this server executes the `n`-th request with this label from now, or right after it has
   * replied to it or passed it on. `proposal` counts the entries that a leader appends.
   */
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void {
    this.#anchors.add(moment, label, n, fault);
  }

  #start(): Program {
    this.#runs += 1;
    return new Program(
      {
        id: this.id,
        name: this.name,
        kernel: this.#kernel,
        network: this.#network,
        clock: this.clock,
        anchors: this.#anchors,
        log: this.log,
        ensemble: this.#ensemble,
      },
      this.#runs,
    );
  }
}
