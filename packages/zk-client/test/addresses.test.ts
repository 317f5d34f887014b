import { describe, expect, test } from 'vitest';
import { OpenError } from '../src/errors.ts';
import type { Resolve } from '../src/network.ts';
import { attemptMs } from '../src/reconnector.ts';
import { rejection, Stage } from './by-hand.ts';

/** The addresses of a name, which a test may change; the lookup of any other name fails. */
function names(known: Record<string, readonly string[]>): Resolve {
  return (host, callback) => callback(known[host] ?? new Error(`getaddrinfo ENOTFOUND ${host}`));
}

function dialled(stage: Stage): string[] {
  return stage.wires.map(({ server }) => server.address);
}

/** Every attempt fails, `times` times, until the next is under way. */
function lose(stage: Stage, times: number): void {
  for (let i = 0; i < times; i++) {
    stage.wire.lose();
    stage.untilDialled();
  }
}

describe('a name with several addresses', () => {
  const THREE = { zk: ['10.0.0.1', '10.0.0.2', 'fd00::3'] };

  test('has all of them dialled, each in turn, of both families', () => {
    const stage = new Stage();
    stage.resolve = names(THREE);
    void stage.begin({ servers: ['zk:1'], openMs: 100_000 });

    lose(stage, 8);

    const all = dialled(stage);
    expect(new Set(all.slice(0, 3))).toEqual(new Set(THREE.zk));
    expect(all).toEqual([...all.slice(0, 3), ...all.slice(0, 3), ...all.slice(0, 3)]);
  });

  test('is not delayed by the first, which accepts and never replies', async () => {
    const stage = new Stage();
    stage.resolve = names(THREE);
    const opening = stage.begin({ servers: ['zk:1'], sessionTimeoutMs: 9_000 });
    stage.wire.events.up();

    stage.clock.pass(1_010);
    expect(stage.wires).toHaveLength(2);
    stage.wire.welcome();

    expect((await opening).address).toBe(`zk:1 (${stage.wire.server.address})`);
  });

  test('shares a third of the session timeout among its addresses', () => {
    const stage = new Stage();
    stage.resolve = names(THREE);
    void stage.begin({ servers: ['zk:1'], sessionTimeoutMs: 3_600 });

    stage.clock.pass(399);
    expect(stage.wires).toHaveLength(1);
    stage.clock.pass(1 + 10);
    expect(stage.wires).toHaveLength(2);
  });

  test('is dialled in an order that differs from client to client', () => {
    const firsts = [0, 0.4, 0.9].map((random) => {
      const stage = new Stage();
      stage.clock.random = () => random;
      stage.resolve = names(THREE);
      void stage.begin({ servers: ['zk:1'] });
      return stage.wire.server.address;
    });

    expect(new Set(firsts).size).toBeGreaterThan(1);
  });

  test('is resolved for every attempt: who came is dialled first, who left is not', async () => {
    const stage = new Stage();
    const known = { zk: ['10.0.0.1', '10.0.0.2'] };
    stage.resolve = names(known);
    const opening = stage.begin({ servers: ['zk:1'] });
    stage.wire.welcome();
    await opening;
    known.zk = ['10.0.0.2', '10.0.0.3'];

    lose(stage, 3);

    expect(dialled(stage).slice(1)).toEqual(['10.0.0.3', '10.0.0.2', '10.0.0.3']);
  });

  test('takes its turns before another server has its own', () => {
    const stage = new Stage();
    stage.resolve = names({ ...THREE, other: ['10.1.0.1'] });
    void stage.begin({ servers: ['zk:1', 'other:2'], openMs: 100_000 });

    lose(stage, 7);

    const all = dialled(stage);
    expect(new Set(all.slice(0, 4)).size).toBe(4);
    expect(all.slice(4)).toEqual(all.slice(0, 4));
  });

  test('is named in messages with its address, and written by its name', async () => {
    const stage = new Stage();
    stage.resolve = names(THREE);
    const opening = stage.begin({ servers: ['zk:1'], openMs: 1_500 });
    stage.wire.events.up();
    stage.clock.pass(1_500);

    const { message } = await rejection(opening, OpenError);

    expect(message).toMatch(
      /^no session from zk:1 within 1500 ms \(zk:1 \([\d.f:]+\) did not answer within 1000 ms\)$/,
    );
    expect(stage.wire.server).toMatchObject({ host: 'zk', port: 1 });
  });
});

describe('a name that does not resolve', () => {
  test('is named by the error, and is no reason not to dial the others', async () => {
    const stage = new Stage();
    stage.resolve = names({ good: ['10.0.0.1'] });
    const opening = stage.begin({ servers: ['gone:1', 'good:2'] });
    stage.clock.pass(20);
    stage.wire.welcome();
    expect((await opening).state).toBe('connected');

    const alone = stage.begin({ servers: ['gone:1'], openMs: 500 });
    stage.clock.pass(500);

    expect((await rejection(alone, OpenError)).message).toBe(
      'no session from gone:1 within 500 ms (gone:1 could not be resolved: getaddrinfo ENOTFOUND gone)',
    );
  });

  test('is resolved again, and dialled once it does', async () => {
    const stage = new Stage();
    const known: Record<string, readonly string[]> = { zk: [] };
    stage.resolve = names(known);
    const opening = stage.begin({ servers: ['zk:1'] });
    stage.clock.pass(3_000);
    expect(stage.wires).toEqual([]);

    known['zk'] = ['10.0.0.1'];
    stage.clock.pass(500);
    stage.wire.welcome();

    expect((await opening).state).toBe('connected');
  });

  test('in time lets the others have their turn, and is not resolved twice at a time', async () => {
    const stage = new Stage();
    let lookups = 0;
    stage.resolve = (host, callback) => {
      if (host === 'good') callback(['10.0.0.1']);
      else lookups++;
    };
    void stage.begin({ servers: ['good:2', 'slow:1'], openMs: 100_000 });
    stage.clock.pass(2_000);

    lose(stage, 5);

    expect(stage.wires).toHaveLength(6);
    expect(lookups).toBe(1);
  });

  test('before the opening is over dials no address when the reply arrives after all', async () => {
    const stage = new Stage();
    const late: Parameters<Resolve>[1][] = [];
    stage.resolve = (_host, callback) => void late.push(callback);
    const opening = stage.begin({ servers: ['slow:1'], openMs: 700 });
    stage.clock.pass(700);

    expect((await rejection(opening, OpenError)).message).toContain('no session from slow:1');
    for (const callback of late) callback(['10.0.0.1']);

    expect(late).toHaveLength(1);
    expect(stage.wires).toEqual([]);
    expect(stage.clock.timersArmed).toBe(0);
  });

  test('gets longer with every round, for the resolver may be slow', async () => {
    const stage = new Stage();
    stage.resolve = (_host, callback) =>
      void stage.clock.timer(2_500, () => callback(['10.0.0.1']));
    const opening = stage.begin({ servers: ['slow:1'] });

    stage.clock.pass(9_000);
    stage.wire.welcome();

    expect((await opening).state).toBe('connected');
  });
});

test('a name with many addresses leaves each as much time as five servers have', () => {
  expect(attemptMs(6_000, 20, 0)).toBe(attemptMs(6_000, 5, 0));
  expect(attemptMs(6_000, 20, 5)).toBe(2 * attemptMs(6_000, 20, 0));
});
