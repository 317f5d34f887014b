import { createHost, createLocks, type Locks } from '@holdfast/core';
import { openRedisNode, type RedisLibrary } from '@holdfast/redis';
import type { CallOptions, RedisNode, Reply, Script } from '@holdfast/redis/port';
import { openRedisSimple } from '@holdfast/redis-simple';

/** A node that counts what is asked of it. */
class CountingNode implements RedisNode {
  readonly address: string;
  readonly #node: RedisNode;
  calls = 0;

  constructor(node: RedisNode) {
    this.#node = node;
    this.address = node.address;
  }

  command(args: readonly string[], options: CallOptions): Promise<Reply> {
    this.calls++;
    return this.#node.command(args, options);
  }

  script(
    script: Script,
    keys: readonly string[],
    args: readonly string[],
    options: CallOptions,
  ): Promise<Reply> {
    this.calls++;
    return this.#node.script(script, keys, args, options);
  }

  subscribe(...args: Parameters<RedisNode['subscribe']>): ReturnType<RedisNode['subscribe']> {
    this.calls++;
    return this.#node.subscribe(...args);
  }

  close(): Promise<void> {
    return this.#node.close();
  }
}

export interface RoundTrips {
  readonly acquire: number;
  readonly release: number;
}

/** Calls to the node for one uncontended acquisition and its release, once scripts are cached and connections stand. */
export async function redisRoundTrips(
  url: string,
  library: RedisLibrary | undefined,
  namespace: string,
): Promise<RoundTrips> {
  const host = createHost({ label: 'compare' });
  const node = new CountingNode(await openRedisNode(url, { runtime: host.runtime, library }));
  const locks = createLocks(await openRedisSimple({ node, namespace }, host), host);
  try {
    return await counted(locks, () => node.calls);
  } finally {
    await locks.close();
    await node.close();
  }
}

/** One acquisition and its release, by what `calls` says before, between and after. */
export async function counted(locks: Locks, calls: () => number): Promise<RoundTrips> {
  await locks.use('round-trips', () => {});
  const before = calls();
  const lease = await locks.acquire('round-trips');
  const between = calls();
  await lease.release();
  return { acquire: between - before, release: calls() - between };
}
