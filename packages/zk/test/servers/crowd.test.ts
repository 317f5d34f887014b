import { expect, test } from 'vitest';
import { Crowd } from './support/crowd.ts';
import { until, ZkWorld } from './support/zk-world.ts';

const WAITERS = 3_000;
const ABORTED = 1_000;
const SERVED = 500;
const T_MS = 30_000;

test('3,000 waiters of one process queue up with a few listings, are served with one each, and leave nothing', async () => {
  const world = await ZkWorld.start();
  const crowd = await Crowd.open(world.server.address, T_MS);
  try {
    const other = await crowd.locks.acquire('other');
    const holder = await crowd.locks.acquire('k');
    const listed = crowd.count('list');
    crowd.queueUp('k', WAITERS);
    await until(async () => crowd.count('existsWatch') >= WAITERS);
    expect(crowd.count('list') - listed).toBeLessThan(WAITERS / 100);
    expect(await world.queue('k')).toHaveLength(WAITERS + 1);

    crowd.abort(ABORTED);
    const released = await holder.release();
    expect(released).toEqual({ kind: 'released' });
    await until(async () => crowd.count('delete') > ABORTED);
    const lists: number[] = [];
    const enough = new Promise<void>((done) => {
      crowd.onServed = (served) => {
        lists.push(crowd.count('list'));
        if (served >= SERVED) done();
      };
    });
    await enough;
    // One for each, and a few for those whose predecessor gave up.
    const halfway = lists[SERVED / 2] ?? 0;
    expect((lists.at(-1) ?? 0) - halfway).toBeLessThan(SERVED / 2 + 20);

    crowd.abort(WAITERS);
    await crowd.settled();
    await until(async () => (await world.queue('k')).length === 0);
    expect(other.state).toBe('held');
    await other.release();
    expect(crowd.outcomes).toEqual([expect.stringMatching(/^session 0x/)]);
  } finally {
    await crowd.locks.close({ timeoutMs: 1_000 });
    await world.close();
  }
}, 120_000);
