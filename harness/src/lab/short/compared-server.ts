import { BackendUnavailableError } from '@holdfast/core';
import { systemRuntime } from '@holdfast/core/backend';
import { describeNode, openRedisNode } from '@holdfast/redis';
import {
  type Config,
  isRedisSimple,
  isRedlock,
  isZk,
  type ResolvedConfig,
  resolveSource,
} from 'holdfast/internal';
import { isOneRedis } from '../own/own-lab.ts';
import { sweepNodes } from '../own/own-redis.ts';
import type { OwnSource } from '../own/own-source.ts';
import { sweep, zooKeeperAt } from '../own/own-zookeeper.ts';

/** A server or ensemble to compare on: started by us, or the user's. */
export interface ComparedServer {
  readonly kind: 'local' | 'own';
  /** A URL, or the path of a configuration file, which every process opens itself. */
  readonly source: string;
  /** The name of a store in that file. */
  readonly store?: string | undefined;
  readonly resolved: ResolvedConfig;
  /** A description for people, without credentials. */
  readonly description: string;
  /** Removes everything in one of our namespaces; absent if the store is unknown, or is ours. */
  readonly removeNamespace?: ((namespace: string) => Promise<void>) | undefined;
  close(): Promise<void>;
}

const REPLY_MS = 3_000;

/**
 * Resolves the server that a URL or configuration file names.
 * @throws ConfigError; BackendUnavailableError if it does not reply
 */
export async function ownServer({ source, store }: OwnSource): Promise<ComparedServer> {
  const resolved = await resolveSource(source, { store });
  const { config } = resolved;
  return {
    kind: 'own',
    source,
    store,
    resolved,
    description: await description(resolved),
    removeNamespace: namespaceRemoverOf(config),
    close: () => Promise.resolve(),
  };
}

function namespaceRemoverOf(config: Config): ComparedServer['removeNamespace'] {
  if (isZk(config)) return (namespace) => sweep(config, namespace);
  if (isRedlock(config)) return (namespace) => sweepNodes(config.nodes, config.tls, namespace);
  if (!isOneRedis(config)) return undefined;
  const { url, client, shareClient, tls } = config;
  const source =
    client === undefined || shareClient === undefined ? (url ?? client) : { client, shareClient };
  if (source === undefined) return undefined;
  return (namespace) => sweepNodes([source], tls, namespace);
}

/** Sends it one request, so that a server that is down is noticed now, and not by every process. */
async function description({ config }: ResolvedConfig): Promise<string> {
  if (isZk(config)) return await zooKeeperAt(config);
  const { backend } = config;
  const url = isRedisSimple(config) ? config.url : undefined;
  if (url === undefined) return `backend ${backend}`;
  const runtime = systemRuntime();
  const node = await openRedisNode(url, { runtime });
  try {
    const deadlineMs = runtime.now().monotonicMs + REPLY_MS;
    const { product, version } = await describeNode(node, { deadlineMs });
    return `${product} ${version ?? ''} at ${node.address}`;
  } catch (cause) {
    throw new BackendUnavailableError(`${node.address} does not reply: ${messageOf(cause)}`, {
      backend,
      cause,
    });
  } finally {
    await node.close();
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
