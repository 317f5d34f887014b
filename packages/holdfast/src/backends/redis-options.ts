import type {
  NatMap,
  RedisClient,
  RedisClusterClient,
  RedisLibrary,
  SentinelOptions,
} from '@holdfast/redis';
import * as v from 'valibot';
import { flag, text } from '../config/fields.ts';
import type { NamedConfig } from '../config/types.ts';
import type { Reject } from './record.ts';

/** One Redis, by its URL or by a client. */
export interface OneRedisConfig extends NamedConfig, SentinelOptions {
  /**
   * `redis://`, `rediss://` or `redis+unix://`, or `redis+sentinel://` for a master behind sentinels, or on redis-simple `redis+cluster://` for
   * a cluster. Either this or `client`.
   */
  readonly url?: string | undefined;
  /** The client library that opens `url`; default: the installed one, ioredis first; `resp` if there is none. */
  readonly library?: RedisLibrary | undefined;
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

const URL_STARTS = 'must be a valid URL that starts with redis://, rediss:// or redis+unix://';
const OR_CLUSTER = ', or redis+cluster:// or rediss+cluster:// and a list of nodes';
const ENCODE = ', with "/", "?" and "#" of a password as %2F, %3F and %23';

/** Why a text is no URL of a server. */
export const noUrl: (issue: { readonly input: string }) => string = withAdvice(URL_STARTS);

/** With the reason that a URL from an environment variable has most often: its password ends it. */
function withAdvice(message: string): (issue: { readonly input: string }) => string {
  return ({ input }) => message + (/^[^@]*:\/\/[^@]*[/?#].*@/.test(input) ? ENCODE : '');
}

export const URL_MEANS =
  'redis://user:password@host:6379/0, rediss:// for TLS, or redis+unix:///path/redis.sock?db=0 for a socket.';

/** The URL of one server, or of the sentinels of one master. */
const SERVER_MEANS = `${URL_MEANS} Behind sentinels: redis+sentinel://user:password@s1:26379,s2:26379/mymaster/0.`;
export const redisUrl: v.GenericSchema<string> = v.pipe(
  v.string('must be a string'),
  v.check((url) => isRedisUrl(url) || isSentinelUrl(url), noUrl),
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
    withAdvice(URL_STARTS + OR_CLUSTER),
  ),
  v.description(`${SERVER_MEANS} A cluster: redis+cluster://user:password@host:7000,host:7001.`),
);

export const redisOptions: {
  readonly library: Field<RedisLibrary>;
  readonly tls: Field<object>;
  readonly namespace: Field<string>;
} = {
  library: v.optional(
    v.pipe(
      v.picklist(
        ['resp', 'ioredis', 'iovalkey', 'redis'],
        'must be "resp", "ioredis", "iovalkey" or "redis"',
      ),
      v.description(
        'The client library that opens the URL, or "resp" for none; default: the installed one, ioredis first, or "resp".',
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

function isSentinelUrl(url: string): boolean {
  return /^rediss?\+sentinel:\/\/./i.test(url);
}

const NAT_RULE =
  'must be an object such as { "10.0.0.1:6379": { "host": "redis-1.example", "port": 6379 } }';
const natEntries: v.GenericSchema<Readonly<Record<string, { host: string; port: number }>>> =
  v.record(
    v.string(),
    v.strictObject({ host: v.string(NAT_RULE), port: v.number(NAT_RULE) }, NAT_RULE),
    NAT_RULE,
  );
const NAT_MEANS =
  'For servers behind NAT: by the host:port that the sentinels or the cluster give, the server to connect to.';

/** The options beside a URL of sentinels, as a file has them. */
export const sentinelFileOptions: {
  readonly sentinelUsername: Field<string>;
  readonly sentinelPassword: Field<string>;
  readonly sentinelTls: Field<boolean | object>;
  readonly natMap: Field<NatMap>;
} = {
  sentinelUsername: text('The user to log in to the sentinels with.'),
  sentinelPassword: text(
    'The password of the sentinels; the one in the URL is for the data nodes.',
  ),
  sentinelTls: v.optional(
    v.pipe(
      v.union([v.boolean(), v.looseObject({})], 'must be true, false, or an object'),
      v.description(
        'Sentinels over TLS: true or false, or options of tls.connect. Default: as the data nodes are.',
      ),
    ),
  ),
  natMap: v.optional(v.pipe(natEntries, v.description(NAT_MEANS))),
};

/** The options beside a URL of sentinels. */
export const sentinelOptions: typeof sentinelFileOptions = {
  ...sentinelFileOptions,
  natMap: v.optional(
    v.union(
      [natEntries, v.custom<Extract<NatMap, Function>>((value) => typeof value === 'function')],
      `${NAT_RULE}, or a function`,
    ),
  ),
};

/** Checks that options of sentinels come with a URL of sentinels; `natMap` is for a cluster, too. */
function checkSentinels(
  { url, ...config }: SentinelOptions & { readonly url?: string | undefined },
  reject: Reject,
): void {
  if (url !== undefined && isSentinelUrl(url)) return;
  const isCluster = url !== undefined && /^rediss?\+cluster:/i.test(url);
  const given = Object.keys(sentinelOptions).find(
    (name) => Object.hasOwn(config, name) && !(isCluster && name === 'natMap'),
  );
  if (given !== undefined)
    reject(`"${given}" is for a "url" with redis+sentinel:// only; a client has its own.`);
}

/** The options of sentinels in a configuration. */
export function sentinelsOf(config: SentinelOptions): SentinelOptions {
  const { sentinelUsername, sentinelPassword, sentinelTls, natMap } = config;
  return { sentinelUsername, sentinelPassword, sentinelTls, natMap };
}
