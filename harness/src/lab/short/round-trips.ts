import { createHost, createLocks, type Locks, systemRuntime } from '@holdfast/core';
import { openRedisNode, type RedisLibrary } from '@holdfast/redis';
import type { CallOptions, RedisNode, Reply, Script } from '@holdfast/redis/port';
import { openRedisSimple } from '@holdfast/redis-simple';
import { openZk, type ZooKeeperSession } from '@holdfast/zk';
import type { ZkConfig } from 'holdfast/internal';
import { sessionsOf } from '../own/own-zookeeper.ts';

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

/** What sends a request, and waits for its answer. */
const REQUESTS: ReadonlySet<PropertyKey> = new Set<keyof ZooKeeperSession>([
  'create',
  'existsWatch',
  'read',
  'list',
  'setData',
  'delete',
  'sync',
]);

/** Requests for one uncontended acquisition and its release on a warm container; pings do not wait for each other. */
export async function zkRoundTrips(config: ZkConfig, namespace: string): Promise<RoundTrips> {
  const runtime = systemRuntime();
  const host = createHost({ label: 'compare', runtime });
  const open = sessionsOf(config, runtime);
  let calls = 0;
  const counting = (session: ZooKeeperSession): ZooKeeperSession =>
    observed(session, (name) => void (calls += REQUESTS.has(name) ? 1 : 0));
  const backend = await openZk(
    { open: async (deadlineMs) => counting(await open(deadlineMs)), namespace },
    host,
  );
  const locks = createLocks(backend, host);
  try {
    return await counted(locks, () => calls);
  } finally {
    await locks.close();
  }
}

/** The same session, and `called` hears of each method when it is called. */
function observed(
  session: ZooKeeperSession,
  called: (name: PropertyKey) => void,
): ZooKeeperSession {
  return new Proxy(session, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]): unknown => {
        called(name);
        return Reflect.apply(value, target, args);
      };
    },
  });
}
