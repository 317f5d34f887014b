import { type Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { openZk } from '@holdfast/zk';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ZooKeeperEnsemble, type ZooKeeperServer } from '../../../harness/test/kit/real-servers.ts';

/** npm `zookeeper` waits for a third of it before it looks for another server again. */
const T_MS = 10_000;
/** The limit of the time from the new leader to the grant. */
const GRANTED_MS = 2_000;
const KILLS = 3;

let ensemble: ZooKeeperEnsemble;
let locks: Locks;

beforeEach(async () => {
  ensemble = await ZooKeeperEnsemble.start({ config: { initLimit: 50 } });
  const host = createHost();
  const backend = await openZk({ servers: ensemble.addresses, sessionTimeoutMs: T_MS }, host);
  locks = createLocks(backend, host);
});

afterEach(async () => {
  await locks.close();
  await ensemble.close();
});

async function leader(): Promise<ZooKeeperServer> {
  for (;;) {
    const found = await ensemble.leader();
    if (found !== undefined) return found;
    await new Promise((done) => setTimeout(done, 5));
  }
}

/** The times of the new leader and of the grant, after the leader was killed. */
async function kill(): Promise<{ readonly electedMs: number; readonly grantedMs: number }> {
  const killed = await leader();
  const fromMs = performance.now();
  const since = (): number => performance.now() - fromMs;
  killed.kill();
  const granted = locks.acquire('orders/42', { waitMs: 60_000 }).then(async (lease) => {
    const grantedMs = since();
    await lease.release();
    return grantedMs;
  });
  await leader();
  const electedMs = since();
  const grantedMs = await granted;
  await killed.restart();
  return { electedMs, grantedMs };
}

test('a lock is granted within two seconds of a new leader, although the session lasts ten', async () => {
  await locks.use('orders/42', () => undefined);
  const kills = [];
  for (let count = 0; count < KILLS; count++) kills.push(await kill());

  console.log(
    kills
      .map(
        ({ electedMs, grantedMs }) =>
          `a leader after ${electedMs.toFixed(0)} ms, the lock after ${grantedMs.toFixed(0)} ms`,
      )
      .join('\n'),
  );
  for (const { electedMs, grantedMs } of kills)
    expect(grantedMs - electedMs).toBeLessThan(GRANTED_MS);
});
