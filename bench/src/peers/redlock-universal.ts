import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { createLock, IoredisAdapter, NodeRedisAdapter, type RedisAdapter } from 'redlock-universal';
import { type Candidate, isNamed, type Opened, TTL_MS, undefinedIfBusy } from '../candidate.ts';

function acquireWith(adapter: RedisAdapter): Opened['acquire'] {
  return async (key) => {
    const name = `redlock-universal:${key}`;
    const lock = createLock({ adapter, key: name, ttl: TTL_MS, retryAttempts: 0 });
    const attempt = lock.acquire();
    const handle = await undefinedIfBusy(attempt, (error) =>
      isNamed(error, 'LockAcquisitionError'),
    );
    return handle && (() => lock.release(handle));
  };
}

export const redlockUniversalIoredis: Candidate = {
  name: 'redlock-universal',
  client: 'ioredis',
  async open(url) {
    const client = new Redis(url);
    return { acquire: acquireWith(new IoredisAdapter(client)), close: () => client.quit() };
  },
};

export const redlockUniversalNodeRedis: Candidate = {
  name: 'redlock-universal',
  client: 'node-redis',
  async open(url) {
    const client = createClient({ url });
    await client.connect();
    return { acquire: acquireWith(new NodeRedisAdapter(client)), close: () => client.close() };
  },
};
