import { ConfigError } from '@holdfast/core';
import { type Backend, checkNamespace, type Host, type Runtime } from '@holdfast/core/backend';
import {
  addressOfSource,
  openRedisNode,
  PendingReleases,
  RedisBackend,
  type RedisLibrary,
  type RedisSource,
  resolveAddress,
} from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { RedlockAdopter } from './adopter.ts';
import { capabilities, NAME, plainCapabilities } from './identity.ts';
import {
  rejectDuplicateNodes,
  rejectReplicated,
  rejectResolvedDuplicates,
} from './independent-nodes.ts';
import { NodeRegistry } from './node-registry.ts';
import { forceRelease, health, heldKeys, inspect } from './operator.ts';
import { RedlockContender } from './redlock.ts';
import { plainKeys, type Store, type StoredKeys, storedKeys } from './store.ts';
import { quorumOf } from './validity.ts';

/** With fewer than three nodes, the first failure makes the service unavailable. */
const NODES_MIN = 3;

/** The nodes that vote: exactly one of `sources` and `nodes`, independent servers without replicas. */
export interface RedlockOptions {
  /** URLs, or clients of ioredis, iovalkey or node-redis, used for their configuration; see `openRedisNode`. */
  readonly sources?: readonly RedisSource[] | undefined;
  /** Nodes that are already open. Their owner closes them. */
  readonly nodes?: readonly RedisNode[] | undefined;
  /** The first part of every stored name; default `holdfast`. Locks of two namespaces are independent. */
  readonly namespace?: string | undefined;
  /** The client library for URLs. Default: the installed one, ioredis first; `resp` if there is none. */
  readonly library?: RedisLibrary | undefined;
  /** For `rediss://` URLs: options of `tls.connect`, for example `{ ca }`. */
  readonly tls?: object | undefined;
  /**
   * `plain`: the vote of a node is the very key that the user names, with an opaque value, as redlock of npm, redsync and
   * others keep it: both exclude each other on the same list of nodes. Waiters poll, and nothing is handed over. Default `own`.
   */
  readonly layout?: 'own' | 'plain' | undefined;
  /** True if fewer than three nodes are permitted, for a test or a migration. */
  readonly allowSmall?: boolean | undefined;
}

/**
 * Opens locks by a majority of independent Redis servers: Redlock
 * (https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/), with rules for retry, undo and healing
 * added. A majority is ⌊n/2⌋ + 1, and cannot be chosen.
 * @example
 * ```ts
 * const host = createHost({ label: 'billing' });
 * const sources = ['redis://redis1', 'redis://redis2', 'redis://redis3'];
 * const locks = createLocks(await openRedlock({ sources }, host), host);
 * ```
 * @throws ConfigError, InvalidOptionError: before anything connects, or because a node cannot keep locks
 */
export async function openRedlock(options: RedlockOptions, host: Host): Promise<Backend> {
  const { namespace = 'holdfast', layout = 'own' } = options;
  if (layout !== 'own' && layout !== 'plain') throw configError('layout must be "own" or "plain"');
  checkNamespace(namespace, NAME);
  rejectQuorumOption(options);
  const { nodes, ownsNodes } = await nodesOf(options, host.runtime);
  const registry = new NodeRegistry(nodes, host, namespace);
  try {
    await registry.open(options.sources);
  } catch (error) {
    if (ownsNodes) await Promise.all(nodes.map((node) => node.close()));
    throw error;
  }
  if (nodes.length % 2 === 0) warnEvenCount(nodes.length, host);
  return redlock({ nodes, ownsNodes, namespace, registry, layout }, host);
}

/** The opened nodes of a backend. */
export interface OpenedNodes {
  readonly nodes: readonly RedisNode[];
  /** True if closing the backend closes the nodes. */
  readonly ownsNodes: boolean;
  readonly namespace: string;
  readonly registry: NodeRegistry;
  /** Default `own`. */
  readonly layout?: 'own' | 'plain';
}

/** Returns the backend over nodes that are open. */
export function redlock(
  { nodes, ownsNodes, namespace, registry, layout = 'own' }: OpenedNodes,
  host: Host,
): RedisBackend {
  const pendingReleases = new PendingReleases(host.runtime);
  const store: Store = { nodes, quorum: quorumOf(nodes.length), registry, host, pendingReleases };
  const isPlain = layout === 'plain';
  const keysOf = (key: string): StoredKeys =>
    isPlain ? plainKeys(namespace, key) : storedKeys(namespace, key);
  return new RedisBackend({
    name: NAME,
    capabilities: isPlain ? plainCapabilities : capabilities,
    evicts: registry.evicts,
    runtime: host.runtime,
    nodes,
    ownsNodes,
    pendingReleases,
    contend: ({ key, contender, ttlMs }) =>
      new RedlockContender(store, keysOf(key), contender, ttlMs),
    inspect: (key) => inspect(store, keysOf(key)),
    forceRelease: (key) => forceRelease(store, keysOf(key)),
    health: () => health(store),
    ...(!isPlain && {
      adopt: ({ key, contender, ttlMs, exported }) =>
        new RedlockAdopter(store, keysOf(key), { contender, ttlMs, exported }),
      heldKeys: () => heldKeys(store, namespace),
    }),
  });
}

/** Other libraries have this option; with a smaller quorum two contenders may win at once. */
function rejectQuorumOption(options: object): void {
  if (!('quorum' in options) || options.quorum === undefined) return;
  throw configError('the quorum cannot be chosen: only a majority shares a node with every other');
}

async function nodesOf(
  { sources, nodes, allowSmall, library, tls }: RedlockOptions,
  runtime: Runtime,
): Promise<{ nodes: readonly RedisNode[]; ownsNodes: boolean }> {
  if ((sources === undefined) === (nodes === undefined)) {
    throw configError('needs either sources (URLs or clients) or nodes');
  }
  const list = sources ?? nodes ?? [];
  if (!Array.isArray(list)) throw configError('needs a list of nodes');
  rejectTooFewNodes(list.length, allowSmall);
  if (nodes !== undefined) {
    rejectDuplicateNodes(nodes.map(({ address }) => address));
    return { nodes, ownsNodes: false };
  }
  const listed = sources ?? [];
  rejectReplicated(listed);
  await rejectDuplicateSources(listed);
  return { nodes: await openAll(listed, { runtime, library, tls }), ownsNodes: true };
}

function rejectTooFewNodes(count: number, allowSmall: boolean | undefined): void {
  if (count >= NODES_MIN || (count > 0 && allowSmall === true)) return;
  throw configError(
    `${count} ${count === 1 ? 'node is' : 'nodes are'} too few: with fewer than ${NODES_MIN} no node may fail; allowSmall: true permits it for a test`,
  );
}

/** Rejects duplicates before anything connects, as far as names show them. */
async function rejectDuplicateSources(sources: readonly RedisSource[]): Promise<void> {
  const addresses = await Promise.all(sources.map(addressOfSource));
  rejectDuplicateNodes(addresses);
  rejectResolvedDuplicates(addresses, await Promise.all(addresses.map(resolveAddress)));
}

/** Opens all nodes, or none: closes the opened ones if one cannot be opened. */
async function openAll(
  sources: readonly RedisSource[],
  options: Parameters<typeof openRedisNode>[1],
): Promise<readonly RedisNode[]> {
  const opened: RedisNode[] = [];
  try {
    for (const source of sources) opened.push(await openRedisNode(source, options));
    return opened;
  } catch (error) {
    await Promise.all(opened.map((node) => node.close()));
    throw error;
  }
}

function warnEvenCount(nodes: number, host: Host): void {
  const message = `${nodes} nodes survive no more failures than ${nodes - 1}, and one more of them can fail: use an odd number`;
  host.emit({ type: 'warning', backend: NAME, code: 'even-nodes', message });
}

function configError(why: string): ConfigError {
  return new ConfigError(`${NAME}: ${why}`, { backend: NAME });
}
