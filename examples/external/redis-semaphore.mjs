/** redis-semaphore's Mutex on the bench, or its RedlockMutex on several servers. Both store `mutex:` and the key. */
import { Redis } from 'ioredis';
import { Mutex, RedlockMutex, TimeoutError } from 'redis-semaphore';
import { serve } from './bench-lines.mjs';

serve(async ({ servers, ttlMs }) => {
  const clients = servers.map((server) => {
    const [host, port] = server.split(':');
    return new Redis({ host, port: Number(port) });
  });
  for (const client of clients) client.on('error', () => undefined);
  const mutexFor = (key, options) =>
    clients.length === 1
      ? new Mutex(clients[0], key, options)
      : new RedlockMutex(clients, key, options);
  const held = new Map();
  return {
    name: `redis-semaphore 5.8.0 ${clients.length === 1 ? 'Mutex' : 'RedlockMutex'} on ioredis`,
    options:
      'lockTimeout alone: it refreshes at 0.8 of it; stops when onLockLost was called, or isAcquired is false',
    locks: {
      acquire: async (key, waitMs) => {
        const hold = { isLost: false };
        const onLockLost = () => {
          hold.isLost = true;
        };
        const limit = { lockTimeout: ttlMs, acquireTimeout: waitMs };
        hold.mutex = mutexFor(key, { ...limit, onLockLost });
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
