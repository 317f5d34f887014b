import type { RedisClient, RedisClusterClient, SentinelOptions } from '@holdfast/redis';
import * as v from 'valibot';
import { flag, text } from '../config/fields.ts';
import type { NamedConfig } from '../config/types.ts';
import type { Reject } from './record.ts';
import { checkSentinels, isSentinelUrl } from './sentinel-options.ts';

/** One Redis, by its URL or by a client. */
export interface OneRedisConfig extends NamedConfig, SentinelOptions {
  /**
   * `redis://`, `rediss://` or `redis+unix://`, or `redis+sentinel://` for a master behind sentinels, or on redis-simple `redis+cluster://` for
   * a cluster. Either this or `client`.
   */
  readonly url?: string | undefined;
  /** The client library that opens `url`; default: the installed one, ioredis first. */
  readonly library?: 'ioredis' | 'iovalkey' | 'redis' | undefined;
  /** For `rediss://` and `rediss+sentinel://`: options of `tls.connect`, for example `{ ca }`. */
  readonly tls?: object | undefined;
  /** A client of ioredis, iovalkey or node-redis. It is duplicated with safe options; the backend owns the copy. */
  readonly client?: RedisClient | RedisClusterClient | undefined;
  /** True: use this `client` itself, not a copy. An error names its options that are unsafe. */
  readonly shareClient?: boolean | undefined;
  /** The first part of every stored name; default `holdfast`. Locks of two namespaces never exclude each other. */
  readonly namespace?: string | undefined;
}

const NO_CLIENT = 'must be a client of ioredis, iovalkey or node-redis';

type Field<T> = v.GenericSchema<T | undefined>;

/** True if `url` is a URL that Redis clients accept; that of a socket has no host, and is none of the standard. */
export function isRedisUrl(url: string): boolean {
  return SOCKET.test(url) || (/^rediss?:\/\//i.test(url) && URL.canParse(url));
}

const SOCKET = /^(?:redis\+)?unix:\/\//i;

export const NO_URL = 'must be a valid URL that starts with redis://, rediss:// or redis+unix://';
export const URL_MEANS =
  'redis://user:password@host:6379/0, rediss:// for TLS, or redis+unix:///path/redis.sock?db=0 for a socket.';

/** The URL of one server, or of the sentinels of one master. */
const SERVER_MEANS = `${URL_MEANS} Behind sentinels: redis+sentinel://user:password@s1:26379,s2:26379/mymaster/0.`;
export const redisUrl: v.GenericSchema<string> = v.pipe(
  v.string('must be a string'),
  v.check((url) => isRedisUrl(url) || isSentinelUrl(url), NO_URL),
  v.description(SERVER_MEANS),
);

const CLUSTER_URL = /^(rediss?)\+cluster:\/\/((?:[^/]*@)?)([^/?#]*)(\/0?)?$/i;

/** True if `url` lists nodes of a cluster: `redis+cluster://host:port,host:port`. */
function isRedisClusterUrl(url: string): boolean {
  const [, scheme = '', credentials = '', hosts = ''] = CLUSTER_URL.exec(url) ?? [];
  const isHost = (host: string): boolean =>
    host !== '' && isRedisUrl(`${scheme}://${credentials}${host}`);
  return hosts.split(',').every(isHost);
}

/** The URL of one server, of the sentinels of one master, or of a cluster. */
export const redisOrClusterUrl: v.GenericSchema<string> = v.pipe(
  v.string('must be a string'),
  v.check(
    (url) => isRedisUrl(url) || isSentinelUrl(url) || isRedisClusterUrl(url),
    `${NO_URL}, or redis+cluster:// or rediss+cluster:// and a list of nodes`,
  ),
  v.description(`${SERVER_MEANS} A cluster: redis+cluster://user:password@host:7000,host:7001.`),
);

export const redisOptions: {
  readonly library: Field<'ioredis' | 'iovalkey' | 'redis'>;
  readonly tls: Field<object>;
  readonly namespace: Field<string>;
} = {
  library: v.optional(
    v.pipe(
      v.picklist(['ioredis', 'iovalkey', 'redis'], 'must be "ioredis", "iovalkey" or "redis"'),
      v.description(
        'The client library that opens the URL; default: the installed one, ioredis first.',
      ),
    ),
  ),
  tls: v.optional(
    v.pipe(
      v.looseObject({}, 'must be an object'),
      v.description('For rediss://: options of tls.connect, for example { "ca": "…" }.'),
    ),
  ),
  namespace: text(
    'The first part of every stored name; default "holdfast". Locks of two namespaces never exclude each other.',
  ),
};

type AnyClient = RedisClient | RedisClusterClient;

const clientOrCluster: v.GenericSchema<AnyClient> = v.custom<AnyClient>(isObject, NO_CLIENT);

export const redisClient: v.GenericSchema<RedisClient> = v.custom<RedisClient>(isObject, NO_CLIENT);

function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

export const clientOptions: {
  readonly client: Field<AnyClient>;
  readonly shareClient: Field<boolean>;
} = {
  client: v.optional(clientOrCluster),
  shareClient: flag('true: use this client itself instead of a copy with safe options.'),
};

/** Checks that a server is given once: by its URL, or by a client. */
export function checkOneServer(config: OneRedisConfig, reject: Reject): void {
  const { backend, url, client: ownClient, shareClient, library } = config;
  if (url === undefined && ownClient === undefined)
    reject(`backend ${backend} needs "url", for example "redis://localhost:6379", or "client".`);
  if (url !== undefined && ownClient !== undefined)
    reject('"url" and "client" exclude each other.');
  if (ownClient === undefined && shareClient !== undefined)
    reject('"shareClient" needs a "client"; remove it, or give one.');
  if (ownClient !== undefined && library !== undefined)
    reject('"library" is for "url" only; remove it beside "client".');
  checkSentinels(config, reject);
}

/** The source from which a recipe opens its node. */
export function sourceOf({
  url,
  client: ownClient,
  shareClient,
}: OneRedisConfig): string | AnyClient | SharedClient | undefined {
  return ownClient === undefined || shareClient === undefined
    ? (url ?? ownClient)
    : { client: ownClient, shareClient };
}

interface SharedClient {
  readonly client: AnyClient;
  readonly shareClient: boolean;
}
