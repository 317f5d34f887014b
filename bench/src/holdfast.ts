import { openLocks } from 'holdfast';
import { type Contender, TTL_MS } from './contender.ts';

function holdfast(client: Contender['client'], library: 'ioredis' | 'redis'): Contender {
  return {
    name: 'holdfast',
    client,
    async open(url) {
      const locks = await openLocks({ backend: 'redis-simple', url, library, ttlMs: TTL_MS });
      return {
        acquire: async (key) => {
          const lease = await locks.tryAcquire(key);
          return lease === null ? undefined : () => lease.release();
        },
        close: () => locks.close(),
      };
    },
  };
}

export const holdfastIoredis: Contender = holdfast('ioredis', 'ioredis');
export const holdfastNodeRedis: Contender = holdfast('node-redis', 'redis');
