import type { Attempt, Backend, Contender, Grant, Host, LockEvent } from '@holdfast/core';
import { systemRuntime } from '@holdfast/core';
import { openRedisSimple, type RedisSimpleOptions } from '@holdfast/redis-simple';
import { Redis } from 'ioredis';
import { RedisServer } from '../../harness/src/servers/redis/real/redis-server.ts';

/** Longer than any test; what is gone sooner was not gone by its ttl. */
export const LONG_MS = 600_000;

/** A real server, a client of our own to look at it with, and backends on it. */
export class World {
  readonly server: RedisServer;
  /** Looks at, and meddles with, what is stored. */
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

  /** The commands that the server executes from now on, in order, as somebody else sees them. */
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

export const lockOf = (key: string): string => `holdfast:v1:{${key}}:lock`;
export const fenceOf = (key: string): string => `holdfast:v1:{${key}}:fence`;

/** A grant as this backend makes it. */
export type Held = Required<Grant> & { readonly fencingToken: bigint };

const runtime = systemRuntime();
/** Far longer than anything here takes on a busy machine, and shorter than a test may. */
const UNTIL_MS_MAX = 20_000;

export function contend(backend: Backend, key: string, ttlMs = 30_000): Contender {
  return backend.contend({ key, contender: runtime.randomId(), ttlMs });
}

/** One attempt that may take as long as the backend lets it. */
export function attempt(contender: Contender): Promise<Attempt> {
  return contender.attempt(Number.MAX_SAFE_INTEGER);
}

/** Tries until it wins. */
export async function won(contender: Contender): Promise<Held> {
  const from = runtime.now();
  for (;;) {
    const outcome = await attempt(contender);
    if (outcome.kind === 'granted') return outcome.grant as Held;
    if (outcome.kind === 'refused') throw outcome.error;
    if (runtime.elapsedMs(from) > UNTIL_MS_MAX) throw new Error(`not granted: ${outcome.kind}`);
    // As little as it takes for timers, sockets and this test's limit to have their turn.
    await new Promise((again) => setTimeout(again));
  }
}

export async function take(backend: Backend, key: string, ttlMs?: number): Promise<Held> {
  return await won(contend(backend, key, ttlMs));
}

/** Looks again and again until `happened`. */
export async function until(happened: () => Promise<boolean>): Promise<void> {
  const from = runtime.now();
  while (!(await happened())) {
    if (runtime.elapsedMs(from) > UNTIL_MS_MAX)
      throw new Error(`it did not happen: ${String(happened)}`);
    await new Promise((look) => setTimeout(look, 5));
  }
}
