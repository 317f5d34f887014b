import { Lazy, type LivenessBounds } from '../simulator/index.ts';
import { editedPackage } from './edited-package.ts';
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
  SLOT_MOVE_MS,
  SPARE_MS,
} from './patience.ts';

const recipe = new Lazy(() => import('./recipes/redis-simple.ts'));

/** As in memory; a server without the script needs a second call. Finding the server takes more ways. */
const patienceOf = (findingWays: number, unservedMs = 0): LivenessBounds => ({
  settleMs: (of) =>
    DRIFT * (leftoversMs(of) + REDIS_LINK_MS + BACK_OFF_MS + SAFETY_POLL_MS + JITTER_MS) +
    6 * of.latencyMs,
  handoverMs: (of) =>
    6 * of.latencyMs + openingMs(of, REDIS_OPENING_WAYS + findingWays) + SPARE_MS + unservedMs,
});
/** Connecting to the sentinels, handshake and question, and then the question for the role. */
const behindSentinels = patienceOf(8);
/** Connecting, handshake and the question for the slots. */
const onCluster = patienceOf(6);
/** A free key cannot be acquired while its slot moves; clients then back off. */
const whileSlotsMove = patienceOf(6, BACK_OFF_MS + SLOT_MOVE_MS);

/** A process that does not claim delays the next one. */
const CLAIM_MS = 500;
const fairly: LivenessBounds = {
  settleMs: (of) => patienceOf(0).settleMs(of) + DRIFT * CLAIM_MS * (1 + of.waiters),
  handoverMs: (of) => patienceOf(0).handoverMs(of),
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
      topology: { kind: 'sentinels' },
      patience: behindSentinels,
      real: ['redis-sentinels'],
      dial: { death: 'failover', died: 'the master, replaced by Sentinels', replaces: 'master' },
      meaning: 'the same on a master and a replica, watched over by three Sentinels',
    },
    {
      id: 'redis-simple/sentinel-split',
      topology: { kind: 'sentinels', isSplit: true },
      patience: behindSentinels,
      meaning:
        'the same, while the old master and one Sentinel have not heard of the last failover',
      glyph: '◧',
    },
    {
      id: 'redis-simple/cluster',
      topology: { kind: 'cluster' },
      patience: onCluster,
      meaning: 'the same on a Redis Cluster, whose masters have replicas',
      glyph: '▦',
    },
    {
      id: 'redis-simple/cluster-moving',
      topology: { kind: 'cluster', moves: true },
      patience: whileSlotsMove,
      meaning: 'the same, while the slot of the key moves from one master to the other and back',
      glyph: '▤',
    },
    {
      id: 'redis-simple/fair',
      nodes: 1,
      like: 'redis-simple',
      open: ({ node }, host) => recipe.module.openRedisSimple({ node, fair: true }, host),
      // A member of the queue is `‹process›:‹contender›:‹label›`.
      waiterOf: (member) => /^[^:]+:([^:]+):/.exec(member)?.[1],
      patience: fairly,
      meaning: 'the same with fair: true, so that waiters are served in order of arrival',
      glyph: '▥',
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
  load: () => recipe.load(),
  open: ({ node }, host) => recipe.module.openRedisSimple({ node }, host),
  edited: editedPackage('redis-simple', 'openRedisSimple', ({ node }) => ({ node })),
  service: ([address]) => ({
    backend: 'redis-simple',
    url: `redis://${address}`,
    library: 'ioredis',
  }),
  played: { notifiedOn: 'subscribed' },
  promises: {
    renews: true,
    tokens: true,
    patience: patienceOf(0),
    keeps: keepsFence,
    // A member of a line is `‹mode›:‹permits›:‹of›:‹contender›`.
    modeWaiterOf: (member, key) =>
      key.endsWith(':line') ? /^[sxp]:\d+:\d+:(.+)$/.exec(member)?.[1] : undefined,
  },
  wire: { requests: ['SUBSCRIBE', 'undo'] },
  style: { glyph: '■', variant: '□', colour: 'blue', shape: 'square' },
  margin: { isPromised: true },
};
