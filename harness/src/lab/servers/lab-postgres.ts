import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type LogEnd,
  type PostgresServer,
  type PostgresServerOptions,
  type ServerFactory,
  ShiftedClock,
} from '../../real/index.ts';
import type { RestartData } from '../../simulator/index.ts';
import type { RealMember } from '../deployments/real-cluster.ts';

export interface LabPostgresOptions extends PostgresServerOptions {
  /** The library that shifts its clock. */
  readonly shim?: string | undefined;
}

/** A PostgreSQL server of the laboratory on loopback, whose clock can jump and whose log can lose its tail. */
export class LabPostgres implements RealMember {
  readonly server: PostgresServer;
  readonly #clock: ShiftedClock | undefined;
  readonly #removeClock: () => void;
  #logEnd: LogEnd | undefined;

  constructor(server: PostgresServer, clock?: ShiftedClock, removeClock: () => void = () => {}) {
    this.server = server;
    this.#clock = clock;
    this.#removeClock = removeClock;
  }

  static async start(
    serverFactory: ServerFactory,
    { shim, ...options }: LabPostgresOptions,
  ): Promise<LabPostgres> {
    const { postgres } = serverFactory;
    if (postgres === undefined) throw new Error('PostgreSQL is not installed');
    if (shim === undefined) return new LabPostgres(await postgres.start(options));
    const folder = serverFactory.folder('holdfast-clock-');
    // It runs as another user, who may not enter the folder of the library.
    chmodSync(folder, 0o755);
    const library = join(folder, 'clock.so');
    copyFileSync(shim, library);
    const clock = new ShiftedClock(library, folder, 'server');
    const through = ['env', ...clock.environment];
    const server = await postgres.start({ ...options, through });
    return new LabPostgres(server, clock, () => serverFactory.remove(folder));
  }

  get port(): number {
    return this.server.port;
  }

  stop(): void {
    this.server.stop();
  }

  resume(): void {
    this.server.resume();
  }

  crash(): Promise<void> {
    return this.server.end();
  }

  async restart(data: RestartData): Promise<void> {
    if (data === 'durable') return await this.server.restart();
    if (data === 'empty') return await this.server.restartEmpty();
    if (this.#logEnd === undefined) throw new Error('the end of the log was not kept');
    await this.server.restartTorn(this.#logEnd);
  }

  async keepLog(): Promise<void> {
    this.#logEnd = await this.server.logEnd();
  }

  async jumpWall(ms: number): Promise<void> {
    if (this.#clock === undefined) throw new Error('its clock cannot be shifted');
    this.#clock.set(ms);
  }

  async close(): Promise<void> {
    await this.server.close();
    this.#removeClock();
  }
}
