import { BackendUnavailableError, ConfigError } from '@holdfast/core';
import { systemRuntime } from '@holdfast/core/backend';
import {
  describeNode,
  openRedisNode,
  type RedisNode,
  type RedisSource,
  requireMaster,
} from '@holdfast/redis';
import type { RedisGetsetConfig, RedisSimpleConfig, RedlockConfig } from 'holdfast/internal';
import type { OwnServers } from '../index.ts';
import { proxiedUrl, REPLY_MS, targetOf, tlsBy } from './own-address.ts';

const CALL_MS = 5_000;
const SCAN_COUNT = '1000';

/** One Redis server of the user's. */
export async function onRedis({
  backend,
  ...config
}: RedisSimpleConfig | RedisGetsetConfig): Promise<OwnServers> {
  const { url, tls } = config;
  if (url === undefined) throw noUrl(backend);
  if (/^rediss?\+/i.test(url)) throw manyServers(backend);
  const targets = [targetOf(url)];
  const named = tlsBy(tls, targets, url.startsWith('rediss:'));
  return {
    backend,
    description: await describeRedis(url, tls),
    targets,
    ttlMsMin: 0,
    opening: ([port = 0], namespace, ttlMs) => ({
      backend,
      url: proxiedUrl(url, port),
      library: 'ioredis',
      tls: named,
      namespace,
      ttlMs,
    }),
    removeNamespace: (namespace) => sweepNodes([url], tls, namespace),
  };
}

/** Several Redis servers of the user's, as redlock takes them. */
export async function onNodes({
  backend,
  nodes,
  tls,
  allowSmall,
}: RedlockConfig): Promise<OwnServers> {
  const urls = nodes.map((node) => {
    if (typeof node !== 'string') throw noUrl(backend);
    return node;
  });
  const targets = urls.map(targetOf);
  const named = tlsBy(
    tls,
    targets,
    urls.some((url) => url.startsWith('rediss:')),
  );
  const described = await Promise.all(urls.map((url) => describeRedis(url, tls)));
  return {
    backend,
    description: described.join(', '),
    targets,
    ttlMsMin: 0,
    opening: (ports, namespace, ttlMs) => ({
      backend,
      nodes: urls.map((url, index) => proxiedUrl(url, ports[index] ?? 0)),
      library: 'ioredis',
      tls: named,
      allowSmall,
      namespace,
      ttlMs,
    }),
    removeNamespace: (namespace) => sweepNodes(urls, tls, namespace),
  };
}

/** Removes all keys of one of our namespaces from each of these servers. */
export async function sweepNodes(
  sources: readonly RedisSource[],
  tls: object | undefined,
  namespace: string,
): Promise<void> {
  await Promise.all(
    sources.map((source) => onNode(source, tls, (node) => sweepRedis(node, namespace))),
  );
}

async function describeRedis(url: string, tls: object | undefined): Promise<string> {
  return await onNode(url, tls, async (node) => {
    const deadlineMs = systemRuntime().now().monotonicMs + REPLY_MS;
    const described = await describeNode(node, { deadlineMs });
    requireMaster(described, node.address);
    return `${described.product} ${described.version ?? ''} at ${node.address}`;
  });
}

async function onNode<T>(
  source: RedisSource,
  tls: object | undefined,
  work: (node: RedisNode) => Promise<T>,
): Promise<T> {
  const node = await openRedisNode(source, { runtime: systemRuntime(), tls });
  try {
    return await work(node);
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BackendUnavailableError(`${node.address} does not reply: ${why}`, { cause });
  } finally {
    await node.close();
  }
}

function manyServers(backend: string): ConfigError {
  const why = 'the lab puts a proxy before one address, and these servers give clients others';
  return new ConfigError(`${backend} needs the URL of one server here: ${why}`);
}

function noUrl(backend: string): ConfigError {
  const why = 'a client object cannot be passed to the processes of the lab';
  return new ConfigError(`${backend} needs URLs here: ${why}`);
}

/**
 * Removes all keys of one of our namespaces, which no client uses any more. Scans in small steps, between which the server
 * serves other clients.
 */
async function sweepRedis(node: RedisNode, namespace: string): Promise<void> {
  const deadlineMs = systemRuntime().now().monotonicMs + CALL_MS;
  const masters = (await node.cluster?.masters({ deadlineMs })) ?? [node];
  for (const master of masters) await sweepMaster(master, namespace, node.cluster !== undefined);
}

/** In a cluster, keys of different slots cannot be removed by one command. */
async function sweepMaster(node: RedisNode, namespace: string, byOne: boolean): Promise<void> {
  const runtime = systemRuntime();
  const call = (...args: string[]): ReturnType<RedisNode['command']> =>
    node.command(args, { deadlineMs: runtime.now().monotonicMs + CALL_MS });
  const pattern = `${namespace.replaceAll(/[*?[\]\\^-]/g, String.raw`\$&`)}:*`;
  let cursor = '0';
  do {
    const reply = await call('SCAN', cursor, 'MATCH', pattern, 'COUNT', SCAN_COUNT);
    const [next, keys] = Array.isArray(reply) ? reply : [];
    const own = Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : [];
    if (byOne) await Promise.all(own.map((key) => call('UNLINK', key)));
    else if (own.length > 0) await call('UNLINK', ...own);
    cursor = typeof next === 'string' ? next : '0';
  } while (cursor !== '0');
}
