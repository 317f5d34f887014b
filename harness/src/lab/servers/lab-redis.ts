import { truncateSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import {
  type RedisServer,
  type RedisServerOptions,
  type ServerFactory,
  ShiftedClock,
} from '../../plant/index.ts';

export interface LabRedisOptions extends RedisServerOptions {
  /** The library that shifts its clock. */
  readonly shim?: string | undefined;
}

/** All keys that expire, sooner by so many ms: what a jump of the clock does to them, where the clock cannot be shifted. */
const SHIFT_EXPIRIES = `
for _, key in ipairs(redis.call('KEYS', '*')) do
  local left = redis.call('PTTL', key)
  if left > 0 then redis.call('PEXPIRE', key, math.max(1, left - tonumber(ARGV[1]))) end
end`;

/** A redis-server of the laboratory's own on loopback, whose clock and log can be struck. */
export class LabRedis {
  readonly port: number;
  readonly #server: RedisServer;
  readonly #clock: ShiftedClock | undefined;
  /** Removes what the clock is kept in. */
  readonly #removeClockFile: () => void;

  private constructor(server: RedisServer, clock?: ShiftedClock, forget = () => {}) {
    this.port = server.port;
    this.#server = server;
    this.#clock = clock;
    this.#removeClockFile = forget;
  }

  static async start(
    plant: ServerFactory,
    { shim, ...options }: LabRedisOptions = {},
  ): Promise<LabRedis> {
    if (plant.redis === undefined) throw new Error('redis-server is not installed');
    if (shim === undefined) return new LabRedis(await plant.redis.start(options));
    const folder = plant.folder('holdfast-clock-');
    const clock = new ShiftedClock(shim, folder, 'server');
    const through = ['env', ...clock.environment];
    const server = await plant.redis.start({ ...options, through });
    return new LabRedis(server, clock, () => plant.remove(folder));
  }

  /** Whether its clock can be shifted, and not only its expiries. */
  get hasClock(): boolean {
    return this.#clock !== undefined;
  }

  restart(): Promise<void> {
    return this.#server.restart();
  }

  stop(): void {
    this.#server.stop();
  }

  resume(): void {
    this.#server.resume();
  }

  /** SIGKILL; resolves once it is gone. */
  kill(): Promise<void> {
    return this.#server.end();
  }

  async close(): Promise<void> {
    await this.#server.close();
    this.#removeClockFile();
  }

  /** Its wall clock jumps. Where it cannot be shifted, its expiries are. */
  async jump(byMs: number): Promise<void> {
    if (this.#clock !== undefined) return this.#clock.set(byMs);
    if (byMs < 0) throw new Error('without a C compiler no clock can be put back');
    await this.command('EVAL', SHIFT_EXPIRIES, '0', `${byMs}`);
  }

  /** One command on a connection of its own. */
  async command(name: string, ...args: readonly string[]): Promise<unknown> {
    const client = new Redis({
      port: this.port,
      host: '127.0.0.1',
      lazyConnect: true,
      maxRetriesPerRequest: 0,
      retryStrategy: () => null,
    });
    client.on('error', () => undefined);
    try {
      return await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  }

  /** How long its log is by now; undefined without one. */
  async logLength(): Promise<number | undefined> {
    const path = await this.#logPath();
    return path === undefined ? undefined : (await stat(path)).size;
  }

  /** Power loss: what was written since is gone. It must not be running. */
  async truncateLog(length: number): Promise<void> {
    const path = await this.#logPath();
    if (path === undefined) throw new Error('there is no log to tear');
    truncateSync(path, length);
  }

  /** Redis 7 has its increments in a folder; before that there was one file. */
  async #logPath(): Promise<string | undefined> {
    const names = await readdir(this.#server.folder, { recursive: true });
    const name = names.find((each) => each.endsWith('.incr.aof')) ?? names.find(isOldLog);
    return name === undefined ? undefined : join(this.#server.folder, name);
  }
}

function isOldLog(name: string): boolean {
  return name === 'appendonly.aof';
}
