import { expect, test } from 'vitest';
import { settled, VirtualRuntime } from '../../redis-simple/test/support/virtual-runtime.ts';
import { CrowdPacer } from '../src/store.ts';

test('a crowd goes on by 250 at a time, first come first, with a timer in between', async () => {
  const runtime = new VirtualRuntime();
  const pace = new CrowdPacer(runtime);
  const gone: number[] = [];
  const sizes: number[] = [];
  for (let i = 0; i < 700; i++) {
    const turn = pace.step();
    if (turn === undefined) gone.push(i);
    else void turn.then(() => gone.push(i));
  }
  // Nothing else may keep the process of a caller alive.
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
