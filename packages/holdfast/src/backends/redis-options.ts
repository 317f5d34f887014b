import type { RedisClient } from '@holdfast/redis';
import * as v from 'valibot';
import { flag, text } from '../config/fields.ts';
import type { NamedConfig } from '../config/types.ts';
import type { Reject } from './record.ts';

/** One Redis, by its URL or by a client. */
export interface OneRedisConfig extends NamedConfig {
  /** `redis://` or `rediss://`. Either this or `client`. */
  readonly url?: string | undefined;
  /** Which client library opens `url`; default: the one that is installed, ioredis first. */
  readonly library?: 'ioredis' | 'redis' | undefined;
  /** For `rediss://`: options of `tls.connect`, for example `{ ca }`. */
  readonly tls?: object | undefined;
  /** An ioredis or node-redis client. It is duplicated with safe options; the copy is ours. */
  readonly client?: RedisClient | undefined;
  /** true: use this very `client`; refused, naming the options, when they are unsafe. */
  readonly asIs?: boolean | undefined;
  /** The first part of every stored name; default `holdfast`. Two namespaces are two worlds of locks. */
  readonly namespace?: string | undefined;
}

type Field<T> = v.GenericSchema<T | undefined>;

/** Whether `text` is a URL that Redis clients take. */
export function isRedisUrl(url: string): boolean {
  return /^rediss?:\/\//i.test(url) && URL.canParse(url);
}

export const NO_URL = 'must be a valid URL that starts with redis:// or rediss://';
export const URL_MEANS = 'redis://user:password@host:6379/0, or rediss:// for TLS.';

export const redisUrl: v.GenericSchema<string> = v.pipe(
  v.string('must be a string'),
  v.check(isRedisUrl, NO_URL),
  v.description(URL_MEANS),
);

export const redisOptions: {
  readonly library: Field<'ioredis' | 'redis'>;
  readonly tls: Field<object>;
  readonly namespace: Field<string>;
} = {
  library: v.optional(
    v.pipe(
      v.picklist(['ioredis', 'redis'], 'must be "ioredis" or "redis"'),
      v.description(
        'Which client library opens the URL; default: the one that is installed, ioredis first.',
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
    'The first part of every stored name; default "holdfast". Two namespaces are two worlds of locks.',
  ),
};

export const client: v.GenericSchema<RedisClient> = v.custom<RedisClient>(
  (value) => (typeof value === 'object' && value !== null) || typeof value === 'function',
  'must be an ioredis or node-redis client',
);

export const clientOptions: {
  readonly client: Field<RedisClient>;
  readonly asIs: Field<boolean>;
} = {
  client: v.optional(client),
  asIs: flag('true: use this very client instead of a copy with safe options.'),
};

/** A server is named once: by its URL, or by a client that knows it. */
export function checkOneServer(
  { backend, url, client: given, asIs, library }: OneRedisConfig,
  reject: Reject,
): void {
  if (url === undefined && given === undefined)
    reject(`backend ${backend} needs "url", for example "redis://localhost:6379", or "client".`);
  if (url !== undefined && given !== undefined) reject('"url" and "client" exclude each other.');
  if (given === undefined && asIs !== undefined)
    reject('"asIs" says how to take a "client"; there is none.');
  if (given !== undefined && library !== undefined)
    reject('"library" says how to open "url"; a "client" is open.');
}

/** What a recipe opens its node from. */
export function sourceOf({
  url,
  client: given,
  asIs,
}: OneRedisConfig): string | RedisClient | ClientAsIs | undefined {
  return given === undefined || asIs === undefined ? (url ?? given) : { client: given, asIs };
}

interface ClientAsIs {
  readonly client: RedisClient;
  readonly asIs: boolean;
}
