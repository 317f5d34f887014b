import type { Backend, Host } from '@holdfast/core/backend';
import {
  keyPrefix,
  type OpenedNode,
  openSingleNode,
  RedisBackend,
  type SingleNodeOptions,
  singleNodeHealth,
} from '@holdfast/redis';
import { GetsetContender } from './contender.ts';
import { capabilities, NAME, RIGHTS } from './identity.ts';
import { forceRelease, heldKeys, inspect } from './operator.ts';
import { LOCK, type Store, type StoredKey } from './store.ts';

/** The node that keeps the locks, and how to reach it. */
export interface RedisGetsetOptions extends SingleNodeOptions {
  /** True if a release first reads its own stamp and leaves the key alone once that is past, as the recipe advises. Default false. */
  readonly checkAge?: boolean | undefined;
}

const WARNING =
  'the legacy SETNX and GETSET recipe is safe only while the wall clocks of all clients agree and no release is late; it is kept to be shown';

/**
 * Opens the locking pattern of https://redis.io/docs/latest/commands/setnx as it was written: stamps of the clients'
 * wall clocks, taken over by GETSET, released by DEL. Its flaws are the point; opening it emits a `warning` event.
 * @example
 * ```ts
 * const host = createHost({ label: 'billing' });
 * const backend = await openRedisGetset({ source: 'redis://localhost' }, host);
 * const locks = createLocks(backend, host);
 * ```
 * @throws ConfigError, InvalidOptionError: before anything connects, or because the node cannot keep locks
 */
export async function openRedisGetset(options: RedisGetsetOptions, host: Host): Promise<Backend> {
  const opened = await openSingleNode(options, { backend: NAME, rights: RIGHTS }, host);
  host.emit({ type: 'warning', backend: NAME, code: 'legacy-recipe', message: WARNING });
  return redisGetset({ ...opened, checkAge: options.checkAge ?? false }, host);
}

/** Returns the backend over a node that is open. */
export function redisGetset(
  { node, ownsNode, namespace, evicts, lateCheck, checkAge }: OpenedNode & Pick<Store, 'checkAge'>,
  host: Host,
): RedisBackend {
  const store: Store = { node, host, checkAge };
  // The name that redis-simple uses too: each reads the other's value as foreign, so a swap locks nothing twice.
  const storedKey = (key: string): StoredKey => ({
    key,
    lock: `${keyPrefix(namespace, key)}${LOCK}`,
  });
  return new RedisBackend({
    name: NAME,
    capabilities,
    evicts,
    lateCheck,
    runtime: host.runtime,
    nodes: [node],
    ownsNodes: ownsNode,
    contend: ({ key, ttlMs }) => new GetsetContender(store, storedKey(key), ttlMs),
    inspect: (key) => inspect(store, storedKey(key)),
    forceRelease: (key) => forceRelease(store, storedKey(key)),
    heldKeys: () => heldKeys(store, namespace),
    health: () => singleNodeHealth(node, host),
  });
}
