import type { Row } from '@holdfast/postgres/port';
import type { Call } from '@holdfast/postgres/sessions';
import { Clock } from '../../../sim/clock.ts';
import type { EventOwner } from '../../../sim/event-queue.ts';
import { type Kernel, toUs } from '../../../sim/kernel.ts';
import type { Connection, Endpoint } from '../../../sim/net/connection.ts';
import type { RestartOptions } from '../../../sim/schedule/cluster.ts';
import { partsOf, type World } from '../../../sim/world.ts';
import { PostgresEngine } from './engine.ts';

type Heard = (channel: string, payload: string) => void;

/** A session of the server: one connection. */
interface ServerSession {
  readonly pid: number;
  readonly channels: Map<string, Heard>;
}

/** One run of the server program; its events are dropped once it has crashed. */
interface Program extends EventOwner {
  readyAtUs: number;
  crashed: boolean;
}

/** A simulated machine running PostgreSQL: its clock, its tables and its sessions. */
export class SimPostgresServer implements Endpoint {
  readonly name: string;
  readonly engine: PostgresEngine;
  readonly #kernel: Kernel;
  readonly #clock = new Clock({ monotonicMs: 0, wallOffsetMs: 0, driftPpm: 0 });
  readonly #sessions = new Map<Connection, ServerSession>();
  #program: Program = { readyAtUs: 0, crashed: false };
  #pids = 0;

  constructor(world: World, name: string) {
    const { kernel, claim } = partsOf(world);
    claim(name, 'server');
    this.name = name;
    this.#kernel = kernel;
    this.engine = new PostgresEngine({
      nowUs: () => this.#clock.wallUs(kernel.nowUs),
      notify: (channel, payload) => this.#notify(channel, payload),
    });
  }

  /** Its wall clock's reading, in µs since the epoch. */
  get wallUs(): number {
    return this.#clock.wallUs(this.#kernel.nowUs);
  }

  accept(connection: Connection): EventOwner | undefined {
    if (this.#program.crashed) return undefined;
    this.#sessions.set(connection, { pid: ++this.#pids, channels: new Map() });
    return this.#program;
  }

  disconnected(connection: Connection): void {
    this.#sessions.delete(connection);
  }

  /** Runs a transaction, and replies once it is committed. */
  serve(connection: Connection, call: Call, replied: (rows: readonly Row[]) => void): void {
    const { name: label } = call.statement;
    this.#kernel.begin(this.name, 'exec', label);
    const { pid } = this.#sessions.get(connection) ?? {};
    const rows = label === 'server-process' ? [{ pid: `${pid}` }] : this.engine.execute(call);
    connection.reply(label, this.#kernel.nowUs, () => replied(rows));
  }

  /** Lets a session listen; `heard` is called in its process. */
  listen(connection: Connection, channel: string, heard: Heard, replied: () => void): void {
    this.#kernel.begin(this.name, 'exec', 'LISTEN');
    this.#sessions.get(connection)?.channels.set(channel, heard);
    connection.reply('LISTEN', this.#kernel.nowUs, replied);
  }

  /** Pauses for `ms`, as by SIGSTOP: what arrives meanwhile is executed later, at the clock's reading then. */
  stop(ms: number): void {
    this.#kernel.record(this.name, 'pause', `${ms}`);
    this.#program.readyAtUs = Math.max(this.#program.readyAtUs, this.#kernel.nowUs + toUs(ms));
  }

  /** Crashes with all its connections, and comes back after `downMs` (default 0), with its data or without. */
  restart({ data, downMs = 0 }: RestartOptions): void {
    this.#kernel.record(this.name, 'crash');
    this.#program.crashed = true;
    for (const connection of Array.from(this.#sessions.keys())) connection.abort('the server died');
    if (data === 'empty') this.engine.clear();
    const start = (): boolean => {
      this.#kernel.begin(this.name, 'restart', data);
      this.#program = { readyAtUs: 0, crashed: false };
      return false;
    };
    this.#kernel.schedule(this.#kernel.nowUs + toUs(downMs), start);
  }

  /** Steps its wall clock; a negative `ms` steps back. */
  jumpWall(ms: number): void {
    this.#kernel.record(this.name, 'jump', `${ms}`);
    this.#clock.jumpWall(this.#kernel.nowUs, Math.round(ms * 1_000));
  }

  #notify(channel: string, payload: string): void {
    for (const [connection, { channels }] of this.#sessions) {
      const heard = channels.get(channel);
      if (heard !== undefined)
        connection.push('message', this.#kernel.nowUs, () => heard(channel, payload));
    }
  }
}
