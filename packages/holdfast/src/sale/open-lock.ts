import {
  type Backend,
  createLocks,
  type Host,
  type ListenableHost,
  type Locks,
} from '@holdfast/core';
import { openExhibit } from '@holdfast/exhibits';
import type { RedisNode } from '@holdfast/redis/port';
import { openRedisGetset } from '@holdfast/redis-getset';
import { openRedisSimple } from '@holdfast/redis-simple';
import { openRedlock } from '@holdfast/redlock';
import type { LockName } from './step.ts';

/** Longer than any sale: who still waits is told when it is called off. */
const WAIT_MS = 600_000;
/** In a flash sale nobody sleeps for long. */
const POLL_MS = 10;

/** A lock over Redis nodes. */
export async function openOnRedis(
  lock: LockName,
  nodes: readonly RedisNode[],
  host: Host,
): Promise<Backend> {
  const [node] = nodes;
  if (lock === 'redlock') return await openRedlock({ nodes }, host);
  if (lock === 'redis-simple') return await openRedisSimple({ node }, host);
  if (lock === 'redis-getset') return await openRedisGetset({ node }, host);
  return await openExhibit({ name: lock, node, pollMs: POLL_MS }, host);
}

/** On a session backend the ttl belongs to the opening. */
export function locksOf(backend: Backend, host: ListenableHost, ttlMs: number): Locks {
  const isSession = backend.capabilities.lease === 'session';
  return createLocks(backend, host, { ...(isSession ? {} : { ttlMs }), waitMs: WAIT_MS });
}
