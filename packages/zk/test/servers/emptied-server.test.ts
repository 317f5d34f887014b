import { type LockEvent } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { openZk } from '@holdfast/zk';
import { expect, test } from 'vitest';
import { ZooKeeperServer } from '../../../../harness/test/kit/real-servers.ts';

const T_MS = 2_000;
/** Three T until the session is replaced, and a busy machine. */
const BACK_MS = 60_000;

test('a server that comes back without its data, and refuses whoever has seen more, is used again by itself', async () => {
  const first = await ZooKeeperServer.start();
  const events: LockEvent[] = [];
  const host = {
    ...createHost({ label: 'a' }),
    emit: (event: LockEvent) => void events.push(event),
  };
  const options = { servers: [first.address], sessionTimeoutMs: T_MS };
  const locks = createLocks(await openZk(options, host), host);
  let second: ZooKeeperServer | undefined;
  try {
    for (let i = 0; i < 10; i++) await (await locks.acquire(`k${i}`)).release();
    const lease = await locks.acquire('k');

    await first.close();
    second = await ZooKeeperServer.start({ port: first.port });
    const next = await locks.acquire('k', { waitMs: BACK_MS });

    expect(lease.state).toBe('lost');
    expect(next.state).toBe('held');
    // The servers refused the old session and did not expire it: the client replaced it.
    const outcomes = events.flatMap((event) => (event.type === 'node' ? [event.outcome] : []));
    expect(outcomes).toContain('closed');
    expect(outcomes).not.toContain('expired');
    await next.release();
  } finally {
    await locks.close({ timeoutMs: 100 });
    await first.close();
    await second?.close();
  }
}, 120_000);
