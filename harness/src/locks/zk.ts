import { openZk } from '@holdfast/zk';
import type { LivenessBounds, LivenessConditions } from '../simulator/index.ts';
import type { LockUnderTest } from './lock.ts';
import { BACK_OFF_MS, DRIFT, SPARE_MS } from './patience.ts';

/** As many servers as a small ensemble has. */
const SERVERS = 3;
/** Of T: a lease begins with a little more than a third of it at the worst, and messages take time too. */
const FIXED_SHARE = 0.3;

/** Followers give their leader up after five ticks, and look for another for as long at the worst; T is two ticks. */
const ELECTION_TS = 5;
/** A new leader gives every session its full time again, and rounds up to a tick. */
const EXPIRY_TS = 1.5;
/** A client gives a silent server up after two thirds of T, and opens another session beside a lost one after 2 T. */
const SESSION_TS = 3;
/** Dialling, and the pauses between. */
const LINK_MS = 1_500;
/**
 * Deleting takes four ways to be committed, and two more until the watcher hears of it. Then it lists, two ways; asks
 * the leader, four; and proves that its session lives by a write, six.
 */
const WAYS = 18;
/** The watcher's server tells it when it has caught up, and so it answers the leader's word and the proof. */
const LAGS = 3;
/** Where the container is gone, the first creation is refused and the second makes it: each six ways, and applied late. */
const MAKING = { ways: 12, lags: 2 } as const;

function waysMs({ latencyMs, lagMs = 0, isReaped = false }: LivenessConditions): number {
  const ways = WAYS + (isReaped ? MAKING.ways : 0);
  return ways * latencyMs + (LAGS + (isReaped ? MAKING.lags : 0)) * lagMs;
}

const patience: LivenessBounds = {
  settleMs: (of) =>
    DRIFT * ((ELECTION_TS + EXPIRY_TS + SESSION_TS) * of.ttlMs + LINK_MS + BACK_OFF_MS) +
    waysMs(of),
  handoverMs: (of) => waysMs(of) + SPARE_MS,
};

export const zk: LockUnderTest = {
  name: 'zk',
  kind: 'lock',
  needs: 'zookeeper',
  on: [
    {
      id: 'zk',
      nodes: SERVERS,
      real: ['ensemble', 'linked-ensemble'],
      dial: { death: 'failover', died: 'the leader', replaces: 'leader' },
      meaning:
        'a ZooKeeper ensemble of three: queues of ephemeral nodes, and a strict fencing token',
    },
    {
      id: 'zk/single',
      real: ['one-zookeeper'],
      meaning: 'the same on one server, which nobody else makes remember',
    },
  ],
  open: ({ openSession }, host) => openZk({ open: openSession }, host),
  service: (addresses) => ({ backend: 'zk', url: `zk://${addresses.join(',')}` }),
  played: { notifiedOn: 'open' },
  promises: { renews: true, tokens: true, fixedShare: FIXED_SHARE, patience },
  wire: {
    labels: { acquire: ['create'], renew: ['setData'], release: ['delete'] },
    requests: ['list', 'sync', 'existsWatch'],
  },
  style: { glyph: '▲', variant: '△', colour: 'cyan', shape: 'triangle' },
  margin: {
    isPromised: true,
    // Servers that have all lost their data turn the clients of the matrix away, because these have seen more than they
    // have; a newcomer could be granted the key at once, so nothing is kept there but appearances.
    only: { fault: 'restart-empty', variant: 'a minority' },
    note: 'zk leaves more because its servers end a session on a tick boundary and after its whole timeout, while holders count on two thirds of it at most.',
  },
};
