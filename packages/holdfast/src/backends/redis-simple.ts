import * as v from 'valibot';
import { count, defaults, fencingEpoch, flag, layout, name } from '../config/fields.ts';
import type { FencingOptions, NamedConfig } from '../config/types.ts';
import type { BackendRecord, Reject } from './record.ts';
import {
  checkOneServer,
  clientOptions,
  type OneRedisConfig,
  redisOptions,
  redisOrClusterUrl,
  sentinelFileOptions,
  sentinelOptions,
  sentinelsOf,
  sourceOf,
} from './redis-options.ts';

/** `SET NX PX` with fencing tokens on one Redis, or on a Redis Cluster. */
export interface RedisSimpleConfig extends OneRedisConfig, FencingOptions {
  readonly backend: 'redis-simple';
  /**
   * The number of replicas that must have a grant or a renewal before it counts, from 1. Default: none, the reply of the
   * master counts.
   */
  readonly waitReplicas?: number | undefined;
  /**
   * True: waiters of all processes queue on the server, and get the key in order of arrival. Default false: only those of
   * one process are in order.
   */
  readonly fair?: boolean | undefined;
  /**
   * `plain`: the lock is the very key that the user names, as other libraries keep it by `SET NX PX`: both exclude each
   * other. Without fencing tokens, and waiters poll. Default `own`.
   */
  readonly layout?: 'own' | 'plain' | undefined;
}

const backend = name('redis-simple', 'SET NX PX with fencing tokens on one Redis.');
const waitReplicas = count(
  100,
  'The number of replicas that must have a grant or a renewal before it counts. Default: none, the reply of the master counts.',
);
const fair = flag(
  'Waiters of all processes queue on the server, and get the key in order of arrival. Default: only those of one process are in order.',
);

export const redisSimple: BackendRecord<RedisSimpleConfig> = {
  name: 'redis-simple',
  schemes: {
    redis: { shown: 'redis://', config: (url) => ({ backend: 'redis-simple', url }) },
    rediss: { shown: 'rediss://', config: (url) => ({ backend: 'redis-simple', url }) },
    'redis+unix': { shown: 'redis+unix://', config: (url) => ({ backend: 'redis-simple', url }) },
    unix: { shown: 'unix://', config: (url) => ({ backend: 'redis-simple', url }) },
    'redis+sentinel': {
      shown: 'redis+sentinel://',
      config: (url) => ({ backend: 'redis-simple', url }),
    },
    'rediss+sentinel': {
      shown: 'rediss+sentinel://',
      config: (url) => ({ backend: 'redis-simple', url }),
    },
    'redis+cluster': {
      shown: 'redis+cluster://',
      config: (url) => ({ backend: 'redis-simple', url }),
    },
    'rediss+cluster': {
      shown: 'rediss+cluster://',
      config: (url) => ({ backend: 'redis-simple', url }),
    },
  },
  schema: v.strictObject({
    backend,
    url: v.optional(redisOrClusterUrl),
    ...redisOptions,
    ...clientOptions,
    ...sentinelOptions,
    waitReplicas,
    fair,
    layout,
    fencingEpoch,
    ...defaults,
  }),
  fileSchema: v.strictObject({
    backend,
    url: redisOrClusterUrl,
    ...redisOptions,
    ...sentinelFileOptions,
    waitReplicas,
    fair,
    layout,
    fencingEpoch,
    ...defaults,
  }),
  check: (config, reject) => {
    checkOneServer(config, reject);
    checkPlain(config, reject);
  },
  load: async ({ fair: isFair, layout: stored }) => {
    const { capabilities, fairCapabilities, openRedisSimple, plainCapabilities } = await import(
      '@holdfast/redis-simple'
    );
    const own = isFair === true ? fairCapabilities : capabilities;
    return {
      capabilities: stored === 'plain' ? plainCapabilities : own,
      open: (config, host) => {
        const { library, tls, namespace, waitReplicas: replicas, fair: isFairly } = config;
        const source = sourceOf(config);
        const options = { library, tls, namespace, waitReplicas: replicas, fair: isFairly };
        const kept = { ...options, layout: config.layout };
        return openRedisSimple({ source, ...kept, ...sentinelsOf(config) }, host);
      },
    };
  },
};

/** Other libraries know neither a queue nor tokens. */
function checkPlain(
  { layout: stored, fair: isFair, fencingEpoch: epoch }: RedisSimpleConfig,
  reject: Reject,
): void {
  if (stored !== 'plain') return;
  if (isFair === true)
    reject('"fair" is not for layout "plain": other libraries would overtake its queue.');
  if (epoch !== undefined)
    reject('"fencingEpoch" is not for layout "plain", which has no fencing tokens.');
}

/** True by name alone, since the configuration has been checked. */
export function isRedisSimple(config: NamedConfig): config is RedisSimpleConfig {
  return config.backend === redisSimple.name;
}
