import type { Runtime } from '@holdfast/core';
import { speaks, type Wire } from '../adapters/network.ts';
import { propertyOf } from '../adapters/reply.ts';
import type { SentinelUrlOptions } from '../adapters/sentinel-group.ts';
import { parseRedisUrl } from '../endpoint.ts';
import type { RedisSource } from '../open.ts';
import { severalServers } from '../source.ts';

/** The limit of asking a server what it speaks. */
const ASK_MS = 500;
const PLAIN_URL = /^rediss?:/i;
const CLUSTER_URL = /^rediss?\+cluster:/i;
/** Members of node-redis clients of several servers. */
const OF_SEVERAL = ['masters', 'sentinelOptions', 'getMasterNode'];

/**
 * Returns why a server is not reached, if it speaks TLS and the source does not, or the other way round. Such a connection
 * mostly hangs, or is closed without a word, as by a server that is down: so the server is asked what it speaks.
 */
export async function protocolFault(
  source: RedisSource,
  options: SentinelUrlOptions,
  runtime: Runtime,
): Promise<string | undefined> {
  const isWrong = (wire: Wire, isTls: boolean): Promise<boolean> =>
    speaksOther(wire, isTls, runtime);
  if (severalServers(source) === 'sentinels') {
    const { sentinelProtocolFault } = await import('../sentinel/sentinel-protocol.ts');
    return await sentinelProtocolFault(source, options, { runtime, isWrong });
  }
  const found = await endpointOf(source);
  if (found === undefined) return undefined;
  const { wire, isTls, kind = '' } = found;
  if (!(await isWrong(wire, isTls))) return undefined;
  return isTls
    ? `does not speak TLS: its URL begins with redis${kind}://, not rediss${kind}://`
    : `speaks TLS: its URL begins with rediss${kind}://, not redis${kind}://`;
}

async function speaksOther(wire: Wire, isTls: boolean, runtime: Runtime): Promise<boolean> {
  const limit = new AbortController();
  const cancel = runtime.timer(ASK_MS, () => limit.abort(), { awaited: true });
  return await speaks(wire, { tls: !isTls, signal: limit.signal }).finally(cancel);
}

interface Endpoint {
  readonly wire: Wire;
  readonly isTls: boolean;
  /** What the scheme of its URL has besides. */
  readonly kind?: '+cluster';
}

/** Undefined for anything but a server behind a host and a port that the backend connects to itself. */
async function endpointOf(source: RedisSource): Promise<Endpoint | undefined> {
  if (typeof source === 'string') {
    if (CLUSTER_URL.test(source)) return await firstOfCluster(source);
    if (!PLAIN_URL.test(source)) return undefined;
    const { host, port, isTls } = parseRedisUrl(source);
    return { wire: { host, port }, isTls };
  }
  return 'shareClient' in source ? undefined : endpointOfClient(source);
}

/** The nodes of a cluster speak the same. */
async function firstOfCluster(url: string): Promise<Endpoint | undefined> {
  // Loaded already: the cluster was opened.
  const { parseClusterUrl } = await import('../cluster/cluster-url.ts');
  const [first] = parseClusterUrl(url);
  if (first === undefined) return undefined;
  const { host, port, isTls } = first;
  return { wire: { host, port }, isTls, kind: '+cluster' };
}

function endpointOfClient(client: object): Endpoint | undefined {
  const found = propertyOf(client, 'options');
  const options = typeof found === 'object' && found !== null ? found : {};
  const isCluster = propertyOf(client, 'isCluster') === true;
  const hasSentinels = propertyOf(options, 'sentinels') != null;
  if (isCluster || hasSentinels || OF_SEVERAL.some((name) => name in client)) return undefined;
  const nested = propertyOf(options, 'socket');
  const socket = typeof nested === 'object' && nested !== null ? nested : options;
  if (typeof propertyOf(socket, 'path') === 'string') return undefined;
  const host = propertyOf(socket, 'host');
  const port = Number(propertyOf(socket, 'port') ?? 6379);
  const tls = propertyOf(socket, 'tls');
  return {
    wire: { host: typeof host === 'string' ? host : 'localhost', port },
    isTls: Boolean(tls),
  };
}
