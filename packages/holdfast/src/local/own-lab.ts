import { isIP } from 'node:net';
import { BackendUnavailableError, ConfigError, systemRuntime } from '@holdfast/core';
import type { OwnServers } from '@holdfast/lab';
import { describeNode, openRedisNode, type RedisNode, requireMaster } from '@holdfast/redis';
import { clientSessions } from '@holdfast/zk';
import { isZk } from '../backends/zk.ts';
import { type Resolved, resolveSource } from '../config/source.ts';
import type {
  Config,
  RedisGetsetConfig,
  RedisSimpleConfig,
  RedlockConfig,
  ZkConfig,
} from '../config/types.ts';
import { parseZkUrl } from '../config/zk-url.ts';
import { openResolved } from '../open-locks.ts';
import { sweepRedis } from './redis-sweep.ts';
import { zooKeeperAt } from './zookeeper-at.ts';
import { sweep as sweepZooKeeper } from './zookeeper-sweep.ts';

type Target = OwnServers['targets'][number];

/** Where several URLs are named: a comma inside of one is no scheme's beginning. */
const BETWEEN = /,(?=[a-z]+:\/\/)/i;
const ANSWER_MS = 3_000;

/**
 * The servers that these sources name, each of which has answered, and let somebody lock under this name.
 * @throws ConfigError for what the laboratory cannot work on; LockError where it may not, or nobody answers
 */
export async function ownLabs(sources: string, namespace: string): Promise<readonly OwnServers[]> {
  const labs: OwnServers[] = [];
  for (const source of sources.split(BETWEEN)) {
    const resolved = await resolveSource(source);
    const lab = await ownLab(resolved.config);
    if (labs.some(({ backend }) => backend === lab.backend))
      throw new ConfigError(
        `${lab.backend} is named twice; the laboratory plays each backend once`,
      );
    await rehearse(resolved, namespace, lab);
    labs.push(lab);
  }
  return labs;
}

/** Whether the laboratory knows how to reach what these sources name. */
export async function isForLab(sources: string): Promise<boolean> {
  const resolved = await Promise.all(sources.split(BETWEEN).map(resolveSource));
  return resolved.every(
    ({ config }) => isZk(config) || isRedlock(config) || (isOneRedis(config) && !config.client),
  );
}

async function ownLab(config: Config): Promise<OwnServers> {
  if (isZk(config)) return await onZooKeeper(config);
  if (isOneRedis(config)) return await onRedis(config);
  if (isRedlock(config)) return await onNodes(config);
  const what = config.backend === 'memory' ? 'has no servers' : 'is not known to the laboratory';
  throw new ConfigError(
    `${config.backend} ${what}; --profile short compares it without cutting anything`,
  );
}

async function onRedis({
  backend,
  ...config
}: RedisSimpleConfig | RedisGetsetConfig): Promise<OwnServers> {
  const { url, tls } = config;
  if (url === undefined) throw noUrl(backend);
  const targets = [targetOf(url)];
  const named = tlsBy(tls, targets, url.startsWith('rediss:'));
  return {
    backend: backend === 'redis-getset' ? backend : 'redis-simple',
    description: await describeRedis(url, tls),
    targets,
    ttlMsMin: 0,
    opening: ([port = 0], namespace, ttlMs) => ({
      backend,
      url: throughPort(url, port),
      tls: named,
      namespace,
      ttlMs,
    }),
    sweep: (namespace) => onNode(url, tls, (node) => sweepRedis(node, namespace)),
  };
}

async function onNodes({ nodes, tls, allowSmall }: RedlockConfig): Promise<OwnServers> {
  const urls = nodes.map((node) => {
    if (typeof node !== 'string') throw noUrl('redlock');
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
    backend: 'redlock',
    description: described.join(', '),
    targets,
    ttlMsMin: 0,
    opening: (ports, namespace, ttlMs) => ({
      backend: 'redlock',
      urls: urls.map((url, index) => throughPort(url, ports[index] ?? 0)),
      tls: named,
      allowSmall,
      namespace,
      ttlMs,
    }),
    sweep: async (namespace) => {
      await Promise.all(urls.map((url) => onNode(url, tls, (node) => sweepRedis(node, namespace))));
    },
  };
}

async function onZooKeeper(config: ZkConfig): Promise<OwnServers> {
  const { servers, chroot, auth } = parseZkUrl(config.url);
  const targets = servers.map((server) => {
    const { hostname, port } = new URL(`tcp://${server}`);
    return { host: bare(hostname), port: Number(port) };
  });
  const named = tlsBy(config.tls, targets, config.tls !== undefined);
  return {
    backend: 'zk',
    description: await zooKeeperAt(config),
    targets,
    ttlMsMin: await shortestSession(config),
    opening: (ports, namespace, ttlMs) => ({
      backend: 'zk',
      servers: ports.map((port) => `127.0.0.1:${port}`),
      chroot,
      auth,
      tls: named,
      namespace,
      ttlMs,
    }),
    sweep: (namespace) => sweepZooKeeper(config, namespace),
  };
}

/** Nobody asks for less than this. */
const SESSION_MS_MIN = 100;

/** What servers make of a session that was asked to be as short as can be. */
async function shortestSession({ url, tls }: ZkConfig): Promise<number> {
  const { servers, chroot, auth } = parseZkUrl(url);
  const runtime = systemRuntime();
  const options = { servers, chroot, auth, tls, sessionTimeoutMs: SESSION_MS_MIN };
  const open = clientSessions(options, runtime);
  const session = await open(runtime.now().monotonicMs + ANSWER_MS);
  await session.close();
  return session.timeoutMs;
}

/** One lock, taken and given back: whoever may not, hears of it before anything is started. */
async function rehearse(
  { config, folder }: Resolved,
  namespace: string,
  lab: OwnServers,
): Promise<void> {
  const renamed = { ...config, namespace, require: undefined, ttlMs: undefined };
  const locks = await openResolved({ config: renamed, folder });
  try {
    const lease = await locks.acquire('rehearsal', { waitMs: ANSWER_MS });
    await lease.release();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const hint = `the laboratory works under the name ${namespace}, and needs the right to`;
    throw new ConfigError(`nothing can be locked on ${lab.description}: ${why} (${hint})`, {
      cause,
    });
  } finally {
    await locks.close({ timeoutMs: ANSWER_MS });
    await lab.sweep(namespace).catch(() => undefined);
  }
}

async function describeRedis(url: string, tls: object | undefined): Promise<string> {
  return await onNode(url, tls, async (node) => {
    const deadlineMs = systemRuntime().now().monotonicMs + ANSWER_MS;
    const described = await describeNode(node, { deadlineMs });
    requireMaster(described, node.address);
    return `${described.product} ${described.version ?? ''} at ${node.address}`;
  });
}

async function onNode<T>(
  url: string,
  tls: object | undefined,
  work: (node: RedisNode) => Promise<T>,
): Promise<T> {
  const node = await openRedisNode(url, { runtime: systemRuntime(), tls });
  try {
    return await work(node);
  } catch (cause) {
    if (cause instanceof ConfigError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new BackendUnavailableError(`${node.address} does not answer: ${why}`, { cause });
  } finally {
    await node.close();
  }
}

function isOneRedis(config: Config): config is RedisSimpleConfig | RedisGetsetConfig {
  return config.backend === 'redis-simple' || config.backend === 'redis-getset';
}

function isRedlock(config: Config): config is RedlockConfig {
  return config.backend === 'redlock';
}

function noUrl(backend: string): ConfigError {
  const why = 'a client of your own cannot be handed to the processes of the laboratory';
  return new ConfigError(`${backend} needs URLs here: ${why}`);
}

function targetOf(url: string): Target {
  const { hostname, port } = new URL(url);
  return { host: bare(hostname) || 'localhost', port: port === '' ? 6_379 : Number(port) };
}

function bare(hostname: string): string {
  return hostname.replaceAll(/^\[|\]$/g, '');
}

function throughPort(url: string, port: number): string {
  const through = new URL(url);
  through.host = `127.0.0.1:${port}`;
  return through.href;
}

/**
 * Clients reach servers by way of a proxy on loopback: which name is to stand in the certificate has to be said.
 * @throws ConfigError where one option has to serve servers of several names, or a server has none
 */
function tlsBy(
  tls: object | undefined,
  targets: readonly Target[],
  isTls: boolean,
): object | undefined {
  if (!isTls || (tls !== undefined && 'servername' in tls)) return tls;
  const [host = '', ...others] = new Set(targets.map((target) => target.host));
  if (others.length > 0 || isIP(host) > 0)
    throw new ConfigError(
      'over TLS the laboratory has to know the one name that stands in the certificate: say tls: { servername }',
    );
  return { ...tls, servername: host };
}
