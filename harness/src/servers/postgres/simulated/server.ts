import { type AnchorMoment, Anchors } from '../../../sim/anchors.ts';
import { Clock } from '../../../sim/clock.ts';
import type { EventOwner } from '../../../sim/event-queue.ts';
import type { HoldLog } from '../../../sim/hold-log.ts';
import { type Kernel, toUs } from '../../../sim/kernel.ts';
import type { Connection, Endpoint } from '../../../sim/net/connection.ts';
import type { Member, RestartOptions } from '../../../sim/schedule/cluster.ts';
import { partsOf, type World } from '../../../sim/world.ts';
import type { HolderLog } from '../../redis/simulated/holder-log.ts';
import { PostgresEngine } from './engine.ts';
import { HoldRecords, type TouchWatch } from './hold-records.ts';
import type { QueueParts } from './queue-records.ts';
import { type Heard, ServerProgram } from './server-program.ts';
import type { Message, MessageOutcome } from './server-session.ts';
import type { RowValues } from './sql/expressions.ts';
import { type StandbyCopy, Storage } from './storage.ts';

/** Where all servers of a run record who holds what. */
export interface SharedRecords {
  readonly log: HoldLog;
  readonly holders: HolderLog | undefined;
  readonly touches: TouchWatch;
  /** Present if the places of waiters are recorded. */
  readonly queue: QueueParts | undefined;
}

export interface SimPostgresServerOptions {
  /** SQL that creates the tables, which all of its data directories have. */
  readonly schema: string;
  /** Of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Offset of its wall clock from true time. */
  readonly wallOffsetMs?: number;
  /** True: clients reach it through a pooler that gives every transaction the session that is free. */
  readonly isPooled?: boolean;
  readonly records?: SharedRecords;
}

/** A simulated machine running PostgreSQL: its clock, its data, its sessions and its faults. */
export class SimPostgresServer implements Endpoint, Member {
  readonly name: string;
  /** What outlives a restart; replication uses it. */
  readonly storage: Storage;
  readonly #kernel: Kernel;
  readonly #options: SimPostgresServerOptions;
  readonly #clock: Clock;
  readonly #anchors = new Anchors();
  #pids = 0;
  #program: ServerProgram;

  constructor(world: World, name: string, options: SimPostgresServerOptions) {
    const { kernel, claim } = partsOf(world);
    claim(name, 'server');
    this.name = name;
    this.#kernel = kernel;
    this.#options = options;
    this.#clock = new Clock({
      monotonicMs: 0,
      wallOffsetMs: options.wallOffsetMs ?? 0,
      driftPpm: 0,
    });
    const { records } = options;
    const clock = this.#clock;
    this.storage = new Storage(
      records &&
        new HoldRecords(name, { ...records, kernel, clock, holders: records.holders?.of(name) }),
    );
    this.#program = this.#start();
  }

  /** What the running server has in memory. A new one after every restart. */
  get engine(): PostgresEngine {
    return this.#program.engine;
  }

  /** The current run of the server. */
  get program(): EventOwner {
    return this.#program;
  }

  get isUp(): boolean {
    return !this.#program.crashed;
  }

  get readyAtUs(): number {
    return this.#program.readyAtUs;
  }

  /** Its wall clock's reading, in µs since the epoch. */
  get wallUs(): number {
    return this.#clock.wallUs(this.#kernel.nowUs);
  }

  /** Returns the first true time from now on at which its wall clock shows `us`, in ms. */
  whenWall(us: number): number {
    return this.#clock.whenWall(us, this.#kernel.nowUs) / 1_000;
  }

  /** A server is an address of its own. */
  serverFor(): this {
    return this;
  }

  accept(connection: Connection): EventOwner | undefined {
    if (!this.isUp) return undefined;
    this.#program.connected(connection, ++this.#pids);
    return this.#program;
  }

  disconnected(connection: Connection): void {
    this.#program.disconnected(connection);
  }

  /** Runs a message, and replies once its transaction has ended. */
  serve(
    connection: Connection,
    message: Message,
    replied: (outcome: MessageOutcome) => void,
    heard: Heard,
  ): void {
    this.#program.serve(connection, message, replied, heard);
  }

  /** Pauses for `ms`, as by SIGSTOP: what arrives meanwhile is executed later, at the clock's reading then. */
  stop(ms: number): void {
    this.#record('pause', `${ms}`);
    this.#program.readyAtUs = Math.max(this.#program.readyAtUs, this.#kernel.nowUs + toUs(ms));
  }

  /** Crashes with all its connections, and stays down until {@link restart}. */
  crash(): void {
    if (!this.isUp) return;
    this.#record('crash');
    this.#program.crashed = true;
    this.storage.died();
    this.#program.abort('the server died');
  }

  /** Comes back after `downMs`; crashes first if it is up. */
  restart(options: RestartOptions): void {
    this.crash();
    const died = this.#program;
    const start = (): boolean => {
      // Another restart has brought it back since.
      if (this.#program !== died) return false;
      this.#kernel.begin(this.name, 'restart', options.data);
      this.storage.lose(options);
      this.#program = this.#start();
      this.storage.started();
      return false;
    };
    this.#kernel.schedule(this.#kernel.nowUs + toUs(options.downMs ?? 0), start);
  }

  /** Breaks the connections that `which` selects. */
  breakConnections(which: (connection: Connection) => boolean = () => true): void {
    this.#program.reset('the server closed the connection', which);
  }

  /** The number of sessions of the matching connections. */
  sessions(which: (connection: Connection) => boolean): number {
    return this.#program.count(which);
  }

  /** Steps its wall clock; a negative `ms` steps back. */
  jumpWall(ms: number): void {
    this.#record('jump', `${ms}`);
    this.#clock.jumpWall(this.#kernel.nowUs, Math.round(ms * 1_000));
    this.storage.clockChanged();
  }

  /** Makes its clocks fast (positive) or slow by this many microseconds a second. */
  setDrift(ppm: number): void {
    this.#record('drift', `${ppm}`);
    this.#clock.setDrift(this.#kernel.nowUs, ppm);
    this.storage.clockChanged();
  }

  /** Calls `fault` right before, or right after, it executes the `n`-th message with this label from now. */
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void {
    this.#anchors.add(moment, label, n, fault);
  }

  /** Stores a row, as an administrator could; for tests. */
  put(table: string, values: RowValues, ...key: readonly string[]): void {
    this.engine.apply([{ table, id: key.join('\n'), values }]);
  }

  /** Takes over the primary's data, as a standby does that was built anew. */
  load(copy: StandbyCopy): void {
    this.#program.crashed = true;
    this.#program.abort('the server restarts');
    this.storage.replace(copy);
    this.#program = this.#start();
  }

  #start(): ServerProgram {
    const { schema, settings } = this.#options;
    const nowUs = (): number => this.#clock.wallUs(this.#kernel.nowUs);
    const engine = new PostgresEngine({ nowUs, schema, ...(settings && { settings }) });
    const program = new ServerProgram({
      name: this.name,
      kernel: this.#kernel,
      anchors: this.#anchors,
      storage: this.storage,
      engine,
      nowUs,
      isPooled: this.#options.isPooled ?? false,
    });
    this.storage.fillMemory(engine);
    return program;
  }

  #record(kind: string, label?: string): void {
    this.#kernel.record(this.name, kind, label);
  }
}
