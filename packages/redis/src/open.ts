import { ConfigError, InvalidOptionError, type Runtime } from '@holdfast/core';
import type { RedisClient, RedisClusterClient } from './adapters/clients.ts';
import { dialerFor, loadAdapter } from './adapters/dialer.ts';
import {
  type KnownClient,
  loadClient,
  type RecognisedClient,
  type RedisLibrary,
} from './adapters/load.ts';
import { unsafeOptions } from './adapters/unsafe-options.ts';
import { addressOf, parseRedisUrl } from './endpoint.ts';
import { redactedError } from './failure.ts';
import { Node } from './node.ts';
import type { RedisNode, Reply } from './port.ts';
import type { SentinelOptions } from './sentinel/sentinel-options.ts';
import { type ServerKind, wrongKind } from './server-kind.ts';
import { identify, recognise, severalServers } from './source.ts';

/**
 * A Redis server, the master behind sentinels, or a Redis Cluster: a URL; a client, used only for its configuration, since
 * the node uses duplicates with safe options and closes them; or, with `shareClient`, the client itself, which its owner
 * closes.
 */
export type RedisSource =
  | string
  | RedisClient
  | RedisClusterClient
  | { readonly client: RedisClient | RedisClusterClient; readonly shareClient: boolean };

/** Options of `openRedisNode`. */
export interface OpenRedisNodeOptions extends SentinelOptions {
  /** The clocks and timers of the node: those of the host that the backend is opened with. */
  readonly runtime: Runtime;
  /** The client library for a URL. Default: the installed one, ioredis first; `resp` if there is none. */
  readonly library?: RedisLibrary | undefined;
  /** For a `rediss://` URL: options of `tls.connect`, for example `{ ca }`. */
  readonly tls?: object | undefined;
  /** The limit of one attempt to connect, log-in included, and of one to subscribe. In ms, 1 to 600 000; default 2 000. */
  readonly connectMs?: number | undefined;
  /**
   * The time without a reply, up to twice as long, after which the connection is dropped. In ms, 1 to 600 000; default
   * 2 000.
   */
  readonly silenceMs?: number | undefined;
  /**
   * The kind of server that is needed; default `standalone`. One of the other kind is never used, whenever it comes up. A
   * cluster's nodes are opened as a whole, by its URL or a client; `any` is for one alone.
   */
  readonly expects?: 'standalone' | 'any' | undefined;
}

/**
 * Opens one node and starts to connect; does not wait for the connection, so that a node that is down can be opened.
 * @example
 * ```ts
 * const { runtime } = host;
 * const node = await openRedisNode('redis://localhost', { runtime });
 * const deadlineMs = runtime.now().monotonicMs + 2_000;
 * log(await node.command(['PING'], { deadlineMs })); // PONG
 * await node.close();
 * ```
 * @throws ConfigError for a source that cannot be used, before anything connects
 * @throws InvalidOptionError if `connectMs` or `silenceMs` is out of its range
 */
export async function openRedisNode(
  source: RedisSource,
  options: OpenRedisNodeOptions,
): Promise<RedisNode> {
  const connectMs = milliseconds('connectMs', options.connectMs ?? 2_000);
  const silenceMs = milliseconds('silenceMs', options.silenceMs ?? 2_000);
  const limits = { runtime: options.runtime, connectMs, silenceMs };
  const several = severalServers(source);
  if (several === 'sentinels') return await openSentinels(source, options, limits);
  if (several === 'cluster') return await openCluster(source, options, limits);
  const { known, shareClient } = await clientOf(source, options);
  const expected = options.expects === 'any' ? undefined : 'standalone';
  return openKnown(known, { ...limits, shareClient, expected });
}

interface Limits {
  readonly runtime: Runtime;
  readonly connectMs: number;
  readonly silenceMs: number;
}

interface KnownOptions extends Limits {
  readonly shareClient: boolean;
  readonly expected: ServerKind | undefined;
}

/** @throws ConfigError if the library rejects this configuration */
function openKnown(known: KnownClient, options: KnownOptions): Node {
  const { runtime, connectMs, silenceMs, shareClient, expected } = options;
  const { address, secrets } = identify(known);
  const unfit =
    expected && ((hello: Reply): ConfigError | undefined => wrongKind(hello, expected, address));
  try {
    const dialer = dialerFor(known, { shareClient, address, secrets });
    return new Node({ runtime, dialer, connectMs, silenceMs, unfit });
  } catch (error) {
    throw new ConfigError(`${address}: ${redactedError(error, secrets).message}`);
  }
}

async function openSentinels(
  source: RedisSource,
  options: OpenRedisNodeOptions,
  limits: Limits,
): Promise<RedisNode> {
  const { sentinelDialer, sentinelGroupOf } = await import('./sentinel/open-sentinels.ts');
  const group = await sentinelGroupOf(source, options);
  if (group === undefined) throw noSource();
  return new Node({ ...limits, dialer: sentinelDialer(group, limits) });
}

async function openCluster(
  source: RedisSource,
  options: OpenRedisNodeOptions,
  limits: Limits,
): Promise<RedisNode> {
  const { runtime, connectMs } = limits;
  const [{ clusterIn }, { ClusterNode }] = await Promise.all([
    import('./cluster/cluster-source.ts'),
    import('./cluster/cluster-node.ts'),
  ]);
  const cluster = await clusterIn(source, options);
  if (cluster === undefined) throw noSource();
  const { seeds, natMap, clientFor } = cluster;
  const open = (address: string): Node =>
    openKnown(clientFor(address), { ...limits, shareClient: false, expected: 'cluster' });
  return new ClusterNode({ runtime, connectMs, seeds, natMap, open });
}

/**
 * Returns the address of a source, without credentials; nothing connects.
 * @example
 * ```ts
 * await addressOfSource('redis://app:secret@redis1:6379'); // 'redis1:6379'
 * ```
 * @throws ConfigError for a source that cannot be used
 */
export async function addressOfSource(source: RedisSource): Promise<string> {
  const several = severalServers(source);
  if (several !== undefined) return (await addressOfSeveral(source, several)) ?? '';
  if (typeof source === 'string') return addressOf(parseRedisUrl(source));
  if (typeof source !== 'object' || source === null) throw noSource();
  return identify(recognise('shareClient' in source ? source.client : source)).address;
}

async function addressOfSeveral(
  source: RedisSource,
  several: 'sentinels' | 'cluster',
): Promise<string | undefined> {
  if (several === 'cluster')
    return (await import('./cluster/cluster-source.ts')).clusterAddress(source);
  return (await import('./sentinel/open-sentinels.ts')).addressBehindSentinels(source);
}

function noSource(): ConfigError {
  return new ConfigError('a Redis node needs a URL or a client');
}

async function clientOf(
  source: RedisSource,
  options: OpenRedisNodeOptions,
): Promise<{ known: KnownClient; shareClient: boolean }> {
  if (typeof source === 'string') {
    const known = await loadClient(parseRedisUrl(source), options);
    return { known, shareClient: false };
  }
  if (typeof source !== 'object' || source === null) throw noSource();
  const shareClient = 'shareClient' in source && source.shareClient;
  const known = recognise('shareClient' in source ? source.client : source);
  if (shareClient) rejectUnsafe(known);
  await loadAdapter(known.library);
  return { known, shareClient };
}

function rejectUnsafe(known: RecognisedClient): void {
  const unsafe = unsafeOptions(known);
  if (unsafe.length > 0) {
    throw new ConfigError(
      `shareClient refused: these client options can delay, repeat or alter commands: ${unsafe.join(', ')}`,
    );
  }
  // Only its owner connects it, and a call that waits for that would not even keep the process alive.
  if (isOpen(known)) return;
  throw new ConfigError(
    'shareClient refused: the client is not connected; call its connect() first',
  );
}

/** True if the client is connected, or connects by itself; ioredis does at its first command. */
function isOpen(known: RecognisedClient): boolean {
  return known.library === 'ioredis' ? known.client.status !== 'end' : known.client.isOpen;
}

function milliseconds(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= 600_000) return value;
  throw new InvalidOptionError(`${name} must be a whole number of milliseconds from 1 to 600 000`);
}
