import { truncateSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import {
  type RedisServer,
  type RedisServerOptions,
  type ServerFactory,
  ShiftedClock,
} from '../../real/index.ts';

export interface LabRedisOptions extends RedisServerOptions {
  /** The library that shifts its clock. */
  readonly shim?: string | undefined;
}

/** Shortens every expiry by ARGV[1] ms, as a jump of the clock does, for servers whose clock cannot be shifted. */
const SHIFT_EXPIRIES = `
for _, key in ipairs(redis.call('KEYS', '*')) do
  local left = redis.call('PTTL', key)
  if left > 0 then redis.call('PEXPIRE', key, math.max(1, left - tonumber(ARGV[1]))) end
end`;

/** A redis-server of the laboratory on loopback, whose clock can jump and whose log can lose its tail. */
export class LabRedis {
  readonly port: number;
  readonly #server: RedisServer;
  readonly #clock: ShiftedClock | undefined;
  /** Removes the file of the clock. */
  readonly #removeClockFile: () => void;

  private constructor(server: RedisServer, clock?: ShiftedClock, removeClockFile = () => {}) {
    this.port = server.port;
    this.#server = server;
    this.#clock = clock;
    this.#removeClockFile = removeClockFile;
  }

  static async start(
    serverFactory: ServerFactory,
    { shim, ...options }: LabRedisOptions = {},
  ): Promise<LabRedis> {
    if (serverFactory.redis === undefined) throw new Error('redis-server is not installed');
    if (shim === undefined) return new LabRedis(await serverFactory.redis.start(options));
    const folder = serverFactory.folder('holdfast-clock-');
    const clock = new ShiftedClock(shim, folder, 'server');
    const through = ['env', ...clock.environment];
    const server = await serverFactory.redis.start({ ...options, through });
    return new LabRedis(server, clock, () => serverFactory.remove(folder));
  }

  /** True if its clock can be shifted, and not only its expiries. */
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

  /** Sends SIGKILL; resolves once the process has ended. */
  kill(): Promise<void> {
    return this.#server.end();
  }

  async close(): Promise<void> {
    await this.#server.close();
    this.#removeClockFile();
  }

  /** Makes its wall clock jump, or shortens its expiries if the clock cannot be shifted. */
  async jump(byMs: number): Promise<void> {
    if (this.#clock !== undefined) return this.#clock.set(byMs);
    if (byMs < 0) throw new Error('without a C compiler no clock can be set back');
    await this.command('EVAL', SHIFT_EXPIRIES, '0', `${byMs}`);
  }

  /** Sends one command on a new connection. */
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

  /** The current length of its log in bytes; undefined without one. */
  async logLength(): Promise<number | undefined> {
    const path = await this.#logPath();
    return path === undefined ? undefined : (await stat(path)).size;
  }

  /** Cuts its log to this length, as a power loss does. The server must not be running. */
  async truncateLog(length: number): Promise<void> {
    const path = await this.#logPath();
    if (path === undefined) throw new Error('the server has no log to truncate');
    truncateSync(path, length);
  }

  /** Finds the log: Redis 7 has increments in a folder, older versions one file. */
  async #logPath(): Promise<string | undefined> {
    const names = await readdir(this.#server.folder, { recursive: true });
    const name = names.find((each) => each.endsWith('.incr.aof')) ?? names.find(isOldLog);
    return name === undefined ? undefined : join(this.#server.folder, name);
  }
}

function isOldLog(name: string): boolean {
  return name === 'appendonly.aof';
}
