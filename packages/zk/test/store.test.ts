import type { LockEvent } from '@holdfast/core';
import { describe, expect, test } from 'vitest';
import { settled, VirtualRuntime } from '../../core/test/kit/virtual-runtime.ts';
import { CrowdPacer, foreignNodeWarner } from '../src/store.ts';

test('a crowd continues by 250 at a time, in order of arrival, with a timer in between', async () => {
  const runtime = new VirtualRuntime();
  const pace = new CrowdPacer(runtime);
  const gone: number[] = [];
  const sizes: number[] = [];
  for (let i = 0; i < 700; i++) {
    const turn = pace.step();
    if (turn === undefined) gone.push(i);
    else void turn.then(() => gone.push(i));
  }
  // The caller's process may have nothing else that keeps it alive.
  expect([...runtime.timers].map(({ awaited }) => awaited)).toEqual([true]);
  for (let [timer] = runtime.timers; timer !== undefined; [timer] = runtime.timers) {
    sizes.push(gone.length);
    runtime.timers.delete(timer);
    timer.run();
    await settled();
  }

  expect(sizes).toEqual([250, 500]);
  expect(gone).toEqual(Array.from({ length: 700 }, (_, i) => i));
  expect(pace.step()).toBeUndefined();
});

function telling(): {
  readonly events: LockEvent[];
  readonly tell: (key: string, names: string[]) => void;
} {
  const events: LockEvent[] = [];
  const emit = (event: LockEvent): void => void events.push(event);
  const tell = foreignNodeWarner({ runtime: new VirtualRuntime(), label: 'box', emit });
  return { events, tell };
}

describe('what is no contender', () => {
  test.each([
    [['x'], '"x"'],
    [['x', 'y', 'z'], '"x", "y", "z"'],
    [['x', 'y', 'z', 'u', 'v'], '"x", "y", "z" and 2 more'],
  ])('is reported by key and name: %j', (names, shown) => {
    const { events, tell } = telling();

    tell('k', names);

    const what = 'contains nodes that are not contenders; they are left alone';
    expect(events).toEqual([
      {
        type: 'warning',
        backend: 'zk',
        code: 'foreign-node',
        message: `zk: the container of key "k" ${what}: ${shown}`,
        key: 'k',
      },
    ]);
  });

  test('is reported once for each key, for a thousand keys at most', () => {
    const { events, tell } = telling();

    for (let i = 0; i < 4_000; i++) tell(`k${i % 2_000}`, ['x']);

    expect(events).toHaveLength(1_000);
  });
});
