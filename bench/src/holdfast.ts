import { openLocks } from 'holdfast';
import { type Candidate, TTL_MS } from './candidate.ts';

function holdfast(client: Candidate['client'], library: 'ioredis' | 'redis'): Candidate {
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

export const holdfastIoredis: Candidate = holdfast('ioredis', 'ioredis');
export const holdfastNodeRedis: Candidate = holdfast('node-redis', 'redis');
