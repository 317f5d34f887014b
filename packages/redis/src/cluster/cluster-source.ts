import { ConfigError } from '@holdfast/core';
import type { RedisClusterClient } from '../adapters/clients.ts';
import { type KnownClient, loadClient, loadIoredis, type RedisLibrary } from '../adapters/load.ts';
import { propertyOf } from '../adapters/reply.ts';
import { type Endpoint, parseRedisUrl } from '../endpoint.ts';
import type { NatMap } from '../sentinel/sentinel-options.ts';
import { isClusterUrl, parseClusterUrl } from './cluster-url.ts';
import { addressAt, type HostPort, parseHostPort } from './host-port.ts';

/** A cluster as it was configured. */
export interface ClusterSource {
  readonly seeds: readonly string[];
  readonly natMap: NatMap | undefined;
  /** Returns a client for the node at this address; it is never connected, and gives its configuration. */
  readonly clientFor: (address: string) => KnownClient;
}

export interface ClusterSourceOptions {
  readonly library?: RedisLibrary | undefined;
  readonly tls?: object | undefined;
  readonly natMap?: NatMap | undefined;
}

/**
 * Returns the cluster that a URL or a client means; undefined if it means none.
 * @throws ConfigError for one that cannot be used
 */
export async function clusterIn(
  source: unknown,
  options: ClusterSourceOptions,
): Promise<ClusterSource | undefined> {
  if (typeof source === 'string')
    return isClusterUrl(source) ? await fromUrl(parseClusterUrl(source), options) : undefined;
  const client = clusterClientIn(source);
  if (client === undefined) return undefined;
  return 'isCluster' in client ? await fromIoredis(client) : await fromNodeRedis(client);
}

/** Returns the addresses of a cluster without credentials; undefined if the source means none. @throws ConfigError */
export function clusterAddress(source: unknown): string | undefined {
  if (typeof source === 'string')
    return isClusterUrl(source) ? parseClusterUrl(source).map(addressAt).join(',') : undefined;
  const client = clusterClientIn(source);
  if (client === undefined) return undefined;
  const seeds = 'isCluster' in client ? ioredisSeeds(client) : nodeRedisSeeds(client);
  return seeds.map(addressAt).join(',');
}

function clusterClientIn(source: unknown): RedisClusterClient | undefined {
  if (typeof source !== 'object' || source === null) return undefined;
  const isShared = 'shareClient' in source;
  const client: unknown = isShared ? Reflect.get(source, 'client') : source;
  if (!isClusterClient(client)) return undefined;
  if (isShared && Reflect.get(source, 'shareClient') === true)
    throw new ConfigError(
      'shareClient refused: a client of a cluster sends commands again by itself; without shareClient it is used for its configuration',
    );
  return client;
}

function isClusterClient(client: unknown): client is RedisClusterClient {
  if (typeof client !== 'object' || client === null) return false;
  // A sentinel client of node-redis has no masters of its own.
  return Reflect.get(client, 'isCluster') === true || ('masters' in client && 'slots' in client);
}

async function fromUrl(
  seeds: readonly Endpoint[],
  { library, tls, natMap }: ClusterSourceOptions,
): Promise<ClusterSource> {
  const [first] = seeds;
  if (first === undefined) throw noSeed();
  const base = await loadClient({ ...first, db: 0 }, { library, tls });
  return {
    seeds: seeds.map(addressAt),
    natMap,
    clientFor: (address) => withPlace(base, {}, address),
  };
}

/** ioredis gives every node the `redisOptions`, and a start-up node its own options before these. */
async function fromIoredis(client: { readonly options: object }): Promise<ClusterSource> {
  const seeds = ioredisSeeds(client);
  if (seeds.length === 0) throw noSeed();
  if (propertyOf(client.options, 'useSRVRecords') === true)
    throw new ConfigError('an ioredis Cluster with useSRVRecords cannot be used: list the nodes');
  const shared = objectIn(client.options, 'redisOptions');
  const bySeed = new Map(seeds.map((seed) => [addressAt(seed), seed.options]));
  const base = await loadIoredis(NOWHERE);
  return {
    seeds: [...bySeed.keys()],
    natMap: natMapIn(client.options, 'natMap'),
    clientFor: (address) => withPlace(base, { ...shared, ...bySeed.get(address) }, address),
  };
}

/** node-redis gives every node the `defaults`, and a root node its own options before these. */
async function fromNodeRedis(client: object): Promise<ClusterSource> {
  const seeds = nodeRedisSeeds(client);
  if (seeds.length === 0) throw noSeed();
  const options = nodeRedisOptions(client);
  const shared = objectIn(options, 'defaults');
  const bySeed = new Map(seeds.map((seed) => [addressAt(seed), seed.options]));
  const base = await loadClient(NOWHERE, { library: 'redis' });
  return {
    seeds: [...bySeed.keys()],
    natMap: natMapIn(options, 'nodeAddressMap'),
    clientFor: (address) => {
      const own = bySeed.get(address);
      const socket = { ...objectIn(shared, 'socket'), ...objectIn(own, 'socket') };
      return withPlace(base, { ...shared, ...own, socket }, address);
    },
  };
}

const DEFAULT_PORT = 6379;
const NOWHERE: Endpoint = { host: 'localhost', port: DEFAULT_PORT, db: 0, isTls: false };

/** Returns a client like `base`, with these options, for the node at an address. */
function withPlace(
  { library, client }: KnownClient,
  options: object,
  address: string,
): KnownClient {
  const { host = '', port = 0 } = parseHostPort(address) ?? {};
  if (library === 'resp') return { library, client: client.with({ host, port }) };
  if (library === 'ioredis') {
    const place = { host, port, db: 0, path: undefined, lazyConnect: true };
    return { library, client: client.duplicate({ ...options, ...place }) };
  }
  const socket = { ...objectIn(client.options, 'socket'), ...objectIn(options, 'socket') };
  const place = { url: undefined, database: 0, socket: { ...socket, host, port } };
  return { library, client: client.duplicate({ ...options, ...place }) };
}

interface Seed extends HostPort {
  /** What the seed's own configuration says beside the place. */
  readonly options: object;
}

function ioredisSeeds(client: object): readonly Seed[] {
  const nodes = propertyOf(client, 'startupNodes');
  return (Array.isArray(nodes) ? nodes : []).map((node: unknown): Seed => {
    if (typeof node === 'object' && node !== null) {
      return { ...hostPortIn(node, '127.0.0.1'), options: node };
    }
    const text = String(node);
    if (/^\d+$/.test(text)) return { host: '127.0.0.1', port: Number(text), options: {} };
    const url = parseRedisUrl(/:\/\//.test(text) ? text : `redis://${text}`);
    return { ...url, options: { ...credentials(url), ...(url.isTls ? { tls: {} } : {}) } };
  });
}

function nodeRedisSeeds(client: object): readonly Seed[] {
  const nodes = propertyOf(nodeRedisOptions(client), 'rootNodes');
  return (Array.isArray(nodes) ? nodes : []).map((node: object): Seed => {
    const url = propertyOf(node, 'url');
    const socket = objectIn(node, 'socket');
    if (typeof url === 'string') {
      const endpoint = parseRedisUrl(url);
      const tls = endpoint.isTls ? { tls: true } : {};
      const options = { ...node, ...credentials(endpoint), socket: { ...socket, ...tls } };
      return { host: endpoint.host, port: endpoint.port, options };
    }
    return { ...hostPortIn(socket, 'localhost'), options: node };
  });
}

/**
 * node-redis 5 keeps the options of a cluster to itself. Its `duplicate` passes them to the constructor of the prototype
 * that it is called on.
 */
function nodeRedisOptions(client: object): object {
  const own = objectIn(client, '_options');
  const duplicate = propertyOf(client, 'duplicate');
  if (own !== undefined || typeof duplicate !== 'function') return own ?? {};
  let seen: object = {};
  function Capture(options: object): void {
    seen = options;
  }
  const probe = Object.create(Object.create(client, { constructor: { value: Capture } }));
  Reflect.apply(duplicate, probe, []);
  return seen;
}

function credentials({ username, password }: Endpoint): object {
  return {
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  };
}

function natMapIn(options: object, name: string): NatMap | undefined {
  const map = propertyOf(options, name);
  if (typeof map !== 'function' && (typeof map !== 'object' || map === null)) return undefined;
  return (address) => {
    const to: unknown =
      typeof map === 'function'
        ? Reflect.apply(map, undefined, [address])
        : propertyOf(map, address);
    return typeof to === 'object' && to !== null ? hostPortIn(to, 'localhost') : undefined;
  };
}

/** Reads `host` and `port` of what a library takes; `local` is its default for the host. */
function hostPortIn(value: object | undefined, local: string): HostPort {
  const host = propertyOf(value, 'host');
  const port = Number(propertyOf(value, 'port') ?? DEFAULT_PORT);
  return { host: typeof host === 'string' ? host : local, port };
}

function objectIn(object: object | undefined, name: string): object | undefined {
  const value = propertyOf(object, name);
  return typeof value === 'object' && value !== null ? value : undefined;
}

function noSeed(): ConfigError {
  return new ConfigError('the client of a cluster lists no node');
}
