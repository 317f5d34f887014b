import { openRedlock } from '@holdfast/redlock';
import type { LivenessBounds, LivenessConditions } from '../simulator/index.ts';
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

/** As many nodes as the description of Redlock takes. */
const NODES = 5;

/** No single call to a node takes longer, as a share of the ttl; a vote takes one, giving it back another. */
const CALL_SHARE = 1 / 10;
/** Nobody stays away for longer after a lost vote. */
const SPREAD_MS_MAX = 400;
/** Each split makes the next less likely, to less than one in four; so many in a row are rarer than one in a million. */
const SPLITS_MAX = 10;

function splitMs({ ttlMs }: LivenessConditions): number {
  return 2 * ttlMs * CALL_SHARE + SPREAD_MS_MAX;
}

/**
 * One waiter is told of a release and wins its vote: four ways, and two more where a node has forgotten a script. Several
 * may split the votes between them, and come back after random times. So may the one that has just asked, with the holder,
 * and no release cuts the time for which it then stays away.
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
      // The fewest that outlive one: a majority is two, so that less has to go wrong.
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
  open: ({ nodes }, host) => openRedlock({ nodes }, host),
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
    // The list of nodes, by which a client with another list is found out.
    keeps: (key) => key.endsWith('}:nodes'),
  },
  wire: { requests: ['SUBSCRIBE', 'undo'] },
  style: { glyph: '●', variant: '○', colour: 'magenta', shape: 'circle' },
  margin: { isPromised: true },
};
