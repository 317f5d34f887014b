import * as port from '@holdfast/etcd/port';
import { Lazy, type LivenessBounds, type LivenessConditions } from '../simulator/index.ts';
import { editedPackage } from './edited-package.ts';
import type { LockUnderTest } from './lock.ts';
import { BACK_OFF_MS, DRIFT, openingMs, SPARE_MS } from './patience.ts';

const recipe = new Lazy(() => import('./recipes/etcd.ts'));

/** The number of servers in a small cluster. */
const SERVERS = 3;

/** Up to two election timeouts of 0.3 T until a leader is missed, and as long again until one is elected. */
const ELECTION_TS = 1.2;
/** A new leader starts each ttl again and adds an election timeout. */
const EXPIRY_TS = 1.3;
/** Leaders look for expired leases so often. */
const LOOK_MS = 500;
/** A server that does not answer is left after a tenth of T; each of three may have to be. */
const SERVER_TS = 1;
/**
 * A release reaches the next in line after six ways: to its server, on to the leader, there and back to a majority, on to
 * the server of the watch, and to its client. That one looks, which takes six, and may have to prove first: four for the
 * keep-alive, six for the read behind it.
 */
const WAYS = 22;
/** A waiter that has entered and does not watch yet: its reply and its watch take so much longer. */
const OPENING_WAYS = 2;
/** The server of the client lags for the notification, the look and the proof. */
const LAGS = 3;

function waysMs(of: LivenessConditions): number {
  return WAYS * of.latencyMs + openingMs(of, OPENING_WAYS) + LAGS * (of.lagMs ?? 0);
}

const patience: LivenessBounds = {
  settleMs: (of) =>
    DRIFT * ((ELECTION_TS + EXPIRY_TS + SERVER_TS) * of.ttlMs + LOOK_MS + BACK_OFF_MS) + waysMs(of),
  handoverMs: (of) => waysMs(of) + SPARE_MS,
};

export const etcd: LockUnderTest = {
  name: 'etcd',
  kind: 'lock',
  needs: 'etcd',
  on: [
    {
      id: 'etcd',
      nodes: SERVERS,
      real: ['etcd-ensemble'],
      meaning: 'an etcd cluster of three: queues of keys with leases, and a strict fencing token',
    },
    {
      id: 'etcd/uncured',
      topology: { kind: 'old-release' },
      meaning:
        'the same on a release older than 3.4.31, 3.5.13 or 3.6, whose leader revokes leases without checking that it still leads (etcd#15247)',
    },
  ],
  load: () => recipe.load(),
  open: ({ etcd: client }, host) => recipe.module.openEtcd({ client }, host),
  edited: editedPackage('etcd', 'openEtcd', ({ etcd: client }) => ({ client }), port),
  service: (addresses) => ({ backend: 'etcd', url: `etcd://${addresses.join(',')}` }),
  played: { notifiedOn: 'open' },
  promises: { renews: true, tokens: true, patience },
  wire: {
    labels: { acquire: ['create'], renew: ['keepAlive'], release: ['delete'] },
    requests: ['grant', 'look', 'watch', 'revoke'],
  },
  style: { glyph: '▼', variant: '▽', colour: 'green', shape: 'triangle' },
};
