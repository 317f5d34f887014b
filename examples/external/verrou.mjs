/** Verrou's lock on the bench. */
import { Verrou } from '@verrou/core';
import { redisStore } from '@verrou/core/drivers/redis';
import { Redis } from 'ioredis';
import { serve } from './bench-lines.mjs';

serve(async ({ servers: [server], ttlMs }) => {
  const [host, port] = server.split(':');
  const connection = new Redis({ host, port: Number(port) });
  connection.on('error', () => undefined);
  const stores = { redis: { driver: redisStore({ connection }) } };
  const verrou = new Verrou({ default: 'redis', stores });
  const held = new Map();
  return {
    name: 'Verrou 0.5.2 on ioredis',
    options:
      'createLock(key, ttl), retried every 50 ms; it renews nothing by itself; stops when isExpired()',
    locks: {
      acquire: async (key, waitMs) => {
        const lock = verrou.createLock(key, ttlMs);
        const isAcquired = await lock.acquire({
          retry: { delay: 50, timeout: Math.max(1, waitMs) },
        });
        if (isAcquired) held.set(key, lock);
        return isAcquired;
      },
      holds: async (key) => !held.get(key).isExpired(),
      release: async (key) => {
        const lock = held.get(key);
        held.delete(key);
        return await lock.release().then(
          () => true,
          () => false,
        );
      },
    },
  };
});
