// A project that installed the tarballs: every package loads, and its types are there.

import * as core from '@holdfast/core';
import * as backend from '@holdfast/core/backend';
import * as check from '@holdfast/harness/check';
import * as sim from '@holdfast/harness/simulator';
import * as redis from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import * as redisSimple from '@holdfast/redis-simple';
import * as redlock from '@holdfast/redlock';
import * as zk from '@holdfast/zk';
import type { ZooKeeperSession } from '@holdfast/zk/port';
import * as zkClient from '@holdfast/zk-client';
import { LockTimeoutError, openLocks } from 'holdfast';

const modules = { backend, check, core, redis, redisSimple, redlock, sim, zk, zkClient };
for (const [name, module] of Object.entries(modules)) {
  if (Object.keys(module).length === 0) throw new Error(`${name} exports nothing`);
}

/** The ports are public: third parties bring their own clients. */
export type Client = RedisNode | ZooKeeperSession;

const locks = await openLocks('memory:', { require: ['fencing'] });
const token: bigint = await locks.use('orders/42', (lease) => lease.fencingToken);
const lease = await locks.acquire('orders/42');
const waited = await locks.acquire('orders/42', { waitMs: 0 }).catch((error: unknown) => error);
await lease.release();
await locks.close();

console.log(token > 0n && waited instanceof LockTimeoutError ? 'types and locks work' : 'wrong');
