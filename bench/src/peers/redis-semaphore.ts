import { Redis } from 'ioredis';
import { Mutex } from 'redis-semaphore';
import { type Candidate, TTL_MS } from '../candidate.ts';
import { disconnect } from './disconnect.ts';

export const redisSemaphore: Candidate = {
  name: 'redis-semaphore',
  client: 'ioredis',
  async open(url) {
    const client = new Redis(url);
    return {
      acquire: async (key) => {
        const mutex = new Mutex(client, key, { lockTimeout: TTL_MS, acquireAttemptsLimit: 1 });
        return (await mutex.tryAcquire()) ? () => mutex.release() : undefined;
      },
      // Every 10 ms, its default.
      wait: async (key) => {
        const options = { lockTimeout: TTL_MS, acquireTimeout: Number.POSITIVE_INFINITY };
        const mutex = new Mutex(client, key, options);
        await mutex.acquire();
        return () => mutex.release();
      },
      close: () => disconnect(client),
    };
  },
};
