import { ConfigError } from '@holdfast/core';
import type { IoredisClient, NodeRedisClient, NodeRedisSentinel } from './adapters/clients.ts';
import type { KnownClient, RecognisedClient } from './adapters/load.ts';
import { rejectRefused } from './adapters/refused.ts';
import { hasMethods, propertyOf } from './adapters/reply.ts';
import { addressOf } from './endpoint.ts';
import type { Secrets } from './failure.ts';

/**
 * Returns the client with its library.
 * @throws ConfigError for anything but a standalone client of ioredis, iovalkey or node-redis
 */
export function recognise(client: object): RecognisedClient {
  if (isIoredis(client)) {
    if (isOfSentinels(client)) throw unsupported('an ioredis client of sentinels');
    return { library: 'ioredis', client };
  }
  rejectRefused(client);
  if (isNodeRedis(client)) return { library: 'redis', client };
  throw new ConfigError(
    'not a Redis client: expected a URL, a Redis of ioredis or iovalkey, or what createClient of redis returns',
  );
}

/** Returns the client's address for people, and the secrets to keep from them. */
export function identify({ library, client }: KnownClient): { address: string; secrets: Secrets } {
  const option = (name: string): unknown => propertyOf(client.options, name);
  const nested = library === 'redis' ? option('socket') : client.options;
  const socket = typeof nested === 'object' && nested !== null ? nested : undefined;
  const path = propertyOf(socket, 'path');
  const host = propertyOf(socket, 'host');
  const address = addressOf({
    host: typeof host === 'string' ? host : 'localhost',
    port: Number(propertyOf(socket, 'port') ?? 6379),
    path: typeof path === 'string' ? path : undefined,
    db: Number(option(library === 'redis' ? 'database' : 'db') ?? 0),
  });
  const secrets = [option('username'), option('password')].filter(
    (value) => typeof value === 'string',
  );
  return { address, secrets: withEncodings(secrets) };
}

/** True for a client of ioredis that reaches its server through sentinels. */
export function isIoredisOfSentinels(client: object): client is IoredisClient {
  return isIoredis(client) && isOfSentinels(client);
}

/** True for what `createSentinel` of node-redis returns. */
export function isNodeRedisSentinel(client: object): client is NodeRedisSentinel {
  return hasMethods(client, 'duplicate', 'getMasterNode', 'getSentinelNode');
}

function isOfSentinels(client: IoredisClient): boolean {
  return propertyOf(client.options, 'sentinels') != null;
}

function isIoredis(client: object): client is IoredisClient {
  return (
    hasMethods(client, 'call', 'duplicate', 'connect', 'disconnect', 'on') && 'status' in client
  );
}

function isNodeRedis(client: object): client is NodeRedisClient {
  return (
    hasMethods(client, 'sendCommand', 'duplicate', 'connect', 'destroy', 'unref') &&
    'isReady' in client
  );
}

/** Adds the form in which a URL quotes a secret. The user name `default` is no secret, and a common word. */
function withEncodings(secrets: readonly string[]): Secrets {
  const hidden = secrets.filter((secret) => secret !== '' && secret !== 'default');
  return [...new Set(hidden.flatMap((secret) => [secret, encodeURIComponent(secret)]))];
}

function unsupported(what: string): ConfigError {
  return new ConfigError(`${what} cannot be used: expected a client of one standalone server`);
}

/**
 * Tells if a source means more than one server. What serves those is loaded only then, so that who has one server loads
 * no more than that needs.
 */
export function severalServers(source: unknown): 'sentinels' | 'cluster' | undefined {
  if (typeof source === 'string') {
    if (/^rediss?\+sentinel:/i.test(source)) return 'sentinels';
    return /^rediss?\+cluster:/i.test(source) ? 'cluster' : undefined;
  }
  const client = clientIn(source);
  if (client === undefined) return undefined;
  if (isIoredisOfSentinels(client) || isNodeRedisSentinel(client)) return 'sentinels';
  return isClusterClient(client) ? 'cluster' : undefined;
}

/** True for a `Cluster` of ioredis or iovalkey, and for what `createCluster` of node-redis returns. */
function isClusterClient(client: object): boolean {
  // A sentinel client of node-redis has no masters of its own.
  return Reflect.get(client, 'isCluster') === true || ('masters' in client && 'slots' in client);
}

function clientIn(source: unknown): object | undefined {
  if (typeof source !== 'object' || source === null) return undefined;
  const client: unknown = 'shareClient' in source ? Reflect.get(source, 'client') : source;
  return typeof client === 'object' && client !== null ? client : undefined;
}
