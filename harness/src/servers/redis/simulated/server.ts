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
import { Storage, type StorageObservers } from './storage.ts';

export interface SimRedisServerOptions extends StorageObservers {
  /** How far its wall clock is ahead of true time. */
  readonly wallOffsetMs?: number;
  readonly driftPpm?: number;
  /** Looks on at whatever it executes. */
  readonly touches?: KeyChangeWatch;
}

/** A machine with a Redis server on it: its clock, its data, what it is asked, and what befalls it. */
export class SimRedisServer implements Endpoint {
  readonly name: string;
  readonly #kernel: Kernel;
  readonly #seed: string;
  readonly #clock: Clock;
  readonly #anchors = new Anchors();
  readonly #touches: KeyChangeWatch | undefined;
  readonly #holds: HoldLog | undefined;
  /** What outlives a restart; replication works on it. */
  readonly storage: Storage;
  #starts = 0;
  #present: ServerRun;

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
    this.storage = new Storage(name, kernel, this.#clock, options);
    this.#touches = options.touches;
    this.#present = this.#start();
  }

  /** The running server's data and role. A new one after every restart. */
  get engine(): RedisEngine {
    return this.#present.engine;
  }

  /** The run of the server program that serves now: who stands still or is dead when the server is. */
  get program(): ServerRun {
    return this.#present;
  }

  get readyAtUs(): number {
    return this.#present.readyAtUs;
  }

  /** Whether it runs; one that stands still does too. */
  get isUp(): boolean {
    return !this.#present.crashed;
  }

  /** What its wall clock shows, in ms since the epoch. For the harness. */
  get wallMs(): number {
    return this.#clock.wallUs(this.#kernel.nowUs) / 1000;
  }

  /** What its wall clock showed, or will if nothing changes it, at a true time: for lanes that print their own clock. */
  wallAt(atMs: number): number {
    return this.#clock.wallUs(Math.round(atMs * 1000)) / 1000;
  }

  /** The first true time from now on at which its wall clock shows so much, if nothing changes it; both in ms. */
  whenWall(wallMs: number): number {
    return this.#clock.whenWall(wallMs * 1000, this.#kernel.nowUs) / 1000;
  }

  /** The keys that are there now. For the harness: nothing expires by looking. */
  keys(): readonly string[] {
    return this.engine.keysNow();
  }

  /** A server is an address of its own. */
  serverFor(): this {
    return this;
  }

  accept(connection: Connection): EventOwner | undefined {
    if (!this.isUp) return undefined;
    this.#present.connected(connection);
    return this.#present;
  }

  disconnected(connection: Connection): void {
    this.#present.disconnected(connection);
  }

  /** Stands still for `ms`, as by SIGSTOP: what comes meanwhile it answers later, by what its clock shows then. */
  stop(ms: number): void {
    this.#record('pause', `${ms}`);
    const untilUs = this.#kernel.nowUs + toUs(ms);
    this.#present.readyAtUs = Math.max(this.#present.readyAtUs, untilUs);
  }

  /** Dies with all its connections, and stays down until {@link restart}. */
  crash(): void {
    if (!this.isUp) return;
    this.#record('crash');
    this.#present.crashed = true;
    this.storage.died();
    this.#present.abort('the server died');
  }

  /** Comes back after `downMs`, having crashed if it had not before. Scripts and subscriptions are gone. */
  restart(options: RestartOptions): void {
    this.crash();
    const died = this.#present;
    const start = (): boolean => {
      // Another has brought it back since; it may have died anew, and has its own time to wait.
      if (this.#present !== died) return false;
      this.storage.lose(options);
      this.#kernel.begin(this.name, 'restart', options.data);
      this.#present = this.#start();
      this.storage.started();
      return false;
    };
    this.#kernel.schedule(this.#kernel.nowUs + toUs(options.downMs ?? 0), start);
  }

  /** Breaks connections, those of one process for example. */
  breakConnections(which: (connection: Connection) => boolean = () => true): void {
    this.#present.reset('the server closed the connection', which);
  }

  /** Steps its wall clock, and with it the end of every key; negative is back. */
  jumpWall(ms: number): void {
    this.#record('jump', `${ms}`);
    this.#clock.jumpWall(this.#kernel.nowUs, Math.round(ms * 1000));
    this.storage.clockChanged();
  }

  /** Its clocks run fast (positive) or slow by so many microseconds a second. */
  setDrift(ppm: number): void {
    this.#record('drift', `${ppm}`);
    this.#clock.setDrift(this.#kernel.nowUs, ppm);
    this.storage.clockChanged();
  }

  /**
   * Calls `fault` right before this server executes the `n`-th command with this label from now, or right after it
   * has and before the reply leaves. The fault may crash or stop it, or have its service fail over.
   */
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void {
    this.#anchors.add(moment, label, n, fault);
  }

  #start(): ServerRun {
    const source = random(`${this.#seed}/${++this.#starts}`);
    const incarnation = new ServerRun({
      name: this.name,
      kernel: this.#kernel,
      anchors: this.#anchors,
      runId: (source.id() + source.id()).slice(0, 40),
      wallUs: () => this.#clock.wallUs(this.#kernel.nowUs),
      storage: this.storage,
      touches: this.#touches,
      holds: this.#holds,
    });
    this.storage.fill(incarnation.engine);
    return incarnation;
  }

  #record(kind: string, label?: string): void {
    this.#kernel.record(this.name, kind, label);
  }
}
