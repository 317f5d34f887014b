import { openRedisSimple } from '@holdfast/redis-simple';
import type { LivenessBounds } from '../simulator/index.ts';
import type { LockUnderTest } from './lock.ts';
import {
  BACK_OFF_MS,
  DRIFT,
  JITTER_MS,
  keepsFence,
  leftoversMs,
  openingMs,
  REDIS_LINK_MS,
  REDIS_OPENING_WAYS,
  SAFETY_POLL_MS,
  SPARE_MS,
} from './patience.ts';

/** As in memory; a server without the script needs a second call. */
const patience: LivenessBounds = {
  settleMs: (of) =>
    DRIFT * (leftoversMs(of) + REDIS_LINK_MS + BACK_OFF_MS + SAFETY_POLL_MS + JITTER_MS) +
    6 * of.latencyMs,
  handoverMs: (of) => 6 * of.latencyMs + openingMs(of, REDIS_OPENING_WAYS) + SPARE_MS,
};

export const redisSimple: LockUnderTest = {
  name: 'redis-simple',
  kind: 'lock',
  needs: 'redis',
  on: [
    {
      id: 'redis-simple',
      nodes: 1,
      real: ['one-redis', 'one-logged-redis', 'redis-pair'],
      meaning: 'one Redis, a key with a ttl and a fencing token',
    },
    {
      id: 'redis-simple/sentinel',
      real: ['redis-sentinels'],
      dial: { death: 'failover', died: 'the master, replaced by Sentinels', replaces: 'master' },
      meaning: 'the same on a master and a replica, watched over by three Sentinels',
    },
    {
      id: 'redis-simple/ioredis',
      client: 'ioredis',
      meaning: 'one Redis, a key with a ttl and a fencing token, client ioredis',
      glyph: '■',
    },
    {
      id: 'redis-simple/node-redis',
      client: 'node-redis',
      meaning: 'the same, client node-redis',
    },
  ],
  open: ({ node }, host) => openRedisSimple({ node }, host),
  service: ([address]) => ({
    backend: 'redis-simple',
    url: `redis://${address}`,
    library: 'ioredis',
  }),
  played: { notifiedOn: 'subscribed' },
  promises: { renews: true, tokens: true, patience, keeps: keepsFence },
  wire: { requests: ['SUBSCRIBE', 'undo'] },
  style: { glyph: '■', variant: '□', colour: 'blue', shape: 'square' },
  margin: { isPromised: true },
};
