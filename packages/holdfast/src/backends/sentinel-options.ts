import type { NatMap, SentinelOptions } from '@holdfast/redis';
import * as v from 'valibot';
import { text } from '../config/fields.ts';
import type { Reject } from './record.ts';

type Field<T> = v.GenericSchema<T | undefined>;

export function isSentinelUrl(url: string): boolean {
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
export function checkSentinels(
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
