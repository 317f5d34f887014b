import type { FaultId } from '@holdfast/core';
import { type ClockedEnsemble, Ensemble } from '../sites/ensemble.ts';
import { FiveRedis } from '../sites/five-redis.ts';
import { LinkedEnsemble, type LinkedServers } from '../sites/linked-ensemble.ts';
import { noLock } from '../sites/no-lock.ts';
import { ReplicatedRedis } from '../sites/redis-pair.ts';
import { SentinelRedis } from '../sites/sentinel-redis.ts';
import { SingleRedis } from '../sites/single-redis.ts';
import { SingleZooKeeper } from '../sites/single-zookeeper.ts';
import type { Site, SiteParts } from '../sites/site.ts';
import type { LabColumnId } from './columns.ts';

/** What a site is made of, and the ensemble, which is started for the first trial that needs it. */
export interface Grounds extends SiteParts {
  ensemble(): Promise<ClockedEnsemble>;
  /** Another, whose members are to be cut from each other. */
  linked(): Promise<LinkedServers>;
}

export type OpenSite = (grounds: Grounds) => Promise<Site>;

const single: OpenSite = (grounds) => SingleRedis.open(grounds);
const logged: OpenSite = (grounds) => SingleRedis.open(grounds, { durable: true });
const legacy: OpenSite = (grounds) => SingleRedis.open(grounds, { backend: 'redis-getset' });
const pair: OpenSite = (grounds) => ReplicatedRedis.open(grounds);
const sentinel: OpenSite = (grounds) => SentinelRedis.open(grounds);
const five: OpenSite = (grounds) => FiveRedis.open(grounds);
const ensemble: OpenSite = async (grounds) => Ensemble.open(grounds, await grounds.ensemble());
const linked: OpenSite = async (grounds) => LinkedEnsemble.open(grounds, await grounds.linked());
const lonely: OpenSite = (grounds) => SingleZooKeeper.open(grounds);
const legacyLogged: OpenSite = (grounds) =>
  SingleRedis.open(grounds, { backend: 'redis-getset', durable: true });
const legacyPair: OpenSite = (grounds) => ReplicatedRedis.open(grounds, 'redis-getset');
const fiveLogged: OpenSite = (grounds) => FiveRedis.open(grounds, { durable: true });

export type Plays = Readonly<Partial<Record<FaultId, OpenSite>>>;

/** Of each column the faults that tell most, and on which servers. */
export const PLAYS: Readonly<Record<LabColumnId, Plays>> = {
  'no-lock': { none: () => Promise.resolve(noLock()), pause: () => Promise.resolve(noLock()) },
  'redis-simple': {
    none: single,
    delay: single,
    pause: single,
    'server-clock-forward': single,
    'server-stop': single,
    'restart-empty': single,
    'restart-durable': logged,
    'torn-log': logged,
    failover: pair,
    'split-brain': pair,
    'client-cut': single,
    'holder-crash': single,
  },
  'redis-simple/sentinel': { failover: sentinel },
  'redis-getset': {
    none: legacy,
    pause: legacy,
    'client-clock': legacy,
    'server-stop': legacy,
    'restart-empty': legacy,
    failover: legacyPair,
    'client-cut': legacy,
    'holder-crash': legacy,
  },
  redlock: {
    none: five,
    delay: five,
    pause: five,
    'server-clock-forward': five,
    'server-stop': five,
    'restart-empty': five,
    'torn-log': fiveLogged,
    'client-cut': five,
    'majority-down': five,
    'holder-crash': five,
  },
  zk: {
    none: ensemble,
    delay: ensemble,
    pause: ensemble,
    'server-clock-forward': ensemble,
    'server-stop': ensemble,
    failover: ensemble,
    'client-cut': ensemble,
    'holder-crash': ensemble,
  },
  'zk/single': {},
};

/** All else that real servers can show: what a full evaluation plays besides. */
export const FURTHER: Readonly<Partial<Record<LabColumnId, Plays>>> = {
  'redis-simple': {
    reorder: single,
    'lost-reply': single,
    'pause-acquire': single,
    'loop-block': single,
    'client-clock': single,
    'server-clock-back': single,
    'peer-cut': pair,
    'majority-down': logged,
    'lost-wakeup': single,
    swizzle: single,
    suspend: single,
  },
  'redis-getset': {
    delay: legacy,
    reorder: legacy,
    'lost-reply': legacy,
    'loop-block': legacy,
    'server-clock-forward': legacy,
    'server-clock-back': legacy,
    'restart-durable': legacyLogged,
    'torn-log': legacyLogged,
    'split-brain': legacyPair,
    'peer-cut': legacyPair,
    'majority-down': legacyLogged,
    swizzle: legacy,
    suspend: legacy,
  },
  redlock: {
    reorder: five,
    'lost-reply': five,
    'pause-acquire': five,
    'loop-block': five,
    'client-clock': five,
    'server-clock-back': five,
    'restart-durable': fiveLogged,
    'lost-wakeup': five,
    swizzle: five,
    suspend: five,
  },
  zk: {
    reorder: ensemble,
    'lost-reply': ensemble,
    'pause-acquire': ensemble,
    'loop-block': ensemble,
    'client-clock': ensemble,
    'server-clock-back': ensemble,
    'restart-empty': ensemble,
    'restart-durable': ensemble,
    'peer-cut': linked,
    'majority-down': ensemble,
    'lost-wakeup': ensemble,
    swizzle: ensemble,
    suspend: ensemble,
  },
  'zk/single': {
    'server-stop': lonely,
    'restart-empty': lonely,
    'restart-durable': lonely,
    'torn-log': lonely,
  },
};
