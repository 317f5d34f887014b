import { Verrou } from '@verrou/core';
import { redisStore } from '@verrou/core/drivers/redis';
import { Redis } from 'ioredis';
import { type Candidate, TTL_MS } from '../candidate.ts';
import { disconnect } from './disconnect.ts';

export const verrou: Candidate = {
  name: '@verrou/core',
  client: 'ioredis',
  async open(url) {
    const client = new Redis(url);
    const store = { driver: redisStore({ connection: client }) };
    const locks = new Verrou({ default: 'redis', stores: { redis: store } });
    return {
      acquire: async (key) => {
        const lock = locks.createLock(`verrou:${key}`, TTL_MS);
        return (await lock.acquireImmediately()) ? () => lock.release() : undefined;
      },
      // Every 250 ms, its default, and without a limit.
      wait: async (key) => {
        const lock = locks.createLock(`verrou:${key}`, TTL_MS);
        if (!(await lock.acquire())) throw new Error('verrou gave up waiting');
        return () => lock.release();
      },
      close: () => disconnect(client),
    };
  },
};
