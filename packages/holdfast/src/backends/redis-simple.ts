import * as v from 'valibot';
import { defaults, fencingEpoch, name } from '../config/fields.ts';
import type { FencingOptions, NamedConfig } from '../config/types.ts';
import type { BackendRecord } from './record.ts';
import {
  checkOneServer,
  clientOptions,
  type OneRedisConfig,
  redisOptions,
  redisUrl,
  sourceOf,
} from './redis-options.ts';
import { sentinelFileOptions, sentinelOptions, sentinelsOf } from './sentinel-options.ts';

/** `SET NX PX` with fencing tokens on one Redis. */
export interface RedisSimpleConfig extends OneRedisConfig, FencingOptions {
  readonly backend: 'redis-simple';
}

const backend = name('redis-simple', 'SET NX PX with fencing tokens on one Redis.');

export const redisSimple: BackendRecord<RedisSimpleConfig> = {
  name: 'redis-simple',
  schemes: {
    redis: { shown: 'redis://', config: (url) => ({ backend: 'redis-simple', url }) },
    rediss: { shown: 'rediss://', config: (url) => ({ backend: 'redis-simple', url }) },
    'redis+sentinel': {
      shown: 'redis+sentinel://',
      config: (url) => ({ backend: 'redis-simple', url }),
    },
    'rediss+sentinel': {
      shown: 'rediss+sentinel://',
      config: (url) => ({ backend: 'redis-simple', url }),
    },
  },
  schema: v.strictObject({
    backend,
    url: v.optional(redisUrl),
    ...redisOptions,
    ...clientOptions,
    ...sentinelOptions,
    fencingEpoch,
    ...defaults,
  }),
  fileSchema: v.strictObject({
    backend,
    url: redisUrl,
    ...redisOptions,
    ...sentinelFileOptions,
    fencingEpoch,
    ...defaults,
  }),
  check: checkOneServer,
  load: async () => {
    const { capabilities, openRedisSimple } = await import('@holdfast/redis-simple');
    return {
      capabilities,
      open: (config, host) => {
        const { library, tls, namespace } = config;
        const source = sourceOf(config);
        const sentinels = sentinelsOf(config);
        return openRedisSimple({ source, library, tls, namespace, ...sentinels }, host);
      },
    };
  },
};

/** True by name alone, since the configuration has been checked. */
export function isRedisSimple(config: NamedConfig): config is RedisSimpleConfig {
  return config.backend === redisSimple.name;
}
