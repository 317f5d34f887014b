import { systemRuntime } from '@holdfast/core/backend';
import { vi } from 'vitest';
import { Proxy, RedisServer } from '../../../../harness/test/kit/real-servers.ts';
import { type OpenRedisNodeOptions, openRedisNode, type RedisSource } from '../../src/index.ts';
import type { RedisNode, Reply, Undo } from '../../src/port.ts';

/** Those whose clients a caller may hand in. */
export const CLIENT_LIBRARIES = ['ioredis', 'iovalkey', 'redis'] as const;
/** And our own connection, which needs none. */
export const LIBRARIES = [...CLIENT_LIBRARIES, 'resp'] as const;

/** Removes the key if it still holds the value: the undo of `SET key value`. */
const UNDO_SET =
  "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

export const runtime = systemRuntime();

export function inMs(ms: number): number {
  return runtime.now().monotonicMs + ms;
}

export function undoOfSet(key: string, value: string, options: Partial<Undo> = {}): Undo {
  return { args: ['EVAL', UNDO_SET, '1', key, value], keepUntilMs: inMs(60_000), ...options };
}

/** A real server, a proxy in front of it, nodes through either, all closed when the test is over. */
export class World {
  readonly server: RedisServer;
  readonly proxy: Proxy;
  readonly #nodes: RedisNode[] = [];
  readonly #expects: 'standalone' | 'any';
  #observer: RedisNode | undefined;

  private constructor(server: RedisServer, proxy: Proxy, expects: 'standalone' | 'any') {
    this.server = server;
    this.proxy = proxy;
    this.#expects = expects;
  }

  static async start(options: Parameters<typeof RedisServer.start>[0] = {}): Promise<World> {
    const server = await RedisServer.start(options);
    const isAlone = options.args?.includes('--cluster-enabled') === true;
    return new World(server, await Proxy.start(server.port), isAlone ? 'any' : 'standalone');
  }

  /** Opens a node, by default through the proxy. */
  async open(
    options: Partial<OpenRedisNodeOptions> & { readonly source?: RedisSource } = {},
  ): Promise<RedisNode> {
    const { source = this.proxy.url, ...rest } = options;
    const node = await openRedisNode(source, { runtime, expects: this.#expects, ...rest });
    this.#nodes.push(node);
    return node;
  }

  /** Asks the server itself, past the proxy. */
  async ask(...args: string[]): Promise<Reply> {
    this.#observer ??= await this.open({ source: this.server.url, library: 'ioredis' });
    return this.#observer.command(args, { deadlineMs: inMs(5_000) });
  }

  /** Waits until the server itself shows the key with this value. */
  async untilHolds(key: string, value: string | null): Promise<void> {
    await vi.waitUntil(async () => (await this.ask('GET', key)) === value, { timeout: 5_000 });
  }

  async close(): Promise<void> {
    this.server.resume();
    this.proxy.heal({ drop: true });
    await Promise.all(this.#nodes.map((node) => node.close()));
    await this.proxy.close();
    await this.server.close();
  }
}

/** Returns the error with which the promise rejected; throws if it did not. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ('error' in outcome) return outcome.error;
  throw new Error(`resolved to ${JSON.stringify(outcome.value)}`);
}

/** As {@link failureOf}, of one class. */
export async function failure<E>(
  promise: Promise<unknown>,
  kind: abstract new (...args: never[]) => E,
): Promise<E> {
  const error = await failureOf(promise);
  if (error instanceof kind) return error;
  throw new Error(`rejected with ${String(error)} instead of ${kind.name}`, { cause: error });
}
