import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import type * as SimpleRedisMutex from 'simple-redis-mutex';
import { nodeRedisClient } from '../clients.ts';
import { learnScript } from '../labels.ts';
import type { PeerLibrary } from '../peer.ts';
import { versionOf } from '../versions.ts';

const require = createRequire(import.meta.url);
const file = require.resolve('simple-redis-mutex');
const program = compileFunction(readFileSync(file, 'utf8'), ['exports', 'require', 'module'], {
  filename: file,
});

/** The library keeps its subscriber and its waiters in the module, so that every process needs one of its own. */
function load(): typeof SimpleRedisMutex {
  const module = { exports: {} as typeof SimpleRedisMutex };
  program(module.exports, require, module);
  return module.exports;
}

/** As long, beside the lease, as by default: 10 s of 30 s. */
const POLLING_SHARE = 1 / 3;

await learnRelease();

export const SIMPLE_REDIS_MUTEX: PeerLibrary = {
  name: 'simple-redis-mutex',
  package: 'simple-redis-mutex',
  version: versionOf('simple-redis-mutex'),
  client: 'node-redis',
  usage:
    '`lock(client, key, { timeout, pollingInterval })`, polling at a third of the timeout as by default, the write with `release.fencingToken`, `release()`',
  promise: '`timeout`, counted from when `lock()` resolved: a caller is told no other beginning',
  says: '“Implements distributed mutex lock using redis as described in redis docs”; a fencing token is “an increasing number that is used to identify the order at which locks are acquired”, “for further safety with writes”.',
  nodes: 1,
  renews: false,
  tokens: true,
  labels: { acquire: ['SET'], renew: [], release: ['release'] },
  points: ['acquire', 'INCR', 'release'],
  pollMs: (ttlMs) => ttlMs * POLLING_SHARE,
  open: async ([host = '']) => {
    const client = await nodeRedisClient(host);
    const { lock } = load();
    return {
      acquire: async ({ key, ttlMs }) => {
        const release = await lock(client, key, {
          timeout: ttlMs,
          pollingInterval: ttlMs * POLLING_SHARE,
        });
        const [fromMs, fromWallMs] = [performance.now(), Date.now()];
        const elapsedMs = (): number =>
          Math.max(performance.now() - fromMs, Date.now() - fromWallMs);
        return {
          remainingMs: () => ttlMs - elapsedMs(),
          fencingToken: BigInt(release.fencingToken),
          release,
        };
      },
      close: () => client.destroy(),
    };
  },
};

/** Has it release a lock that a client with fixed replies has granted. */
async function learnRelease(): Promise<void> {
  const client = {
    duplicate: () => client,
    on: () => client,
    connect: done,
    subscribe: done,
    set: () => Promise.resolve('OK'),
    incr: done,
    evalSha: done,
    scriptLoad: (source: string) => {
      learnScript('release', source);
      return Promise.resolve('digest');
    },
  };
  const [, release] = await load().tryLock(
    client as unknown as Parameters<typeof SimpleRedisMutex.tryLock>[0],
    'key',
  );
  await release();
}

function done(): Promise<number> {
  return Promise.resolve(1);
}
