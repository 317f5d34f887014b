/** redis-semaphore's Mutex on the bench. It stores `mutex:` and the key. */
import { Redis } from 'ioredis';
import { Mutex, TimeoutError } from 'redis-semaphore';
import { serve } from './bench-lines.mjs';

serve(async ({ servers: [server], ttlMs }) => {
  const [host, port] = server.split(':');
  const client = new Redis({ host, port: Number(port) });
  client.on('error', () => undefined);
  const held = new Map();
  return {
    name: 'redis-semaphore 5.8.0 Mutex on ioredis',
    options:
      'lockTimeout alone: it refreshes at 0.8 of it; stops when onLockLost was called, or isAcquired is false',
    locks: {
      acquire: async (key, waitMs) => {
        const hold = { isLost: false };
        const onLockLost = () => {
          hold.isLost = true;
        };
        const limit = { lockTimeout: ttlMs, acquireTimeout: waitMs };
        hold.mutex = new Mutex(client, key, { ...limit, onLockLost });
        try {
          await hold.mutex.acquire();
        } catch (error) {
          if (error instanceof TimeoutError) return false;
          throw error;
        }
        held.set(key, hold);
        return true;
      },
      holds: async (key) => held.get(key).mutex.isAcquired && !held.get(key).isLost,
      release: async (key) => {
        const { mutex, isLost } = held.get(key);
        held.delete(key);
        await mutex.release();
        return !isLost;
      },
    },
  };
});
