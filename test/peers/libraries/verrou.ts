import { Verrou } from '@verrou/core';
import { RedisStore, redisStore } from '@verrou/core/drivers/redis';
import { ioredisClients } from '../clients.ts';
import { learnEvaluated } from '../labels.ts';
import type { PeerLibrary } from '../peer.ts';
import { versionOf } from '../versions.ts';

await learnEvaluated('renew', (connection) =>
  new RedisStore({ connection }).extend('key', 'owner', 1),
);
await learnEvaluated('release', (connection) =>
  new RedisStore({ connection }).delete('key', 'owner'),
);

export const VERROU: PeerLibrary = {
  name: 'Verrou',
  package: '@verrou/core',
  version: versionOf('@verrou/core'),
  client: 'ioredis',
  usage:
    '`createLock(key, ttl)` on `redisStore({ connection })`, `acquire()`, `isExpired()` before the write, `release()`',
  promise: '`getRemainingTime()`, by the caller’s wall clock',
  says: '“provides a consistent API across all drivers”; it makes no statement about faults.',
  nodes: 1,
  renews: false,
  tokens: false,
  labels: { acquire: ['SET'], renew: ['renew'], release: ['release'] },
  points: ['acquire', 'release'],
  // `retry.delay`, by default.
  pollMs: () => 250,
  open: async (hosts) => {
    const [connection, ...more] = await ioredisClients(hosts);
    if (connection === undefined || more.length > 0) throw new Error('it takes one client');
    const stores = { redis: { driver: redisStore({ connection }) } };
    const verrou = new Verrou({ default: 'redis', stores });
    return {
      acquire: async ({ key, ttlMs }) => {
        const lock = verrou.createLock(key, ttlMs);
        if (!(await lock.acquire())) throw new Error('not acquired');
        return {
          remainingMs: () => (lock.isExpired() ? 0 : (lock.getRemainingTime() ?? 0)),
          release: () => lock.release(),
        };
      },
      close: () => connection.disconnect(),
    };
  },
};
