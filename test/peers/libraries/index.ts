import type { PeerLibrary } from '../peer.ts';
import { REDIS_SEMAPHORE, REDIS_SEMAPHORE_REDLOCK } from './redis-semaphore.ts';
import { REDLOCK_ACQUIRE, REDLOCK_USING } from './redlock-5.ts';
import { SIMPLE_REDIS_MUTEX } from './simple-redis-mutex.ts';
import { VERROU } from './verrou.ts';

/** In the order of the table: on one node first. */
export const LIBRARIES: readonly PeerLibrary[] = [
  REDIS_SEMAPHORE,
  VERROU,
  SIMPLE_REDIS_MUTEX,
  REDLOCK_USING,
  REDLOCK_ACQUIRE,
  REDIS_SEMAPHORE_REDLOCK,
];
