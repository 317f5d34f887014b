import { createHost, createLocks, systemRuntime } from '@holdfast/core';
import { openZk, type ZooKeeperSession } from '@holdfast/zk';
import type { ZkConfig } from 'holdfast/internal';
import { sessionsOf } from '../own/zookeeper-at.ts';
import { counted, type RoundTrips } from './round-trips.ts';

/** What sends a request, and waits for its answer. */
const REQUESTS: ReadonlySet<PropertyKey> = new Set<keyof ZooKeeperSession>([
  'create',
  'existsWatch',
  'read',
  'list',
  'setData',
  'delete',
  'sync',
]);

/** Requests for one uncontended acquisition and its release on a warm container; pings do not wait for each other. */
export async function zkRoundTrips(config: ZkConfig, namespace: string): Promise<RoundTrips> {
  const runtime = systemRuntime();
  const host = createHost({ label: 'compare', runtime });
  const open = sessionsOf(config, runtime);
  let calls = 0;
  const counting = (session: ZooKeeperSession): ZooKeeperSession =>
    observed(session, (name) => void (calls += REQUESTS.has(name) ? 1 : 0));
  const backend = await openZk(
    { open: async (deadlineMs) => counting(await open(deadlineMs)), namespace },
    host,
  );
  const locks = createLocks(backend, host);
  try {
    return await counted(locks, () => calls);
  } finally {
    await locks.close();
  }
}

/** The same session, and `called` hears of each method when it is called. */
function observed(
  session: ZooKeeperSession,
  called: (name: PropertyKey) => void,
): ZooKeeperSession {
  return new Proxy(session, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: readonly unknown[]): unknown => {
        called(name);
        return Reflect.apply(value, target, args);
      };
    },
  });
}
