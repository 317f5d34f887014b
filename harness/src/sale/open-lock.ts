import {
  type Backend,
  createLocks,
  type Host,
  type ListenableHost,
  type Locks,
} from '@holdfast/core';
import { type LockView, lockOf, subjectOf } from '../locks/index.ts';

/** Longer than any sale: who still waits is told when it is called off. */
const WAIT_MS = 600_000;
/** In a flash sale nobody sleeps for long. */
const POLL_MS = 10;

/** Where a lock on Redis asks for sessions all the same. */
export const NO_ENSEMBLE: LockView['openSession'] = () =>
  Promise.reject(new Error('this shop has no ZooKeeper'));

/** A lock that a shop sells under. */
export interface SaleLock {
  /** How many servers it is on. */
  readonly nodes: number;
  /** True if those are one ZooKeeper ensemble; otherwise they are Redis servers. */
  readonly ensemble?: boolean;
  readonly open: (view: LockView, host: Host) => Promise<Backend>;
}

/** @throws RangeError for a name that is none of ours */
export function lockFor(name: string): SaleLock {
  const { nodes, ensemble = false } = subjectOf(name);
  const open = lockOf(name)?.open;
  if (open === undefined) throw new RangeError(`${name} opens nothing`);
  return { nodes, ensemble, open: (view, host) => open(view, host, { pollMs: POLL_MS }) };
}

/** On a session backend the ttl belongs to the opening. */
export function locksOf(backend: Backend, host: ListenableHost, ttlMs: number): Locks {
  const isSession = backend.capabilities.lease === 'session';
  return createLocks(backend, host, { ...(isSession ? {} : { ttlMs }), waitMs: WAIT_MS });
}
