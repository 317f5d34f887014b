import { ConfigError } from '@holdfast/core';
import { checkNamespace, type Host, type Runtime } from '@holdfast/core/backend';
import type { RedisLibrary } from '../adapters/load.ts';
import { describeNode, type NodeDescription, requireMaster, warningsOf } from '../describe.ts';
import { openRedisNode, type RedisSource } from '../open.ts';
import { type ClusterView, NodeReplyError, type RedisNode } from '../port.ts';
import { classifyReply } from '../replies.ts';
import type { SentinelOptions } from '../sentinel/sentinel-options.ts';
import type { ServerKind } from '../server-kind.ts';
import { operatorCallOptions } from './operator.ts';

/** Options of a recipe on one node; exactly one of `source` and `node`. */
export interface SingleNodeOptions extends SentinelOptions {
  /** A URL, or a client of ioredis, iovalkey or node-redis, used for its configuration; see `openRedisNode`. */
  readonly source?: RedisSource | undefined;
  /** A node that is already open. Its owner closes it. */
  readonly node?: RedisNode | undefined;
  /** The first part of every stored name; default `holdfast`. Locks of two namespaces are independent. */
  readonly namespace?: string | undefined;
  /** The client library for a URL. Default: the installed one, ioredis first. */
  readonly library?: RedisLibrary | undefined;
  /** For a `rediss://` URL: options of `tls.connect`, for example `{ ca }`. */
  readonly tls?: object | undefined;
}

/** The nodes that a recipe is opened on. */
export interface OpenedNode {
  readonly node: RedisNode;
  /** True if the backend closes the node. */
  readonly ownsNode: boolean;
  readonly namespace: string;
}

/**
 * Opens the node of `backend` and checks it once; closes it again if it cannot keep locks.
 * @throws ConfigError, InvalidOptionError: before anything connects, or because the node cannot keep locks
 */
export async function openSingleNode(
  options: SingleNodeOptions,
  backend: string,
  host: Host,
  { clusters = false }: { readonly clusters?: boolean } = {},
): Promise<OpenedNode> {
  const { namespace = 'holdfast' } = options;
  checkNamespace(namespace, backend);
  const { node, ownsNode } = await nodeOf(options, backend, host.runtime);
  try {
    if (clusters && node.cluster !== undefined)
      await checkCluster(node, node.cluster, host, backend);
    else await checkNode(node, host, backend);
  } catch (error) {
    if (ownsNode) await node.close();
    throw error;
  }
  return { node, ownsNode, namespace };
}

async function nodeOf(
  { source, node, ...options }: SingleNodeOptions,
  backend: string,
  runtime: Runtime,
): Promise<Omit<OpenedNode, 'namespace'>> {
  if (node !== undefined && source === undefined) return { node, ownsNode: false };
  if (node === undefined && source !== undefined) {
    return { node: await openRedisNode(source, { ...options, runtime }), ownsNode: true };
  }
  throw new ConfigError(`${backend} needs either a source (a URL or a client) or a node`, {
    backend,
  });
}

/**
 * Checks a node once, when `backend` is opened on it. Opening succeeds even if the node cannot be reached: a service
 * may start before its Redis does, and every attempt will report it. The backend only warns, since it does not check
 * that node again. Returns what the node reports about itself, undefined if it was not reached.
 * @throws ConfigError if the node cannot keep locks, or refuses access
 */
export async function checkNode(
  node: RedisNode,
  host: Host,
  backend: string,
): Promise<NodeDescription | undefined> {
  if (node.cluster !== undefined)
    throw new ConfigError(`${backend} needs standalone servers, and ${node.address} is a cluster`, {
      backend,
    });
  return await checkServer(node, host, backend, 'standalone');
}

/** Checks the addresses of a cluster, and then each master as one node. */
async function checkCluster(
  node: RedisNode,
  cluster: ClusterView,
  host: Host,
  backend: string,
): Promise<void> {
  const reached = async (): Promise<readonly RedisNode[]> => {
    const options = operatorCallOptions(host);
    await cluster.check(options);
    return await cluster.masters(options);
  };
  const masters = await unlessUnreachable(reached(), node, host, backend);
  await Promise.all((masters ?? []).map((master) => checkServer(master, host, backend, 'cluster')));
}

async function checkServer(
  node: RedisNode,
  host: Host,
  backend: string,
  kind: ServerKind,
): Promise<NodeDescription | undefined> {
  const description = await unlessUnreachable(
    describeNode(node, operatorCallOptions(host)),
    node,
    host,
    backend,
  );
  if (description === undefined) return undefined;
  requireMaster(description, node.address, kind);
  for (const { code, message } of warningsOf(description, node.address)) {
    host.emit({ type: 'warning', backend, code, message });
  }
  return description;
}

/** Resolves with undefined, and warns, if no reply came. @throws ConfigError for a refusal, or a server of another kind */
async function unlessUnreachable<T>(
  reply: Promise<T>,
  node: RedisNode,
  host: Host,
  backend: string,
): Promise<T | undefined> {
  try {
    return await reply;
  } catch (cause) {
    // The node found by itself that its configuration is wrong: sentinels, for example, that know no such master.
    const wrong =
      cause instanceof Error && cause.cause instanceof ConfigError ? cause.cause : cause;
    if (wrong instanceof ConfigError)
      throw new ConfigError(`${backend}: ${wrong.message}`, { backend, cause });
    const refusal = refusalIn(cause);
    if (refusal !== undefined) {
      const message = `${backend}: ${node.address} refused access: ${refusal.message}`;
      throw new ConfigError(message, { backend, cause });
    }
    const message = `${node.address} did not report its version, role and eviction policy`;
    host.emit({ type: 'warning', backend, code: 'unchecked-node', message, cause });
    return undefined;
  }
}

/** Finds a refusal of the log-in: a wrong password stays wrong, unlike a server that is down. */
function refusalIn(cause: unknown): NodeReplyError | undefined {
  const reply =
    cause instanceof Error && cause.cause instanceof NodeReplyError ? cause.cause : cause;
  const isRefusal = reply instanceof NodeReplyError && classifyReply(reply) === 'refused';
  return isRefusal ? reply : undefined;
}
