import { capabilities, openRedisSimple } from '@holdfast/redis-simple';
import type { Config, RedisSimpleConfig } from '../config/types.ts';
import type { BackendModule } from './module.ts';

export const redisSimpleModule: BackendModule = {
  capabilities,
  open: async (config, host) => {
    if (!isRedisSimple(config)) throw new TypeError(`${config.backend} is not redis-simple`);
    const { url, client, asIs, library, tls, namespace } = config;
    const source = client === undefined || asIs === undefined ? (url ?? client) : { client, asIs };
    return await openRedisSimple({ source, library, tls, namespace }, host);
  },
};

/** The name decides, once a configuration has been checked. */
export function isRedisSimple(config: Config): config is RedisSimpleConfig {
  return config.backend === 'redis-simple';
}
