import { type LockEvent } from '@holdfast/core';
import { type Backend, type Host, systemRuntime } from '@holdfast/core/backend';
import { Redis } from 'ioredis';
import { RedisServer } from '../../../../../harness/test/kit/real-servers.ts';
import { openRedisSimple, type RedisSimpleOptions } from '../../../src/index.ts';

/** A real server, a client that reads and changes it directly, and backends on it. */
export class World {
  readonly server: RedisServer;
  /** Reads and changes stored values directly. */
  readonly raw: Redis;
  readonly events: LockEvent[] = [];
  readonly #opened: Backend[] = [];
  readonly #monitors: Redis[] = [];

  private constructor(server: RedisServer, password: string | undefined) {
    this.server = server;
    this.raw = new Redis(server.port, password === undefined ? {} : { password });
    this.raw.on('error', () => undefined);
  }

  static async start(args: readonly string[] = []): Promise<World> {
    const password = args.includes('--requirepass') ? args.at(-1) : undefined;
    return new World(await RedisServer.start({ args }), password);
  }

  async open(options: RedisSimpleOptions = { source: this.server.url }): Promise<Backend> {
    const host: Host = {
      runtime: systemRuntime(),
      label: 'box:1',
      emit: (event) => void this.events.push(event),
    };
    const backend = await openRedisSimple(options, host);
    this.#opened.push(backend);
    return backend;
  }

  /** The commands that the server executes from now on, in order, as another client sees them. */
  async executed(): Promise<string[][]> {
    const seen: string[][] = [];
    const monitor = await this.raw.monitor();
    monitor.on('monitor', (_time: string, args: string[]) => void seen.push(args));
    this.#monitors.push(monitor);
    return seen;
  }

  async close(): Promise<void> {
    for (const monitor of this.#monitors) monitor.disconnect();
    await Promise.all(this.#opened.map((backend) => backend.close({ timeoutMs: 1_000 })));
    this.raw.disconnect();
    await this.server.close();
  }
}
