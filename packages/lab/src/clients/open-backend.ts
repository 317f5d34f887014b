import { type Backend, createHost, createLocks, type Locks } from '@holdfast/core';
import { openRedisGetset } from '@holdfast/redis-getset';
import { openRedisSimple } from '@holdfast/redis-simple';
import { openRedlock } from '@holdfast/redlock';
import { openZk } from '@holdfast/zk';
import type { Opening } from './messages.ts';

type Host = ReturnType<typeof createHost>;
type Locked = Exclude<Opening, { readonly backend: 'no-lock' }>;

/** Opens what a client process locks with; undefined for the control. */
export async function openLocksOf(opening: Opening, label: string): Promise<Locks | undefined> {
  if (opening.backend === 'no-lock') return undefined;
  const host = createHost({ label });
  const backend = await openBackend(opening, host);
  // On sessions the ttl belongs to the opening.
  const isSession = backend.capabilities.lease === 'session';
  return createLocks(backend, host, isSession ? {} : { ttlMs: opening.ttlMs });
}

async function openBackend(opening: Locked, host: Host): Promise<Backend> {
  const { namespace, ttlMs } = opening;
  if (opening.backend === 'zk') {
    const { servers, chroot, auth, tls } = opening;
    return await openZk({ servers, chroot, auth, tls, sessionTimeoutMs: ttlMs, namespace }, host);
  }
  const common = { library: 'ioredis', namespace, tls: opening.tls } as const;
  if (opening.backend === 'redlock') {
    const { urls: sources, allowSmall } = opening;
    return await openRedlock({ sources, allowSmall, ...common }, host);
  }
  const open = opening.backend === 'redis-simple' ? openRedisSimple : openRedisGetset;
  return await open({ source: opening.url, ...common }, host);
}
