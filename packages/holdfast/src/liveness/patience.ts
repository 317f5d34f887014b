import type { Patience, Situation } from '@holdfast/sim';

/**
 * How long whoever waits may have to wait for a key that nobody holds, for each of our locks, and why. The simulator
 * demands these bounds of healthy clients beside a healthy quorum; `holdfast find --property liveness` searches for a
 * schedule in which they are exceeded.
 */

/** Clocks may run wrong by up to 30 %, and so do timers then. */
const DRIFT = 1.5;
/** For timers that fire a moment late, and steps in between. */
const SPARE_MS = 10;

/** Without an answer core tries again after this at the latest. */
const BACK_OFF_MS = 2_000;
/** A waiter on Redis looks again after this at the latest, and comes back spread over the jitter. */
const SAFETY_POLL_MS = 2_000;
const JITTER_MS = 50;
/** A link on which nothing is answered is given up after this; dialling takes so long at most, and pauses so long. */
const REDIS_SILENCE_MS = 4_000;
const REDIS_CONNECT_MS = 2_000;
const REDIS_PAUSE_MS = 1_000;
const REDIS_LINK_MS = REDIS_SILENCE_MS + REDIS_CONNECT_MS + REDIS_PAUSE_MS;

/**
 * What a dead client, or a request that landed late, left on a server stands for a ttl by the server's clock; jumps of
 * wall clocks can make that longer.
 */
function leftoversMs({ ttlMs, jumpedMs }: Situation): number {
  return ttlMs + jumpedMs;
}

/**
 * A waiter that has not subscribed yet as the key is released: the answer to its latest attempt, then dialling, greeting
 * and subscribing on a connection of its own; memory only subscribes. What comes next is as for any other waiter.
 */
const OPENING_WAYS = { memory: 2, redis: 6 } as const;

function openingMs(
  { latencyMs, isOpening = false }: Situation,
  at: keyof typeof OPENING_WAYS,
): number {
  return isOpening ? OPENING_WAYS[at] * latencyMs : 0;
}

/** A release reaches the server, its news the waiter, and the waiter's attempt the server and the waiter: four ways. */
const MEMORY: Patience = {
  settleMs: (of) => DRIFT * (leftoversMs(of) + BACK_OFF_MS) + 4 * of.latencyMs,
  handoverMs: (of) => 4 * of.latencyMs + openingMs(of, 'memory') + SPARE_MS,
};

/** As in memory; a server that has forgotten a script is asked twice. */
const REDIS_SIMPLE: Patience = {
  settleMs: (of) =>
    DRIFT * (leftoversMs(of) + REDIS_LINK_MS + BACK_OFF_MS + SAFETY_POLL_MS + JITTER_MS) +
    6 * of.latencyMs,
  handoverMs: (of) => 6 * of.latencyMs + openingMs(of, 'redis') + SPARE_MS,
};

const GETSET_POLL_MS = 100;

/**
 * Nobody is told of a release: a look at the key that missed it takes up to four commands, the next one comes a poll
 * later, and takes three at the worst.
 */
const REDIS_GETSET: Patience = {
  settleMs: (of) =>
    DRIFT * (leftoversMs(of) + REDIS_LINK_MS + BACK_OFF_MS + GETSET_POLL_MS) + 14 * of.latencyMs,
  handoverMs: ({ latencyMs }) => DRIFT * GETSET_POLL_MS + 14 * latencyMs + SPARE_MS,
};

/** No single call to a node takes longer, as a share of the ttl; a vote takes one, giving it back another. */
const CALL_SHARE = 1 / 10;
/** Nobody stays away for longer after a lost vote. */
const SPREAD_MS_MAX = 400;
/** Each split makes the next less likely, to less than one in four; so many in a row are rarer than one in a million. */
const SPLITS_MAX = 10;

function splitMs({ ttlMs }: Situation): number {
  return 2 * ttlMs * CALL_SHARE + SPREAD_MS_MAX;
}

/**
 * One waiter is told of a release and wins its vote: four ways, and two more where a node has forgotten a script. Several
 * may split the votes between them, and come back after random times. So may the one that has just asked, with the holder,
 * and no release cuts the time for which it then stays away.
 */
const REDLOCK: Patience = {
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
    openingMs(of, 'redis') +
    (of.isOpening === true ? DRIFT * SPREAD_MS_MAX : 0) +
    SPARE_MS +
    (of.waiters > 1 ? DRIFT * SPLITS_MAX * splitMs(of) : 0),
};

/** Followers give their leader up after five ticks, and look for another for as long at the worst; T is two ticks. */
const ZK_ELECTION_TS = 5;
/** A new leader gives every session its full time again, and rounds up to a tick. */
const ZK_EXPIRY_TS = 1.5;
/** A client gives a silent server up after two thirds of T, and opens another session beside a lost one after 2 T. */
const ZK_SESSION_TS = 3;
/** Dialling, and the pauses between. */
const ZK_LINK_MS = 1_500;
/**
 * Deleting takes four ways to be committed, and two more until the watcher hears of it. Then it lists, two ways; asks
 * the leader, four; and proves that its session lives by a write, six.
 */
const ZK_WAYS = 18;
/** The watcher's server tells it when it has caught up, and so it answers the leader's word and the proof. */
const ZK_LAGS = 3;
/** Where the container is gone, the first creation is refused and the second makes it: each six ways, and applied late. */
const ZK_MAKING = { ways: 12, lags: 2 } as const;

function zkWaysMs({ latencyMs, lagMs = 0, isReaped = false }: Situation): number {
  const ways = ZK_WAYS + (isReaped ? ZK_MAKING.ways : 0);
  return ways * latencyMs + (ZK_LAGS + (isReaped ? ZK_MAKING.lags : 0)) * lagMs;
}

const ZK: Patience = {
  settleMs: (of) =>
    DRIFT *
      ((ZK_ELECTION_TS + ZK_EXPIRY_TS + ZK_SESSION_TS) * of.ttlMs + ZK_LINK_MS + BACK_OFF_MS) +
    zkWaysMs(of),
  handoverMs: (of) => zkWaysMs(of) + SPARE_MS,
};

export type Patient = 'memory' | 'redis-simple' | 'redis-getset' | 'redlock' | 'zk';

export const PATIENCE: Readonly<Record<Patient, Patience>> = {
  memory: MEMORY,
  'redis-simple': REDIS_SIMPLE,
  'redis-getset': REDIS_GETSET,
  redlock: REDLOCK,
  zk: ZK,
};

/** Fencing tokens live on for a day, so that none is given out twice. */
export function keepsFence(key: string): boolean {
  return key.endsWith(':fence');
}

/** The list of nodes, by which a client with another list is found out. */
export function keepsNodeList(key: string): boolean {
  return key.endsWith('}:nodes');
}

export function keepsNothing(): boolean {
  return false;
}
