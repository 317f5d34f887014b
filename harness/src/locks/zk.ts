import * as port from '@holdfast/zk/port';
import { Lazy, type LivenessBounds, type LivenessConditions } from '../simulator/index.ts';
import { editedPackage } from './edited-package.ts';
import type { LockUnderTest } from './lock.ts';
import { BACK_OFF_MS, DRIFT, SPARE_MS } from './patience.ts';

const recipe = new Lazy(() => import('./recipes/zk.ts'));

/** The number of servers in a small ensemble. */
const SERVERS = 3;
/** The minimum validity of a grant, as a share of T: a little more than a third, minus the time of messages. */
const FIXED_SHARE = 0.3;

/** Followers drop their leader after five ticks, and an election takes up to five more; T is two ticks. */
const ELECTION_TS = 5;
/** A new leader restarts the timeout of every session, and rounds up to a tick. */
const EXPIRY_TS = 1.5;
/** A client drops a silent server after two thirds of T, and replaces a lost session after 2 T. */
const SESSION_TS = 3;
/** Connecting, with the pauses between attempts. */
const LINK_MS = 1_500;
/**
 * A delete takes four ways to be committed, and two more until the watcher is notified. The watcher lists, two ways;
 * syncs with the leader, four; and proves that its session is alive by a write, six.
 */
const WAYS = 18;
/** The watcher's server lags three times: for the notification, the sync and the proof. */
const LAGS = 3;
/** If the container is gone, the first create fails and a second one creates it: six ways each, and applied with a lag. */
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
      meaning: 'the same on one server, without another copy of its data',
    },
  ],
  load: () => recipe.load(),
  open: ({ openSession }, host) => recipe.module.openZk({ open: openSession }, host),
  edited: editedPackage('zk', 'openZk', ({ openSession }) => ({ open: openSession }), port),
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
    // Servers that have all lost their data refuse the clients of the matrix, which have seen more than they have. A new
    // client could be granted the key at once, so a margin there would mean nothing.
    only: { fault: 'restart-empty', variant: 'a minority' },
    note: 'zk leaves more because its servers end a session on a tick boundary and after its whole timeout, while holders count on two thirds of it at most.',
  },
};
