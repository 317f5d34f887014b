import type { Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { openPostgres } from '@holdfast/postgres';
import { openRedisSimple } from '@holdfast/redis-simple';
import { openZk } from '@holdfast/zk';
import { openOn } from '../etcd-chaos.ts';

export type StoreName = 'redis-simple' | 'postgres' | 'etcd' | 'zk';

const TTL_MS = 4_000;

/** Opens the locks of one client, which reaches the servers at these addresses. */
export const OPEN: Readonly<Record<StoreName, (addresses: readonly string[]) => Promise<Locks>>> = {
  'redis-simple': async ([address = '']) => {
    const host = createHost();
    const backend = await openRedisSimple({ source: `redis://${address}` }, host);
    return createLocks(backend, host, { ttlMs: TTL_MS });
  },
  postgres: async ([address = '']) => {
    const host = createHost();
    const source = `postgres://holdfast@${address}/postgres`;
    return createLocks(await openPostgres({ source }, host), host, { ttlMs: TTL_MS });
  },
  etcd: async (addresses) => (await openOn(addresses, TTL_MS)).locks,
  zk: async (servers) => {
    const host = createHost();
    return createLocks(await openZk({ servers, sessionTimeoutMs: TTL_MS }, host), host);
  },
};
