import { type Locks } from '@holdfast/core';
import { createHost, createLocks, systemRuntime } from '@holdfast/core/backend';
import { openRedisNode, type RedisLibrary } from '@holdfast/redis';
import type { CallOptions, RedisNode, Reply, Script } from '@holdfast/redis/port';
import { openRedisSimple } from '@holdfast/redis-simple';
import { openZk, type ZooKeeperSession } from '@holdfast/zk';
import type { ZkConfig } from 'holdfast/internal';
import { sessionsOf } from '../own/own-zookeeper.ts';

/** A node that counts its calls. */
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

/**
 * Counts the calls to the node for one uncontended acquisition and its release, with scripts cached and connections
 * open.
 */
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

/** Counts one acquisition and its release, by reading `calls` before, between and after. */
async function counted(locks: Locks, calls: () => number): Promise<RoundTrips> {
  await locks.use('round-trips', () => {});
  const before = calls();
  const lease = await locks.acquire('round-trips');
  const between = calls();
  await lease.release();
  return { acquire: between - before, release: calls() - between };
}

/** The methods that send a request and wait for its reply. */
const REQUESTS: ReadonlySet<PropertyKey> = new Set<keyof ZooKeeperSession>([
  'create',
  'existsWatch',
  'read',
  'list',
  'setData',
  'delete',
  'sync',
]);

/**
 * Counts the requests for one uncontended acquisition and its release, once its container exists. Pings are not
 * counted.
 */
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

/** Wraps a session, and calls `called` with the name of each method before it runs. */
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
