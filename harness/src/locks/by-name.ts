import { pooledAdvisory } from '../exhibits/stores/advisory-pooled.ts';
import { etcdUnchecked } from '../exhibits/stores/etcd-unchecked.ts';
import { openNaive } from '../exhibits/stores/naive.ts';
import { APP_LOCKS, postgresNow } from '../exhibits/stores/postgres-now.ts';
import { FAMILY_EXHIBITS } from './family-exhibits.ts';
import type { LockUnderTest } from './lock.ts';
import { postgresAdvisory } from './postgres-advisory.ts';

/** The mistakes that people make with other stores than Redis, and with other locks; no table has a column for them. */
export const STORE_EXHIBITS: readonly LockUnderTest[] = [
  {
    name: 'advisory-pooled',
    kind: 'debated',
    needs: 'postgres',
    on: [
      {
        id: 'advisory-pooled',
        nodes: 1,
        topology: { kind: 'pooler' },
        meaning: 'an advisory lock behind a transaction pooler, whose clients share the session',
      },
    ],
    open: ({ database }, host) => openNaive(pooledAdvisory(database), host),
    promises: { renews: false, tokens: false },
    wire: {
      labels: { acquire: ['try-lock'], renew: [], release: ['unlock'] },
      points: ['acquire', 'release'],
    },
  },
  {
    name: 'postgres-now',
    kind: 'debated',
    needs: 'postgres',
    on: [
      {
        id: 'postgres-now',
        nodes: 1,
        meaning: 'a row with an expiry by now(), in a transaction that waits for its turn',
      },
    ],
    open: ({ database, openClient }, host) => openNaive(postgresNow(database, openClient), host),
    promises: { renews: false, tokens: false },
    wire: {
      labels: { acquire: ['UPDATE'], renew: [], release: ['release'] },
      points: ['acquire', 'COMMIT', 'release'],
      requests: ['BEGIN', 'create-row'],
      schema: () => APP_LOCKS,
    },
  },
  {
    name: 'etcd-unchecked',
    kind: 'debated',
    needs: 'etcd',
    on: [
      {
        id: 'etcd-unchecked',
        nodes: 3,
        meaning: 'a queue of keys in etcd, whose waiters do not look at their own key',
      },
    ],
    open: ({ etcd }, host) => openNaive(etcdUnchecked(etcd, host.runtime), host),
    promises: { renews: false, tokens: false },
    wire: {
      labels: { acquire: ['create'], renew: [], release: ['revoke'] },
      points: ['acquire', 'keepAlive', 'release'],
      requests: ['grant', 'look'],
    },
  },
  ...FAMILY_EXHIBITS,
];

/** Locks that only their names reach: without a column, in stories and in searches. */
export const BY_NAME: readonly LockUnderTest[] = [postgresAdvisory, ...STORE_EXHIBITS];
