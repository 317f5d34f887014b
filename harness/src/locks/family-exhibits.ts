import { createHost, type Host, MemoryStore, openMemory } from '@holdfast/core/backend';
import { createBatched } from '../exhibits/stores/context-batcher.ts';
import { type NaiveLock, openNaive } from '../exhibits/stores/naive.ts';
import { readersFirst } from '../exhibits/stores/readers-first.ts';
import { reentrantByKey } from '../exhibits/stores/reentrant-by-key.ts';
import { PERMITS, semaphoreByClients } from '../exhibits/stores/semaphore-by-clients.ts';
import { OF, semaphoreByMajority } from '../exhibits/stores/semaphore-by-majority.ts';
import type { LockUnderTest, LockView } from './lock.ts';

/** The number of servers of a majority that can lose one. */
const MAJORITY_NODES = 3;

/** Mistakes with re-entry, readers and permits. */
export const FAMILY_EXHIBITS: readonly LockUnderTest[] = [
  {
    ...onRedis(
      'semaphore-by-clients',
      'a semaphore whose holders are scored by the clocks of the clients',
      ({ node }, { runtime }) => semaphoreByClients(node, runtime),
    ),
    modeOf: () => ({ kind: 'permits', permits: 1, of: PERMITS }),
  },
  {
    ...onRedis(
      'semaphore-by-majority',
      'a semaphore that a majority of three servers counts, each for itself',
      ({ nodes }) => semaphoreByMajority(nodes),
      { nodes: MAJORITY_NODES },
    ),
    modeOf: () => ({ kind: 'permits', permits: 1, of: OF }),
  },
  {
    ...onRedis(
      'readers-first',
      'a lock with readers, who never wait for a writer that waits',
      ({ node }) => readersFirst(node),
    ),
    modeOf: ({ client }) => ({ kind: client === 'c' ? 'exclusive' : 'shared' }),
  },
  onRedis(
    'reentrant-by-key',
    'a re-entrant lock that takes every request of a process for the holder',
    ({ node }, { label }) => reentrantByKey(node, label),
    { release: 'release' },
  ),
  {
    name: 'context-batcher',
    kind: 'debated',
    needs: 'nothing',
    on: [
      {
        id: 'context-batcher',
        nodes: 0,
        meaning: 'a sound lock, re-entered by context, under a batcher made inside a body',
      },
    ],
    open: ({ store, link }, host) => openMemory({ store, link }, host),
    promises: {
      renews: true,
      tokens: true,
      core: { createHost, createLocks: createBatched, MemoryStore },
    },
  },
];

function onRedis(
  name: string,
  meaning: string,
  lockOn: (view: LockView, host: Host) => NaiveLock,
  { nodes = 1, release = 'ZREM' }: { readonly nodes?: number; readonly release?: string } = {},
): LockUnderTest {
  return {
    name,
    kind: 'debated',
    needs: 'redis',
    on: [{ id: name, nodes, meaning }],
    open: (view, host) => openNaive(lockOn(view, host), host),
    promises: { renews: false, tokens: false },
    wire: {
      labels: { acquire: ['acquire'], renew: [], release: [release] },
      points: ['acquire', 'release'],
    },
  };
}
