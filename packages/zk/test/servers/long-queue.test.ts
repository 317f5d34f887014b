import { LockError } from '@holdfast/core';
import { expect, test } from 'vitest';
import { containerOf, layoutOf } from '../../src/keys.ts';
import { until, ZkWorld } from './support/zk-world.ts';

/** Their listing has 1.3 MB, which is more than a client takes by default. */
const WAITERS = 25_000;
const BATCH = 1_000;
/** So long that no lease ends because this machine is busy with the listing. */
const T_MS = 20_000;

test('a queue whose listing is above 1 MB takes no newcomer, and lets those in it go on, beside all other keys', async () => {
  const world = await ZkWorld.start();
  try {
    const open = (name: string) => world.open(name, { sessionTimeoutMs: T_MS });
    const [a, b, late] = await Promise.all([open('a'), open('b'), open('late')]);
    const holder = await a.locks.acquire('k');
    const waiting = b.locks.acquire('k', { waitMs: 60_000 });
    await until(async () => (await world.queue('k')).length === 2);
    const other = await b.locks.acquire('other');
    const path = `${containerOf(layoutOf('holdfast'), 'k')}/${crypto.randomUUID()}-lock-`;
    for (let i = 0; i < WAITERS; i += BATCH) {
      await world.raw.multi(
        Array.from({ length: BATCH }, () => ({
          kind: 'create',
          path,
          data: '',
          mode: 'ephemeral-sequential',
        })),
      );
    }

    const refusal = await late.locks.acquire('k').catch((error: unknown) => error);
    await holder.release();
    const lease = await waiting;

    expect(refusal).toBeInstanceOf(LockError);
    expect(refusal).toMatchObject({ code: 'QUEUE_FULL' });
    expect(lease.state).toBe('held');
    expect(other.state).toBe('held');
    const outcomes = [late, b].flatMap(({ events }) =>
      events.flatMap((event) => (event.type === 'node' ? [event.outcome] : [])),
    );
    expect(outcomes).not.toContain('disconnected');
    await lease.release();
    await other.release();
  } finally {
    await world.close();
  }
}, 120_000);
