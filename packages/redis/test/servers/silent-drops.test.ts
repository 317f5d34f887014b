import type { Runtime } from '@holdfast/core';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { inMs, LIBRARIES, runtime, World } from '../kit/real-node.ts';

/** For events: the machine may be busy. */
const PATIENCE = { timeout: 20_000, interval: 5 };

let world: World;
let aheadMs: number;
beforeEach(async () => {
  world = await World.start();
  aheadMs = 0;
});
afterEach(() => world.close());

/** The system's, but that minutes of idling need no waiting: its wall clock can be put ahead. */
const later: Runtime = Object.assign(Object.create(runtime), {
  now: () => {
    const { monotonicMs, wallMs } = runtime.now();
    return { monotonicMs, wallMs: wallMs + aheadMs };
  },
  timer: runtime.timer.bind(runtime),
  random: () => 0,
});

/** Idles, and a NAT forgets the connections meanwhile: bytes on them vanish, and new ones pass. */
function idle(how: 'forgotten' | 'remembered'): void {
  aheadMs += 60_000;
  if (how === 'forgotten') world.proxy.cut('both', 'open');
}

describe.each(LIBRARIES)('over %s, after an idle minute', (library) => {
  test('the first command on a connection that was cut silently takes less than half a second', async () => {
    const node = await world.open({ library, runtime: later });
    await node.command(['SET', 'k', '1'], { deadlineMs: inMs(2_000) });
    idle('forgotten');

    const from = performance.now();
    const replies = await Promise.all(
      ['INCR', 'INCR'].map((name) => node.command([name, 'k'], { deadlineMs: inMs(2_000) })),
    );

    expect(performance.now() - from).toBeLessThan(500);
    expect(replies).toEqual([2, 3]);
    expect(await world.ask('GET', 'k')).toBe('3');
  });

  test('a subscription on one is live in less, and hears', async () => {
    const node = await world.open({ library, runtime: later });
    (await node.subscribe('before', () => undefined)).close();
    idle('forgotten');
    const heard: string[] = [];

    const from = performance.now();
    await node.subscribe('c', ({ kind }) => void heard.push(kind));
    expect(performance.now() - from).toBeLessThan(500);
    await world.ask('PUBLISH', 'c', 'now');

    await vi.waitUntil(() => heard.includes('message'), PATIENCE);
  });

  test('connections that still lead to the server are kept, and so are their subscriptions', async () => {
    const node = await world.open({ library, runtime: later });
    const heard: string[] = [];
    await node.subscribe('c', ({ kind }) => void heard.push(kind));
    const { accepted } = world.proxy;

    for (let round = 0; round < 3; round++) {
      idle('remembered');
      await node.command(['GET', 'k'], { deadlineMs: inMs(2_000) });
      (await node.subscribe(`c${round}`, () => undefined)).close();
    }
    await world.ask('PUBLISH', 'c', 'now');
    await vi.waitUntil(() => heard.length > 0, PATIENCE);

    expect(heard).toEqual(['message']);
    expect(world.proxy.accepted).toBe(accepted);
    // One for each command and each subscription; the reply to a subscription may come before that to its PING.
    expect(String(await world.ask('INFO', 'commandstats'))).toMatch(/cmdstat_ping:calls=[456],/);
  });
});
