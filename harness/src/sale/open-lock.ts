import { type Locks } from '@holdfast/core';
import { type Backend, createLocks, type Host, type ListenableHost } from '@holdfast/core/backend';
import { type LockView, lockOf, subjectOf } from '../locks/index.ts';
import { kindOf, type Subject } from '../simulator/index.ts';

/** Longer than any sale, in ms: a waiter ends when the sale does. */
export const WAIT_MS = 600_000;
/** A short poll interval, as a flash sale needs, in ms. */
const POLL_MS = 10;

/** A lock that a shop sells under. */
export interface SaleLock extends Subject {
  readonly open: (view: LockView, host: Host) => Promise<Backend>;
}

/** @throws RangeError for an unknown name */
export function lockFor(name: string): SaleLock {
  const open = lockOf(name)?.open;
  if (open === undefined) throw new RangeError(`${name} has no backend to open`);
  return { ...subjectOf(name), open: (view, host) => open(view, host, { pollMs: POLL_MS }) };
}

/** The number of Redis servers that have its locks; undefined if other servers have them. */
export function redisServersOf(lock: SaleLock): number | undefined {
  return kindOf(lock) === 'redis' ? lock.nodes : undefined;
}

/** Creates locks. On a session backend the ttl is an option of opening. */
export function locksOf(backend: Backend, host: ListenableHost, ttlMs: number): Locks {
  const isSession = backend.capabilities.lease === 'session';
  return createLocks(backend, host, { ...(isSession ? {} : { ttlMs }), waitMs: WAIT_MS });
}
