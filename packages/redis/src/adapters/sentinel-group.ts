import { ConfigError } from '@holdfast/core';
import type { NatMap, SentinelOptions } from '../sentinel/sentinel-options.ts';
import { addressOfHost, distinct, parseSentinelUrl } from '../sentinel/sentinel-url.ts';
import type { HostPort, IoredisClient, NodeRedisSentinel } from './clients.ts';
import { type KnownClient, loadClient, loadNodeRedis, type RedisLibrary } from './load.ts';
import { propertyOf } from './reply.ts';

/** The sentinels of one master. */
export interface SentinelNames {
  readonly sentinels: readonly HostPort[];
  /** The name of the master. */
  readonly name: string;
  readonly db: number;
}

/** The same, with clients that are configured as the connections are; neither is ever connected. */
export interface SentinelGroup extends SentinelNames {
  readonly data: KnownClient;
  readonly sentinel: KnownClient;
  readonly natMap: NatMap | undefined;
}

export interface SentinelUrlOptions extends SentinelOptions {
  readonly library?: RedisLibrary | undefined;
  readonly tls?: object | undefined;
}

/** @throws ConfigError */
export async function groupOfUrl(
  url: string,
  { library, tls, natMap, ...options }: SentinelUrlOptions,
): Promise<SentinelGroup> {
  const { sentinels, name, ...rest } = parseSentinelUrl(url);
  const [host] = sentinels;
  if (host === undefined) throw new ConfigError('a URL of sentinels lists at least one');
  const { sentinelUsername: username, sentinelPassword: password, sentinelTls } = options;
  const isTls = sentinelTls === undefined ? rest.isTls : sentinelTls !== false;
  const logIn = { ...host, db: 0, isTls, username, password };
  const ownTls = typeof sentinelTls === 'object' ? sentinelTls : tls;
  const data = await loadClient({ ...host, ...rest }, { library, tls });
  const sentinel = await loadClient(logIn, { library, tls: ownTls });
  return { sentinels, name, db: rest.db, data, sentinel, natMap };
}

/** The group of a client of ioredis with `sentinels`. @throws ConfigError */
export function groupOfIoredis(client: IoredisClient): SentinelGroup {
  const option = (name: string): unknown => propertyOf(client.options, name);
  if (option('role') === 'slave') throw new ConfigError('a client of replicas cannot be used');
  const standalone = { sentinels: null, lazyConnect: true, path: undefined };
  const isTls = option('enableTLSForSentinelMode') === true;
  const data = client.duplicate({ ...standalone, tls: isTls ? option('tls') : undefined });
  const sentinel = client.duplicate({
    ...standalone,
    db: 0,
    username: option('sentinelUsername'),
    password: option('sentinelPassword'),
    tls: option('sentinelTLS'),
  });
  return {
    ...namesOfIoredis(client),
    data: { library: 'ioredis', client: data },
    sentinel: { library: 'ioredis', client: sentinel },
    natMap: natMapIn(option('natMap')),
  };
}

/** The group of what `createSentinel` of node-redis returns. @throws ConfigError */
export async function groupOfNodeRedis(client: NodeRedisSentinel): Promise<SentinelGroup> {
  const options = optionsOf(client);
  const part = (name: string): object => objectIn(propertyOf(options, name)) ?? {};
  return {
    ...namesOfNodeRedis(client),
    data: await loadNodeRedis(part('nodeClientOptions')),
    sentinel: await loadNodeRedis(part('sentinelClientOptions')),
    natMap: natMapIn(propertyOf(options, 'nodeAddressMap')),
  };
}

/** @throws ConfigError */
export function namesOfIoredis({ options }: IoredisClient): SentinelNames {
  const names = named(propertyOf(options, 'name'), propertyOf(options, 'sentinels'));
  return { ...names, db: Number(propertyOf(options, 'db') ?? 0) };
}

/** @throws ConfigError */
export function namesOfNodeRedis(client: NodeRedisSentinel): SentinelNames {
  const options = optionsOf(client);
  const names = named(propertyOf(options, 'name'), propertyOf(options, 'sentinelRootNodes'));
  const data = objectIn(propertyOf(options, 'nodeClientOptions'));
  return { ...names, db: Number(propertyOf(data, 'database') ?? 0) };
}

/** `host:port` of every sentinel, the name of the master, and the database unless it is the first. */
export function addressOfGroup({ sentinels, name, db }: SentinelNames): string {
  return `${sentinels.map(addressOfHost).join(',')}/${name}${db === 0 ? '' : `/${db}`}`;
}

/**
 * A sentinel client of node-redis hides its options, and shows them to the constructor of a duplicate. So its `duplicate` is
 * called on an object whose constructor only keeps them.
 */
function optionsOf(client: NodeRedisSentinel): object {
  let options: unknown;
  const prototype: object = {
    constructor: function keep(given: unknown): void {
      options = given;
    },
  };
  const duplicate = propertyOf(client, 'duplicate');
  const self = { value: propertyOf(client, '_self') };
  try {
    if (typeof duplicate === 'function')
      Reflect.apply(duplicate, Object.create(prototype, { ['_self']: self }), []);
  } catch {
    // Another version, which keeps its options elsewhere.
  }
  const found = objectIn(options);
  if (found !== undefined && 'sentinelRootNodes' in found) return found;
  throw new ConfigError(
    'this version of node-redis does not show the options of a sentinel client; use a URL, redis+sentinel://…',
  );
}

function named(
  name: unknown,
  listed: unknown,
): { readonly name: string; readonly sentinels: readonly HostPort[] } {
  const sentinels = (Array.isArray(listed) ? listed : []).map((each: unknown): HostPort => {
    const entry = objectIn(each);
    const host = propertyOf(entry, 'host');
    const port = Number(propertyOf(entry, 'port') ?? 26_379);
    return { host: typeof host === 'string' ? host : 'localhost', port };
  });
  if (typeof name !== 'string' || name === '' || sentinels.length === 0)
    throw new ConfigError('a client of sentinels needs the name of the master, and sentinels');
  return { name, sentinels: distinct(sentinels) };
}

function natMapIn(value: unknown): NatMap | undefined {
  if (typeof value !== 'object' && typeof value !== 'function') return undefined;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both libraries take this shape
  return value === null ? undefined : (value as NatMap);
}

function objectIn(value: unknown): object | undefined {
  return typeof value === 'object' && value !== null ? value : undefined;
}
