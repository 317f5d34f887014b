import { ConfigError } from '@holdfast/core';
import { checkNamespace, type Host, type Runtime } from '@holdfast/core/backend';
import type { RedisLibrary } from '../adapters/load.ts';
import { openRedisNode, type RedisSource } from '../open.ts';
import type { RedisNode } from '../port.ts';
import type { SentinelOptions } from '../sentinel/sentinel-options.ts';
import type { LateCheck } from './late-check.ts';
import { checkStore, rejectCluster } from './node-check.ts';
import type { Rights } from './rights.ts';

/** Options of a recipe on one node; exactly one of `source` and `node`. */
export interface SingleNodeOptions extends SentinelOptions {
  /** A URL, or a client of ioredis, iovalkey or node-redis, used for its configuration; see `openRedisNode`. */
  readonly source?: RedisSource | undefined;
  /** A node that is already open. Its owner closes it. */
  readonly node?: RedisNode | undefined;
  /** The first part of every stored name; default `holdfast`. Locks of two namespaces are independent. */
  readonly namespace?: string | undefined;
  /** The client library for a URL. Default: the installed one, ioredis first; `resp` if there is none. */
  readonly library?: RedisLibrary | undefined;
  /** For a `rediss://` URL: options of `tls.connect`, for example `{ ca }`. */
  readonly tls?: object | undefined;
}

/** The node that a recipe is opened on. */
export interface OpenedNode {
  /** Checked, unless it could not be reached. */
  readonly node: RedisNode;
  /** True if the backend closes the node. */
  readonly ownsNode: boolean;
  /** The first part of every stored name. */
  readonly namespace: string;
  /** See `Backend.evicts`. */
  readonly evicts?: string | false;
  /** Present if the node could not be checked yet. */
  readonly lateCheck?: LateCheck | undefined;
}

export interface OpeningOptions {
  readonly backend: string;
  readonly rights: Rights;
  /** True if the node may be a cluster. */
  readonly clusters?: boolean;
  /** Checks more, once the node has passed. @throws ConfigError */
  readonly more?: ((node: RedisNode) => Promise<void>) | undefined;
}

/**
 * Opens the node of `backend` and checks it once, and the rights of its user if it is opened from a source; closes it
 * again if it cannot keep locks. What could not be checked, because the node was down, is made up as soon as it is up.
 * @example
 * ```ts
 * const rights: Rights = { scripted: ['get', 'set', 'del'] };
 * const source = 'redis://localhost';
 * const opened = await openSingleNode({ source }, { backend: 'my-lock', rights }, host);
 * log(opened.node.address, opened.namespace); // localhost:6379 holdfast
 * ```
 * @throws ConfigError, InvalidOptionError: before anything connects, or because the node cannot keep locks
 */
export async function openSingleNode(
  options: SingleNodeOptions,
  { backend, rights, clusters = false, more }: OpeningOptions,
  host: Host,
): Promise<OpenedNode> {
  const { namespace = 'holdfast', source, ...rest } = options;
  checkNamespace(namespace, backend);
  const { node, ownsNode } = await nodeOf(options, backend, host.runtime);
  try {
    const own =
      ownsNode && source !== undefined ? { source, options: rest, rights, namespace } : undefined;
    if (!clusters) rejectCluster(node, backend);
    const { evicts, isComplete } = await checkStore(node, host, { backend, own });
    const opened = { node, ownsNode, namespace, evicts };
    if (isComplete || own === undefined) {
      await more?.(node);
      return opened;
    }
    const { LateCheck } = await import('./late-check.ts');
    const lateCheck = new LateCheck({ node, host, backend, own, more });
    lateCheck.start();
    return { ...opened, lateCheck };
  } catch (error) {
    if (ownsNode) await node.close();
    throw error;
  }
}

async function nodeOf(
  { source, node, ...options }: SingleNodeOptions,
  backend: string,
  runtime: Runtime,
): Promise<Pick<OpenedNode, 'node' | 'ownsNode'>> {
  if (node !== undefined && source === undefined) return { node, ownsNode: false };
  if (node === undefined && source !== undefined) {
    return { node: await openRedisNode(source, { ...options, runtime }), ownsNode: true };
  }
  throw new ConfigError(`${backend} needs either a source (a URL or a client) or a node`, {
    backend,
  });
}
