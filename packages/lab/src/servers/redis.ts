import { truncateSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Plant, ServerProcess } from '../plant.ts';
import { ShiftedClock } from './clock-shim.ts';

export interface RedisWishes {
  /** More arguments of redis-server. */
  readonly args?: readonly string[];
  /** Keeps an append-only file, so that a restart brings the data back. */
  readonly durable?: boolean;
  /** The library that shifts its clock. */
  readonly shim?: string | undefined;
}

/** All keys that expire, sooner by so many ms: what a jump of the clock does to them, where the clock cannot be shifted. */
const SHIFT_EXPIRIES = `
for _, key in ipairs(redis.call('KEYS', '*')) do
  local left = redis.call('PTTL', key)
  if left > 0 then redis.call('PEXPIRE', key, math.max(1, left - tonumber(ARGV[1]))) end
end`;

/** A redis-server of the laboratory's own on loopback. */
export class LabRedis {
  readonly port: number;
  readonly #process: ServerProcess;
  readonly #folder: string;
  readonly #clock: ShiftedClock | undefined;

  private constructor(plant: Plant, port: number, wishes: RedisWishes) {
    const { binary } = installed(plant);
    const { shim } = wishes;
    const folder = plant.folder('holdfast-redis-');
    this.port = port;
    this.#folder = folder;
    this.#clock = shim === undefined ? undefined : new ShiftedClock(shim, folder, 'server');
    const args = argumentsFor(port, folder, wishes);
    const environment = this.#clock?.environment ?? [];
    this.#process = plant.process({
      name: `redis-server on port ${port}`,
      folder,
      ...(environment.length === 0
        ? { command: binary, args }
        : { command: 'env', args: [...environment, binary, ...args] }),
      isReady: (said) => /Ready to accept connections|Sentinel ID is/.test(said),
    });
  }

  static start(plant: Plant, wishes: RedisWishes = {}): Promise<LabRedis> {
    return plant.onFreePorts(1, async ([port = 0]) => {
      const server = new LabRedis(plant, port, wishes);
      try {
        await server.restart();
        return server;
      } catch (error) {
        await server.close();
        throw error;
      }
    });
  }

  /** Whether its clock can be shifted, and not only its expiries. */
  get hasClock(): boolean {
    return this.#clock !== undefined;
  }

  restart(): Promise<void> {
    return this.#process.restart();
  }

  stop(): void {
    this.#process.stop();
  }

  resume(): void {
    this.#process.resume();
  }

  /** SIGKILL; resolves once it is gone. */
  kill(): Promise<void> {
    return this.#process.end();
  }

  close(): Promise<void> {
    return this.#process.close();
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
  async tearLog(length: number): Promise<void> {
    const path = await this.#logPath();
    if (path === undefined) throw new Error('there is no log to tear');
    truncateSync(path, length);
  }

  /** Redis 7 has its increments in a folder; before that there was one file. */
  async #logPath(): Promise<string | undefined> {
    const names = await readdir(this.#folder, { recursive: true });
    const name = names.find((each) => each.endsWith('.incr.aof')) ?? names.find(isOldLog);
    return name === undefined ? undefined : join(this.#folder, name);
  }
}

function isOldLog(name: string): boolean {
  return name === 'appendonly.aof';
}

function installed(plant: Plant): NonNullable<Plant['redis']> {
  if (plant.redis === undefined) throw new Error('redis-server is not installed');
  return plant.redis;
}

function argumentsFor(
  port: number,
  folder: string,
  { args = [], durable = false }: RedisWishes,
): readonly string[] {
  const where = ['--port', `${port}`, '--bind', '127.0.0.1', '--dir', folder];
  if (args[0] === '--sentinel') return args;
  const keeps = ['--save', '', '--appendonly', durable ? 'yes' : 'no'];
  return [...where, ...keeps, '--daemonize', 'no', ...args];
}
