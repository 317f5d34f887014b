// A project that installed the tarballs: every package loads, and its types are there.
import * as check from '@holdfast/check';
import * as core from '@holdfast/core';
import * as redis from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import * as redisSimple from '@holdfast/redis-simple';
import * as sim from '@holdfast/sim';
import { LockTimeoutError, openLocks } from 'holdfast';

for (const [name, module] of Object.entries({ check, core, redis, redisSimple, sim })) {
  if (Object.keys(module).length === 0) throw new Error(`${name} exports nothing`);
}

/** The port is public: third parties bring their own client. */
export type Address = RedisNode['address'];

const locks = await openLocks('memory:', { require: ['fencing'] });
const token: bigint = await locks.use('orders/42', (lease) => lease.fencingToken);
const lease = await locks.acquire('orders/42');
const waited = await locks.acquire('orders/42', { waitMs: 0 }).catch((error: unknown) => error);
await lease.release();
await locks.close();

console.log(token > 0n && waited instanceof LockTimeoutError ? 'types and locks work' : 'wrong');
