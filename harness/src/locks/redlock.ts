import { Lazy, type LivenessBounds, type LivenessConditions } from '../simulator/index.ts';
import { editedPackage } from './edited-package.ts';
import type { LockUnderTest } from './lock.ts';
import {
  BACK_OFF_MS,
  DRIFT,
  JITTER_MS,
  leftoversMs,
  openingMs,
  REDIS_LINK_MS,
  REDIS_OPENING_WAYS,
  SAFETY_POLL_MS,
  SPARE_MS,
} from './patience.ts';

const recipe = new Lazy(() => import('./recipes/redlock.ts'));

/** The number of nodes in the description of Redlock. */
const NODES = 5;

/** The maximum time of one call to a node, as a share of the ttl; a vote takes one call, its release another. */
const CALL_SHARE = 1 / 10;
/** The maximum back-off after a lost vote. */
const SPREAD_MS_MAX = 400;
/** The maximum number of split votes in a row: each is followed by another in less than one in four cases, so more are rarer than one in a million. */
const SPLITS_MAX = 10;

function splitMs({ ttlMs }: LivenessConditions): number {
  return 2 * ttlMs * CALL_SHARE + SPREAD_MS_MAX;
}

/**
 * One waiter is notified of a release and wins its vote: four ways, and two more if a node does not have a script.
 * Several waiters may split the votes and retry after random times. A waiter may also split votes with the holder just
 * before the release, and no notification shortens its back-off.
 */
const patience: LivenessBounds = {
  settleMs: (of) =>
    DRIFT *
      (leftoversMs(of) +
        REDIS_LINK_MS +
        BACK_OFF_MS +
        SAFETY_POLL_MS +
        JITTER_MS +
        SPLITS_MAX * splitMs(of)) +
    6 * of.latencyMs,
  handoverMs: (of) =>
    6 * of.latencyMs +
    openingMs(of, REDIS_OPENING_WAYS) +
    (of.isOpening === true ? DRIFT * SPREAD_MS_MAX : 0) +
    SPARE_MS +
    (of.waiters > 1 ? DRIFT * SPLITS_MAX * splitMs(of) : 0),
};

export const redlock: LockUnderTest = {
  name: 'redlock',
  kind: 'lock',
  needs: 'redis',
  on: [
    {
      id: 'redlock',
      nodes: NODES,
      real: ['five-redis', 'five-logged-redis'],
      dial: {
        death: 'restart-empty',
        died: 'one of five, which restarted without its data, while the holder reached only three',
      },
      meaning: 'a majority of five independent Redis servers, no fencing token',
    },
    {
      // The minimum that survives one failure: a majority is two, so fewer failures break it.
      id: 'redlock-3',
      nodes: 3,
      repeats: true,
      meaning: 'the same on three servers: a majority is two',
    },
    {
      id: 'redlock-pairs',
      nodes: NODES,
      isReplicated: true,
      meaning: 'redlock on five, each a master that a replica may take over from',
      glyph: '◎',
    },
  ],
  sizes: { min: 3, max: 9 },
  load: () => recipe.load(),
  open: ({ nodes }, host) => recipe.module.openRedlock({ nodes }, host),
  edited: editedPackage('redlock', 'openRedlock', ({ nodes }) => ({ nodes })),
  service: (addresses) => ({
    backend: 'redlock',
    nodes: addresses.map((address) => `redis://${address}`),
    library: 'ioredis',
  }),
  played: { notifiedOn: 'subscribed' },
  promises: {
    renews: true,
    tokens: false,
    patience,
    // The stored list of nodes, which detects a client with another list.
    keeps: (key) => key.endsWith('}:nodes'),
  },
  wire: { requests: ['SUBSCRIBE', 'undo'] },
  style: { glyph: '●', variant: '○', colour: 'magenta', shape: 'circle' },
  margin: { isPromised: true },
};
