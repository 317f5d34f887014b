import type { Backend, Host } from '@holdfast/core/backend';
import {
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
import { capabilities, NAME } from './identity.ts';
import { forceRelease, heldKeys, inspect } from './operator.ts';
import { type Store, type StoredKeys, storedKeys } from './store.ts';

/** The node that keeps the locks, and how to reach it. */
export type RedisSimpleOptions = SingleNodeOptions;

/**
 * Opens locks by `SET` with a ttl and small scripts on one Redis server: the pattern of
 * https://redis.io/docs/latest/commands/set, with a retry and undo rule and fencing tokens added.
 * @throws ConfigError, InvalidOptionError: before anything connects, or because the node cannot keep locks
 */
export async function openRedisSimple(options: RedisSimpleOptions, host: Host): Promise<Backend> {
  return redisSimple(await openSingleNode(options, NAME, host), host);
}

/** Returns the backend over a node that is open. */
export function redisSimple({ node, ownsNode, namespace }: OpenedNode, host: Host): RedisBackend {
  const store: Store = { node, host, pendingReleases: new PendingReleases(host.runtime) };
  const keysOf = (key: string): StoredKeys => storedKeys(namespace, key);
  return new RedisBackend({
    name: NAME,
    capabilities,
    runtime: host.runtime,
    nodes: [node],
    ownsNodes: ownsNode,
    pendingReleases: store.pendingReleases,
    marks: redisMarks(node, namespace, NAME),
    contend: ({ key, contender, ttlMs }) =>
      new SimpleContender(store, keysOf(key), contender, ttlMs),
    contendAll: ({ keys, contender, ttlMs }) =>
      new SimpleContenderForAll(store, keys.map(keysOf), contender, ttlMs),
    adopt: ({ key, contender, ttlMs, exported }) =>
      new SimpleAdopter(store, keysOf(key), { contender, ttlMs, exported }),
    inspect: (key) => inspect(store, keysOf(key)),
    forceRelease: (key) => forceRelease(store, keysOf(key)),
    heldKeys: () => heldKeys(store, namespace),
    health: () => singleNodeHealth(node, host),
  });
}
