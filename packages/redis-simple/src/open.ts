import { InvalidOptionError } from '@holdfast/core';
import type { Backend, Host } from '@holdfast/core/backend';
import {
  checkReplicas,
  type OpenedNode,
  openSingleNode,
  PendingReleases,
  RedisBackend,
  redisMarks,
  type SingleNodeOptions,
  singleNodeHealth,
} from '@holdfast/redis';
import { SimpleAdopter } from './adopter.ts';
import { SimpleContender } from './contender.ts';
import { SimpleContenderForAll } from './contender-for-all.ts';
import { capabilities, NAME, RIGHTS } from './identity.ts';
import { forceRelease, heldKeys, inspect } from './operator.ts';
import { type Store, type StoredKeys, storedKeys } from './store.ts';

/** The node that keeps the locks, and how to reach it. */
export interface RedisSimpleOptions extends SingleNodeOptions {
  /**
   * The number of replicas that must have a grant or a renewal before it counts, from 1. Default: none, the reply of the
   * master counts. If all replicas must, a failover to any of them loses no lease, as long as clocks agree.
   */
  readonly waitReplicas?: number | undefined;
}

/**
 * Opens locks by `SET` with a ttl and small scripts on one Redis server: the pattern of
 * https://redis.io/docs/latest/commands/set, with a retry and undo rule and fencing tokens added. On a Redis Cluster, each
 * lock is kept by the master that owns its slot.
 * @throws ConfigError, InvalidOptionError: before anything connects, or because the node cannot keep locks
 */
export async function openRedisSimple(options: RedisSimpleOptions, host: Host): Promise<Backend> {
  const { waitReplicas } = options;
  checkWaitReplicas(waitReplicas);
  const opened = await openSingleNode(options, { backend: NAME, rights: RIGHTS }, host, {
    clusters: true,
  });
  try {
    if (waitReplicas !== undefined) await checkReplicas(opened.node, host, NAME, waitReplicas);
  } catch (error) {
    if (opened.ownsNode) await opened.node.close();
    throw error;
  }
  return redisSimple({ ...opened, waitReplicas }, host);
}

function checkWaitReplicas(value: number | undefined): void {
  if (value === undefined || (Number.isInteger(value) && value >= 1 && value <= 100)) return;
  throw new InvalidOptionError('waitReplicas must be a whole number from 1 to 100', {
    backend: NAME,
  });
}

/** Returns the backend over a node that is open. */
export function redisSimple(
  {
    node,
    ownsNode,
    namespace,
    evicts,
    waitReplicas,
  }: OpenedNode & Pick<RedisSimpleOptions, 'waitReplicas'>,
  host: Host,
): RedisBackend {
  const pendingReleases = new PendingReleases(host.runtime);
  const store: Store = { node, host, pendingReleases, waitReplicas };
  const keysOf = (key: string): StoredKeys => storedKeys(namespace, key);
  return new RedisBackend({
    name: NAME,
    capabilities,
    evicts,
    runtime: host.runtime,
    nodes: [node],
    ownsNodes: ownsNode,
    pendingReleases,
    marks: redisMarks(node, namespace, NAME),
    contend: ({ key, contender, ttlMs }) =>
      new SimpleContender(store, keysOf(key), contender, ttlMs),
    contendAll: ({ keys, contender, ttlMs }) => {
      const all = keys.map(keysOf);
      if (node.cluster?.sharesSlot(all.map(({ lock }) => lock)) === false) return undefined;
      return new SimpleContenderForAll(store, all, contender, ttlMs);
    },
    adopt: ({ key, contender, ttlMs, exported }) =>
      new SimpleAdopter(store, keysOf(key), { contender, ttlMs, exported }),
    inspect: (key) => inspect(store, keysOf(key)),
    forceRelease: (key) => forceRelease(store, keysOf(key)),
    heldKeys: () => heldKeys(store, namespace),
    health: () => singleNodeHealth(node, host),
  });
}
