import { Mutex, RedlockMutex } from 'redis-semaphore';
import { expireIfEqualLua } from 'redis-semaphore/lib/mutex/refresh.js';
import { delIfEqualLua } from 'redis-semaphore/lib/mutex/release.js';
import { ioredisClients } from '../clients.ts';
import { learnEvaluated } from '../labels.ts';
import { type Hold, type PeerLibrary, STILL_HELD_MS, type Want } from '../peer.ts';
import { ASK_AGAIN_MS } from '../peer-locks.ts';
import { versionOf } from '../versions.ts';

await learnEvaluated('renew', (client) => expireIfEqualLua(client, ['key', 'identifier', 1]));
await learnEvaluated('release', (client) => delIfEqualLua(client, ['key', 'identifier']));

const COMMON = {
  package: 'redis-semaphore',
  version: versionOf('redis-semaphore'),
  client: 'ioredis',
  promise: '`isAcquired` until `onLockLost` is called',
  renews: true,
  tokens: false,
  labels: { acquire: ['SET'], renew: ['renew'], release: ['release'] },
  points: ['acquire', 'renew', 'release'],
  // `retryInterval` by default; after `acquireTimeout` it rejects, and the caller tries again.
  pollMs: () => 10 + ASK_AGAIN_MS,
} as const;

export const REDIS_SEMAPHORE: PeerLibrary = {
  ...COMMON,
  name: 'redis-semaphore',
  usage:
    '`new Mutex(client, key, { lockTimeout, onLockLost })`, `acquire()`, `isAcquired` before the write, `release()`',
  says: '“Fail-safe (all actions performed by LUA scripts (atomic))”; `onLockLost` is “called when lock loss is detected due refresh cycle”.',
  nodes: 1,
  open: async (hosts) => {
    const [client, ...more] = await ioredisClients(hosts);
    if (client === undefined || more.length > 0) throw new Error('a Mutex takes one client');
    return {
      acquire: (want) => held(want, (key, options) => new Mutex(client, key, options)),
      close: () => client.disconnect(),
    };
  },
};

export const REDIS_SEMAPHORE_REDLOCK: PeerLibrary = {
  ...COMMON,
  name: 'redis-semaphore, redlock',
  usage: '`new RedlockMutex(clients, key, { lockTimeout, onLockLost })`, otherwise the same',
  says: 'The README refers to the description of Redlock at redis.io, and adds nothing to it.',
  nodes: 5,
  open: async (hosts) => {
    const clients = [...(await ioredisClients(hosts))];
    return {
      acquire: (want) => held(want, (key, options) => new RedlockMutex(clients, key, options)),
      close: () => clients.forEach((client) => client.disconnect()),
    };
  },
};

interface Options {
  readonly lockTimeout: number;
  readonly onLockLost: (error: Error) => void;
}

type AnyMutex = Pick<Mutex, 'acquire' | 'isAcquired' | 'release'>;

async function held(
  { key, ttlMs, lost }: Want,
  make: (key: string, options: Options) => AnyMutex,
): Promise<Hold> {
  const mutex = make(key, { lockTimeout: ttlMs, onLockLost: ({ message }) => lost(message) });
  await mutex.acquire();
  return {
    remainingMs: () => (mutex.isAcquired ? STILL_HELD_MS : 0),
    release: () => mutex.release(),
  };
}
