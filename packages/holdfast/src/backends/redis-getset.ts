import * as v from 'valibot';
import { defaults, flag, name } from '../config/fields.ts';
import type { NamedConfig } from '../config/types.ts';
import type { BackendRecord } from './record.ts';
import {
  checkOneServer,
  clientOptions,
  type OneRedisConfig,
  redisOptions,
  redisUrl,
  sentinelFileOptions,
  sentinelOptions,
  sentinelsOf,
  sourceOf,
} from './redis-options.ts';

/** The legacy `SETNX` + `GETSET` timestamp lock on one Redis, for systems that already use it: client clocks decide. */
export interface RedisGetsetConfig extends OneRedisConfig {
  readonly backend: 'redis-getset';
  /**
   * True: a release does not delete the key once its own stamp has passed. Default: false, as in the original recipe.
   */
  readonly checkAge?: boolean | undefined;
}

const backend = name('redis-getset', 'The legacy SETNX + GETSET lock: client clocks decide.');
const checkAge = flag(
  'true: a release does not delete the key once its own stamp has passed. Default false, as in the original recipe.',
);

export const redisGetset: BackendRecord<RedisGetsetConfig> = {
  name: 'redis-getset',
  schemes: {},
  schema: v.strictObject({
    backend,
    url: v.optional(redisUrl),
    checkAge,
    ...redisOptions,
    ...clientOptions,
    ...sentinelOptions,
    ...defaults,
  }),
  fileSchema: v.strictObject({
    backend,
    url: redisUrl,
    checkAge,
    ...redisOptions,
    ...sentinelFileOptions,
    ...defaults,
  }),
  omitted: { fencingEpoch: 'it has no fencing tokens.' },
  check: checkOneServer,
  load: async () => {
    const { capabilities, openRedisGetset } = await import('@holdfast/redis-getset');
    return {
      capabilities,
      open: (config, host) => {
        const { library, tls, namespace, checkAge: ages } = config;
        const source = sourceOf(config);
        const sentinels = sentinelsOf(config);
        return openRedisGetset(
          { source, library, tls, namespace, checkAge: ages, ...sentinels },
          host,
        );
      },
    };
  },
};

/** True by name alone, since the configuration has been checked. */
export function isRedisGetset(config: NamedConfig): config is RedisGetsetConfig {
  return config.backend === redisGetset.name;
}
