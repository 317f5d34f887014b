import { type Backend, ConfigError, checkNamespace, type Host, type Runtime } from '@holdfast/core';
import { checkNode, openRedisNode, type RedisLibrary, type RedisSource } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { RedisGetset } from './backend.ts';
import { NAME } from './identity.ts';

/** Where the locks are kept; exactly one of `source` and `node`. */
export interface RedisGetsetOptions {
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
  /** Whether a release looks at its own stamp first and leaves the key alone once that is past, as the recipe advises. Default false. */
  readonly checkAge?: boolean | undefined;
}

const WARNING =
  'the legacy SETNX and GETSET recipe is safe only while the wall clocks of all clients agree and no release is late; it is kept to be shown';

/**
 * The locking pattern of https://redis.io/docs/latest/commands/setnx as it was written: stamps of the clients' wall
 * clocks, taken over by GETSET, given back by DEL. Its flaws are the point; opening it emits a `warning` event.
 * @throws ConfigError, InvalidOptionError: before anything connects, or because the node cannot keep locks
 */
export async function openRedisGetset(options: RedisGetsetOptions, host: Host): Promise<Backend> {
  const { namespace = 'holdfast', checkAge = false } = options;
  checkNamespace(namespace, NAME);
  const { node, ownsNode } = await nodeOf(options, host.runtime);
  try {
    await checkNode(node, host, NAME);
  } catch (error) {
    if (ownsNode) await node.close();
    throw error;
  }
  host.emit({ type: 'warning', backend: NAME, code: 'legacy-recipe', message: WARNING });
  return new RedisGetset({ node, ownsNode, namespace, checkAge }, host);
}

async function nodeOf(
  { source, node, library, tls }: RedisGetsetOptions,
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
