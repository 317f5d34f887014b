import { Lazy, type LivenessBounds } from '../simulator/index.ts';
import { editedPackage } from './edited-package.ts';
import type { LockUnderTest } from './lock.ts';
import { BACK_OFF_MS, DRIFT, leftoversMs, REDIS_LINK_MS, SPARE_MS } from './patience.ts';

const recipe = new Lazy(() => import('./recipes/redis-getset.ts'));

const POLL_MS = 100;

/**
 * Waiters get no notification of a release. An attempt that missed it takes up to four commands; the next one follows
 * after a polling interval and takes up to three.
 */
const patience: LivenessBounds = {
  settleMs: (of) =>
    DRIFT * (leftoversMs(of) + REDIS_LINK_MS + BACK_OFF_MS + POLL_MS) + 14 * of.latencyMs,
  handoverMs: ({ latencyMs }) => DRIFT * POLL_MS + 14 * latencyMs + SPARE_MS,
};

export const redisGetset: LockUnderTest = {
  name: 'redis-getset',
  kind: 'lock',
  needs: 'redis',
  on: [
    {
      id: 'redis-getset',
      nodes: 1,
      real: ['one-redis', 'one-logged-redis', 'redis-pair'],
      // No server replaces its only one, which restarts without its data.
      dial: { death: 'restart-empty', died: 'its only server, which restarted without its data' },
      meaning: 'one Redis, stamps of the clients’ wall clocks: the legacy recipe, kept to be shown',
    },
  ],
  load: () => recipe.load(),
  open: ({ node }, host) => recipe.module.openRedisGetset({ node }, host),
  edited: editedPackage('redis-getset', 'openRedisGetset', ({ node }) => ({ node })),
  service: ([address]) => ({
    backend: 'redis-getset',
    url: `redis://${address}`,
    library: 'ioredis',
  }),
  played: { trustsClientClocks: true },
  promises: {
    renews: false,
    tokens: false,
    // A loser's stamp over the winner's takes effect only at the very end of the winner's lease.
    overruns: true,
    patience,
    keeps: () => false,
  },
  wire: {
    labels: { acquire: ['SETNX', 'GETSET'], renew: [], release: ['DEL'] },
    points: ['acquire', 'GET', 'release'],
    // The second half of the recipe: part of `acquire`, but a fault on `acquire` rarely affects it.
    requests: Array.from({ length: 9 }, () => 'GETSET'),
  },
  style: { glyph: '◆', variant: '◇', colour: 'yellow', shape: 'diamond' },
  margin: {
    isPromised: false,
    note: 'redis-getset declares no margin and is measured with true clocks: its stamps end with the lease, to the millisecond. Its release deletes any value under the key, also a later grant of another client; that is why its servers are sometimes first.',
  },
};
