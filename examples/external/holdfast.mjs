/**
 * Holdfast as a command among others: holdfast.mjs redis-simple|redlock [plain], or holdfast.mjs zk [/locks]. The second word
 * lets it exclude other libraries on the same store.
 */
import { LockError, openLocks } from 'holdfast';
import { serve } from './bench-lines.mjs';

const [backend, beside] = process.argv.slice(2);

function configFor(servers, ttlMs) {
  const layout = beside === undefined ? {} : { layout: beside };
  const urls = servers.map((server) => `redis://${server}`);
  if (backend === 'redis-simple') return { backend, url: urls[0], ...layout, ttlMs };
  if (backend === 'redlock') return { backend, nodes: urls, ...layout, ttlMs };
  const locksAt = beside === undefined ? {} : { locksAt: beside };
  return { backend, url: `zk://${servers.join(',')}?sessionTimeout=${ttlMs}`, ...locksAt };
}

serve(async ({ servers, ttlMs }) => {
  const locks = await openLocks(configFor(servers, ttlMs));
  const held = new Map();
  return {
    name: `Holdfast ${backend}`,
    options: 'renews by itself; stops when its lease is over',
    locks: {
      acquire: async (key, waitMs) => {
        try {
          held.set(key, await locks.acquire(key, { waitMs }));
          return true;
        } catch (error) {
          if (error instanceof LockError) return false;
          throw error;
        }
      },
      holds: async (key) => held.get(key).remainingMs() > 0,
      release: async (key) => (await held.get(key).release()).kind === 'released',
    },
  };
});
