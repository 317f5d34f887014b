import type { Capabilities } from '@holdfast/core';
import { openRedisSimple } from '@holdfast/redis-simple';
import type { Config, RedisSimpleConfig } from '../config/types.ts';
import type { BackendModule } from './module.ts';

/** As the opened backend says them, which a test compares: known here, they can be asked before anything connects. */
const CAPABILITIES: Capabilities = {
  lease: 'per-call-ttl',
  timeAuthority: 'server',
  consistency: 'ap',
  fencing: 'best-effort',
  queue: 'none',
  wakeUp: 'push',
  survives: [],
};

export const redisSimpleModule: BackendModule = {
  capabilities: CAPABILITIES,
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
