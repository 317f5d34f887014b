import { type AnchorMoment, Anchors } from '../../../sim/anchors.ts';
import { Clock } from '../../../sim/clock.ts';
import type { EventOwner } from '../../../sim/event-queue.ts';
import type { HoldLog } from '../../../sim/hold-log.ts';
import { type Kernel, toUs } from '../../../sim/kernel.ts';
import type { Connection, Endpoint } from '../../../sim/net/connection.ts';
import { random } from '../../../sim/random.ts';
import type { RestartOptions } from '../../../sim/schedule/cluster.ts';
import { partsOf, type World } from '../../../sim/world.ts';
import type { RedisEngine } from './engine.ts';
import type { KeyChangeWatch } from './key-change-watch.ts';
import { ServerRun } from './server-run.ts';
import type { SlotGuard } from './slots.ts';
import { Storage, type StorageObservers } from './storage.ts';

export interface SimRedisServerOptions extends StorageObservers {
  /** Offset of its wall clock from true time. */
  readonly wallOffsetMs?: number;
  readonly driftPpm?: number;
  /** Present for a node of a cluster. */
  readonly slots?: SlotGuard | undefined;
  /** Watches every command that it executes. */
  readonly keyChanges?: KeyChangeWatch;
}

/** A simulated machine running Redis: its clock, data, incoming commands and faults. */
export class SimRedisServer implements Endpoint {
  readonly name: string;
  readonly #kernel: Kernel;
  readonly #seed: string;
  readonly #clock: Clock;
  readonly #anchors = new Anchors();
  readonly #keyChanges: KeyChangeWatch | undefined;
  readonly #holds: HoldLog | undefined;
  readonly #slots: SlotGuard | undefined;
  /** The data that outlives a restart; replication uses it. */
  readonly storage: Storage;
  #starts = 0;
  #current: ServerRun;

  constructor(world: World, name: string, options: SimRedisServerOptions = {}) {
    const { kernel, seed, claim } = partsOf(world);
    claim(name, 'server');
    this.name = name;
    this.#kernel = kernel;
    this.#seed = `${seed}/${name}`;
    this.#clock = new Clock({
      monotonicMs: 0,
      wallOffsetMs: options.wallOffsetMs ?? 0,
      driftPpm: options.driftPpm ?? 0,
    });
    this.#holds = options.holds;
    this.#slots = options.slots;
    this.storage = new Storage(name, kernel, this.#clock, options);
    this.#keyChanges = options.keyChanges;
    this.#current = this.#start();
  }

  /** The running server's data and role. A new one after every restart. */
  get engine(): RedisEngine {
    return this.#current.engine;
  }

  /** The current run of the server program: it is paused or dead when the server is. */
  get program(): ServerRun {
    return this.#current;
  }

  get readyAtUs(): number {
    return this.#current.readyAtUs;
  }

  /** True if it runs; a paused server does too. */
  get isUp(): boolean {
    return !this.#current.crashed;
  }

  /** Its wall clock's reading, in ms since the epoch. For the harness. */
  get wallMs(): number {
    return this.#clock.wallUs(this.#kernel.nowUs) / 1000;
  }

  /**
   * Returns its wall clock's reading at a true time, past or, if nothing changes the clock, future: for lanes that
   * print their own clock.
   */
  wallAt(atMs: number): number {
    return this.#clock.wallUs(Math.round(atMs * 1000)) / 1000;
  }

  /**
   * Returns the first true time from now on at which its wall clock shows `wallMs`, if nothing changes the clock; both
   * in ms.
   */
  whenWall(wallMs: number): number {
    return this.#clock.whenWall(wallMs * 1000, this.#kernel.nowUs) / 1000;
  }

  /** The keys that exist now. For the harness: reading them expires nothing. */
  keys(): readonly string[] {
    return this.engine.keysNow();
  }

  /** A server is an address of its own. */
  serverFor(): this {
    return this;
  }

  accept(connection: Connection): EventOwner | undefined {
    if (!this.isUp) return undefined;
    this.#current.connected(connection);
    return this.#current;
  }

  disconnected(connection: Connection): void {
    this.#current.disconnected(connection);
  }

  /** Pauses for `ms`, as by SIGSTOP. Commands that arrive meanwhile are executed later, at the clock's reading then. */
  stop(ms: number): void {
    this.#record('pause', `${ms}`);
    const untilUs = this.#kernel.nowUs + toUs(ms);
    this.#current.readyAtUs = Math.max(this.#current.readyAtUs, untilUs);
  }

  /** Crashes with all its connections, and stays down until {@link restart}. */
  crash(): void {
    if (!this.isUp) return;
    this.#record('crash');
    this.#current.crashed = true;
    this.storage.died();
    this.#current.abort('the server died');
  }

  /** Comes back after `downMs`; crashes first if it is up. Scripts and subscriptions are lost. */
  restart(options: RestartOptions): void {
    this.crash();
    const died = this.#current;
    const start = (): boolean => {
      // Another restart has brought it back since. If that run crashed too, its own restart applies.
      if (this.#current !== died) return false;
      this.storage.lose(options);
      this.#kernel.begin(this.name, 'restart', options.data);
      this.#current = this.#start();
      this.storage.started();
      return false;
    };
    this.#kernel.schedule(this.#kernel.nowUs + toUs(options.downMs ?? 0), start);
  }

  /** Breaks connections, for example those of one process. */
  breakConnections(which: (connection: Connection) => boolean = () => true): void {
    this.#current.reset('the server closed the connection', which);
  }

  /** Steps its wall clock, and with it the end of every key; a negative `ms` steps back. */
  jumpWall(ms: number): void {
    this.#record('jump', `${ms}`);
    this.#clock.jumpWall(this.#kernel.nowUs, Math.round(ms * 1000));
    this.storage.clockChanged();
  }

  /** Makes its clocks fast (positive) or slow by this many microseconds a second. */
  setDrift(ppm: number): void {
    this.#record('drift', `${ppm}`);
    this.#clock.setDrift(this.#kernel.nowUs, ppm);
    this.storage.clockChanged();
  }

  /**
   * Calls `fault` right before this server executes the `n`-th command with this label from now, or right after that
   * and before the reply leaves. The fault may crash or stop the server, or fail its service over.
   */
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void {
    this.#anchors.add(moment, label, n, fault);
  }

  #start(): ServerRun {
    const source = random(`${this.#seed}/${++this.#starts}`);
    const run = new ServerRun({
      name: this.name,
      kernel: this.#kernel,
      anchors: this.#anchors,
      runId: (source.id() + source.id()).slice(0, 40),
      wallUs: () => this.#clock.wallUs(this.#kernel.nowUs),
      storage: this.storage,
      keyChanges: this.#keyChanges,
      slots: this.#slots,
      holds: this.#holds,
    });
    this.storage.fill(run.engine);
    return run;
  }

  #record(kind: string, label?: string): void {
    this.#kernel.record(this.name, kind, label);
  }
}
