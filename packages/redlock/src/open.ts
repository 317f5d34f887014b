import { type Backend, ConfigError, checkNamespace, type Host, type Runtime } from '@holdfast/core';
import {
  addressOfSource,
  openRedisNode,
  type RedisLibrary,
  type RedisSource,
  resolveAddress,
} from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { Redlock } from './backend.ts';
import { rejectDuplicateNodes, rejectResolvedDuplicates } from './duplicate-nodes.ts';
import { NAME } from './identity.ts';
import { NodeRegistry } from './node-registry.ts';
import { rejectReplicated } from './replicated.ts';

/** Fewer than three nodes, and the first that fails takes the service away. */
const NODES_MIN = 3;

/** Where the votes are kept; exactly one of `sources` and `nodes`, independent servers without replicas. */
export interface RedlockOptions {
  /** URLs, or clients of ioredis or node-redis, taken for their configuration; see `openRedisNode`. */
  readonly sources?: readonly RedisSource[] | undefined;
  /** Nodes that are open already; they stay their owner's to close. */
  readonly nodes?: readonly RedisNode[] | undefined;
  /** The first part of every stored name; default `holdfast`. Two namespaces are two worlds of locks. */
  readonly namespace?: string | undefined;
  /** For URLs: which client library. By default whichever is installed, ioredis first. */
  readonly library?: RedisLibrary | undefined;
  /** For `rediss://` URLs: options of `tls.connect`, for example `{ ca }`. */
  readonly tls?: object | undefined;
  /** true: fewer than three nodes will do, for a test or a migration. */
  readonly allowSmall?: boolean | undefined;
}

/**
 * Locks by a majority of independent Redis servers: Redlock
 * (https://redis.io/docs/latest/develop/clients/patterns/distributed-locks/), with the retry, undo and healing rules of
 * our own. A majority is ⌊n/2⌋ + 1, and cannot be chosen.
 * @throws ConfigError, InvalidOptionError: before anything connects, or because a node cannot keep locks
 */
export async function openRedlock(options: RedlockOptions, host: Host): Promise<Backend> {
  const { namespace = 'holdfast' } = options;
  checkNamespace(namespace, NAME);
  rejectQuorumOption(options);
  const { nodes, ownsNodes } = await nodesOf(options, host.runtime);
  const registry = new NodeRegistry(nodes, host, namespace);
  try {
    await registry.open();
  } catch (error) {
    if (ownsNodes) await Promise.all(nodes.map((node) => node.close()));
    throw error;
  }
  if (nodes.length % 2 === 0) warnEvenCount(nodes.length, host);
  return new Redlock({ nodes, ownsNodes, namespace, registry }, host);
}

/** Options of other libraries; with a smaller one two contenders may win at once. */
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
  const given = sources ?? nodes ?? [];
  if (!Array.isArray(given)) throw configError('needs a list of nodes');
  rejectTooFewNodes(given.length, allowSmall);
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

/** Before anything connects, as far as names tell. */
async function rejectDuplicateSources(sources: readonly RedisSource[]): Promise<void> {
  const addresses = sources.map(addressOfSource);
  rejectDuplicateNodes(addresses);
  rejectResolvedDuplicates(addresses, await Promise.all(addresses.map(resolveAddress)));
}

/** All, or none: what was opened before one that cannot be is closed again. */
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
