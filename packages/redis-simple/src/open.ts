import { type Backend, ConfigError, checkNamespace, type Host, type Runtime } from '@holdfast/core';
import { checkNode, openRedisNode, type RedisLibrary, type RedisSource } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { RedisSimple } from './backend.ts';
import { NAME } from './identity.ts';

/** Where the locks are kept; exactly one of `source` and `node`. */
export interface RedisSimpleOptions {
  /** A URL, or a client of ioredis or node-redis, taken for its configuration; see `openRedisNode`. */
  readonly source?: RedisSource | undefined;
  /** A node that is open already; it stays its owner's to close. */
  readonly node?: RedisNode | undefined;
  /** The first part of every stored name; default `holdfast`. Two namespaces are two worlds of locks. */
  readonly namespace?: string | undefined;
  /** For a URL: which client library. By default whichever is installed, ioredis first. */
  readonly library?: RedisLibrary | undefined;
  /** For a `rediss://` URL: options of `tls.connect`, for example `{ ca }`. */
  readonly tls?: object | undefined;
}

/**
 * Locks by `SET` with a ttl and small scripts on one Redis server: the pattern of
 * https://redis.io/docs/latest/commands/set, with the retry and undo rule and fencing tokens of our own.
 * @throws ConfigError, InvalidOptionError: before anything connects, or because the node cannot keep locks
 */
export async function openRedisSimple(options: RedisSimpleOptions, host: Host): Promise<Backend> {
  const { namespace = 'holdfast' } = options;
  checkNamespace(namespace, NAME);
  const { node, ownsNode } = await nodeOf(options, host.runtime);
  try {
    await checkNode(node, host, NAME);
  } catch (error) {
    if (ownsNode) await node.close();
    throw error;
  }
  return new RedisSimple({ node, ownsNode, namespace }, host);
}

async function nodeOf(
  { source, node, library, tls }: RedisSimpleOptions,
  runtime: Runtime,
): Promise<{ node: RedisNode; ownsNode: boolean }> {
  if (node !== undefined && source === undefined) return { node, ownsNode: false };
  if (node === undefined && source !== undefined) {
    return { node: await openRedisNode(source, { runtime, library, tls }), ownsNode: true };
  }
  throw new ConfigError(`${NAME} needs either a source (a URL or a client) or a node`, {
    backend: NAME,
  });
}
