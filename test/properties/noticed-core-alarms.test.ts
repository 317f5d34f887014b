import { type SimProcess, World } from '@holdfast/harness/simulator';
import { describe, expect, test } from 'vitest';
import { DeadlineHeap } from '../../packages/core/src/deadline-heap.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

function counted(): {
  world: World;
  alarms: DeadlineHeap;
  nowMs: number;
  timers: () => number;
  process: SimProcess;
} {
  const world = new World();
  const process = world.process('p');
  let timers = 0;
  const timer = process.runtime.timer.bind(process.runtime);
  process.runtime.timer = (ms, run, options) => {
    timers += 1;
    return timer(ms, run, options);
  };
  const nowMs = process.runtime.now().monotonicMs;
  const alarms = new DeadlineHeap(process.runtime, { awaited: false });
  return { world, process, alarms, nowMs, timers: () => timers };
}

describe('an alarm', () => {
  test('that becomes the first makes no timer where an earlier one is armed', () => {
    const { alarms, nowMs, timers } = counted();
    const cancel = alarms.at(nowMs + 10, () => undefined);
    alarms.at(nowMs + 30, () => undefined);
    cancel();
    alarms.at(nowMs + 20, () => undefined);

    expect(timers()).toBe(1);
  });

  test('rings after all that were due before it, however late the timer is', async () => {
    const { world, process, alarms, nowMs } = counted();
    const rung: number[] = [];
    for (const ms of [50, 10, 40, 20, 30, 25]) alarms.at(nowMs + ms, () => rung.push(ms));

    await world.run(async () => process.block(100));
    await world.settle();

    expect(rung).toEqual([10, 20, 25, 30, 40, 50]);
  });
});
