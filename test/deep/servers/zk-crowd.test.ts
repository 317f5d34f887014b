import { afterEach, beforeEach, expect, test } from 'vitest';
import { ZooKeeperServer } from '../../../harness/test/kit/real-servers.ts';
import { ZkWorld } from '../../../packages/zk/test/kit/real-clients.ts';
import { Child } from '../../support/child.ts';

/** The number of waiters served before the others give up; 0 for all. */
const SERVED = Number(process.env['HOLDFAST_CROWD_SERVED'] ?? 2_000);
const LIMIT_MS = 1_800_000;

let world: ZkWorld;
let children: Child[] = [];

beforeEach(async () => {
  // A listing of 15,000 has 780 kB, and several are made at a time.
  const server = await ZooKeeperServer.start({ through: ['env', '_JAVA_OPTIONS=-Xmx512m'] });
  world = await ZkWorld.on(server);
  children = [];
});

afterEach(async () => {
  for (const child of children) child.kill();
  await Promise.all(children.map(({ ended }) => ended));
  await world.close();
});

interface Progress {
  readonly lists: number;
  readonly served?: number;
  readonly blockedMs?: number;
}

function last(child: Child): Progress {
  return (
    child.received.findLast(
      (message): message is Progress =>
        typeof message === 'object' && message !== null && 'lists' in message,
    ) ?? { lists: 0 }
  );
}

test.each([
  { processes: 1, size: 15_000 },
  { processes: 4, size: 4_000 },
])(
  '$processes × $size waiters queue up, and each hand-over costs as much as the one before',
  async ({ processes, size }) => {
    const { locks } = await world.open('holder', { sessionTimeoutMs: 30_000 });
    const holder = await locks.acquire('k');
    const args = [world.server.address, 'k', String(size)];
    const module = 'deep/servers/support/zk-crowd-process.ts';
    for (let i = 0; i < processes; i++) children.push(await Child.start(module, { args }));
    await Promise.all(children.map((child) => child.waitFor('open')));

    let from = performance.now();
    for (const child of children) child.send('queue');
    await Promise.all(children.map((child) => child.waitFor('queued')));
    const queuedMs = performance.now() - from;
    const queueing = children.map(last);

    const wanted = SERVED || processes * size;
    const costs: number[] = [];
    const enough = new Promise<void>((done) => {
      for (const child of children) {
        child.onMessage(() => {
          const all = children.map(last);
          const served = all.reduce((sum, { served: n = 0 }) => sum + n, 0);
          costs[served] = all.reduce((sum, { lists }) => sum + lists, 0);
          if (served >= wanted) done();
        });
      }
    });
    from = performance.now();
    const released = await holder.release();
    const releasedMs = performance.now() - from;
    await enough;
    const eachMs = (performance.now() - from) / wanted;

    from = performance.now();
    for (const child of children) child.send('abort');
    await Promise.all(children.map((child) => child.waitFor('settled')));
    while ((await world.queue('k')).length > 0) await new Promise((look) => setTimeout(look, 20));
    const leftMs = performance.now() - from;
    const ends = children.map(({ received }) =>
      received.findLast((each) => typeof each === 'object'),
    );
    for (const child of children) child.send('end');

    console.log(
      JSON.stringify({
        processes,
        size,
        queuedMs,
        queueing,
        releasedMs,
        wanted,
        eachMs,
        leftMs,
        ends,
      }),
    );
    const half = Math.floor(wanted / 2);
    expect(released).toEqual({ kind: 'released' });
    for (const { lists } of queueing) expect(lists).toBeLessThan(size / 100);
    expect((costs[wanted] ?? Infinity) - (costs[half] ?? 0)).toBeLessThanOrEqual(wanted - half + 2);
    for (const end of ends) {
      expect(end).toMatchObject({
        state: 'held',
        outcomes: [expect.stringMatching(/^session 0x/)],
      });
    }
  },
  LIMIT_MS,
);
