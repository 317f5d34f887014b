import { createInterface } from 'node:readline';
import { createHost, createLocks } from '@holdfast/core/backend';
import { openZk } from '@holdfast/zk';

/** For each line "callers keys ms": counts acquisitions and releases, and prints their number, as CuratorSpeed does. */
const [servers = ''] = process.argv.slice(2);
const host = createHost({ label: 'speed' });
const options = { servers: servers.split(','), sessionTimeoutMs: 30_000, locksAt: '/locks' };
const locks = createLocks(await openZk(options, host), host);

async function count(callers: number, keys: number, ms: number): Promise<number> {
  const endMs = performance.now() + ms;
  let pairs = 0;
  const call = async (key: string): Promise<void> => {
    while (performance.now() < endMs) {
      const lease = await locks.acquire(key, { waitMs: 60_000 });
      await lease.release();
      pairs += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, i) => call(`key-${i % keys}`)));
  return pairs;
}

console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const [callers = 1, keys = 1, ms = 0] = line.split(' ').map(Number);
  console.log(await count(callers, keys, ms));
}
process.exit();
