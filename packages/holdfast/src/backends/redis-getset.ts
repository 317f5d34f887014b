import { capabilities, openRedisGetset } from '@holdfast/redis-getset';
import type { Config, RedisGetsetConfig } from '../config/types.ts';
import type { BackendModule } from './module.ts';

export const redisGetsetModule: BackendModule = {
  capabilities,
  open: async (config, host) => {
    if (!isRedisGetset(config)) throw new TypeError(`${config.backend} is not redis-getset`);
    const { url, client, asIs, library, tls, namespace, checkAge } = config;
    const source = client === undefined || asIs === undefined ? (url ?? client) : { client, asIs };
    return await openRedisGetset({ source, library, tls, namespace, checkAge }, host);
  },
};

/** The name decides, once a configuration has been checked. */
function isRedisGetset(config: Config): config is RedisGetsetConfig {
  return config.backend === 'redis-getset';
}
