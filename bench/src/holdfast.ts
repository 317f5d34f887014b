import { openLocks } from 'holdfast';
import { type Candidate, TTL_MS } from './candidate.ts';

const LIBRARIES = { ioredis: 'ioredis', 'node-redis': 'redis' } as const;

interface Options {
  readonly fair?: boolean;
  readonly library?: 'resp' | 'ioredis' | 'redis';
}

function holdfast(
  name: string,
  client: Candidate['client'],
  { fair = false, library = LIBRARIES[client] }: Options = {},
): Candidate {
  return {
    name,
    client,
    async open(url) {
      const locks = await openLocks({ backend: 'redis-simple', url, library, ttlMs: TTL_MS, fair });
      return {
        acquire: async (key) => {
          const lease = await locks.tryAcquire(key);
          return lease === null ? undefined : () => lease.release();
        },
        wait: async (key) => {
          const lease = await locks.acquire(key, { waitMs: Number.POSITIVE_INFINITY });
          return () => lease.release();
        },
        close: () => locks.close(),
      };
    },
  };
}

export const holdfastIoredis: Candidate = holdfast('holdfast', 'ioredis');
export const holdfastNodeRedis: Candidate = holdfast('holdfast', 'node-redis');
export const holdfastFair: Candidate = holdfast('holdfast, fair', 'ioredis', { fair: true });
/** Over our own connection, so without ioredis; raw calls over ioredis are what it is compared with. */
export const holdfastResp: Candidate = holdfast('holdfast, resp', 'ioredis', { library: 'resp' });
