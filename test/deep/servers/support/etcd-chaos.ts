import type { Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { openEtcd } from '@holdfast/etcd';

/** Opens locks on these servers, and notes the codes of warnings. */
export async function openOn(
  servers: readonly string[],
  ttlMs: number,
): Promise<{ readonly locks: Locks; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const host = createHost();
  host.on('warning', ({ code }) => void warnings.push(code));
  const locks = createLocks(await openEtcd({ servers }, host), host, { ttlMs });
  return { locks, warnings };
}
