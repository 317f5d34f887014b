import { BackendUnavailableError, systemRuntime } from '@holdfast/core';
import { describeNode, openRedisNode } from '@holdfast/redis';
import type { Config } from 'holdfast/internal';
import {
  isRedisSimple,
  isRedlock,
  isZk,
  type ResolvedConfig,
  resolveSource,
} from 'holdfast/internal';
import {
  findZooKeeper,
  RedisServer,
  redisServerVersion,
  ZooKeeperEnsemble,
} from '../../plant/index.ts';
import { isOneRedis } from '../own/own-lab.ts';
import { sweepNodes } from '../own/own-redis.ts';
import { zooKeeperAt } from '../own/zookeeper-at.ts';
import { sweep } from '../own/zookeeper-sweep.ts';

/** A server to compare on, or an ensemble: of our own, or the user's. */
export interface ComparedServer {
  readonly kind: 'local' | 'own';
  /** A URL, or the path of a configuration file: what every process opens by itself. */
  readonly source: string;
  readonly resolved: ResolvedConfig;
  /** For people, without credentials. */
  readonly description: string;
  /** Removes all that a namespace of ours left behind; absent where nothing is known of the store, or it is ours. */
  readonly removeNamespace?: ((namespace: string) => Promise<void>) | undefined;
  close(): Promise<void>;
}

/** A redis-server on loopback, empty, gone afterwards. */
export async function startLocalRedis(): Promise<ComparedServer> {
  const server = await RedisServer.start();
  return {
    kind: 'local',
    source: server.url,
    resolved: await resolveSource(server.url),
    description: `redis-server ${redisServerVersion() ?? ''} on loopback`,
    close: () => server.close(),
  };
}

/** An ensemble of three on loopback, empty, gone afterwards. */
export async function startLocalZooKeeper(): Promise<ComparedServer> {
  const ensemble = await ZooKeeperEnsemble.start();
  const { version = '' } = findZooKeeper() ?? {};
  return {
    kind: 'local',
    source: ensemble.url,
    resolved: await resolveSource(ensemble.url),
    description: `three ZooKeeper servers ${version} on loopback`,
    close: () => ensemble.close(),
  };
}

const ANSWER_MS = 3_000;

/**
 * The server that a URL or configuration file names.
 * @throws ConfigError; BackendUnavailableError where it does not answer
 */
export async function ownServer(source: string): Promise<ComparedServer> {
  const resolved = await resolveSource(source);
  const { config } = resolved;
  return {
    kind: 'own',
    source,
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
  const { url, client, asIs, tls } = config;
  const source = client === undefined || asIs === undefined ? (url ?? client) : { client, asIs };
  if (source === undefined) return undefined;
  return (namespace) => sweepNodes([source], tls, namespace);
}

/** Asks it once: a server that is down is better noticed now than by every process for itself. */
async function description({ config }: ResolvedConfig): Promise<string> {
  if (isZk(config)) return await zooKeeperAt(config);
  const { backend } = config;
  const url = isRedisSimple(config) ? config.url : undefined;
  if (url === undefined) return `backend ${backend}`;
  const runtime = systemRuntime();
  const node = await openRedisNode(url, { runtime });
  try {
    const deadlineMs = runtime.now().monotonicMs + ANSWER_MS;
    const { product, version } = await describeNode(node, { deadlineMs });
    return `${product} ${version ?? ''} at ${node.address}`;
  } catch (cause) {
    throw new BackendUnavailableError(`${node.address} does not answer: ${messageOf(cause)}`, {
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
