import type { Candidate } from './candidate.ts';
import { holdfastFair, holdfastIoredis, holdfastNodeRedis, holdfastResp } from './holdfast.ts';
import { redisSemaphore } from './peers/redis-semaphore.ts';
import { redlock4 } from './peers/redlock-4.ts';
import { redlock5 } from './peers/redlock-5.ts';
import { redlockUniversalIoredis, redlockUniversalNodeRedis } from './peers/redlock-universal.ts';
import { verrou } from './peers/verrou.ts';
import { rawIoredis, rawNodeRedis } from './raw.ts';

/** All that is compared where nobody contends. */
export const CANDIDATES: readonly Candidate[] = [
  rawIoredis,
  holdfastIoredis,
  holdfastResp,
  redlock4,
  redlock5,
  redisSemaphore,
  verrou,
  redlockUniversalIoredis,
  rawNodeRedis,
  holdfastNodeRedis,
  redlockUniversalNodeRedis,
];

/** Those that wait for a key that others hold, and are fast enough at it to be compared. */
export const WAITING: readonly Candidate[] = [
  holdfastIoredis,
  holdfastFair,
  verrou,
  redisSemaphore,
];
