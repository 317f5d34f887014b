import { expect, test } from 'vitest';
import { DeadlineQueue } from '../src/deadline-queue.ts';
import { backOffMs } from '../src/redialer.ts';
import { HandRuntime } from './support/by-hand.ts';

class Item {
  readonly deadlineMs: number;
  isSettled = false;

  constructor(deadlineMs: number) {
    this.deadlineMs = deadlineMs;
  }
}

function world(): {
  runtime: HandRuntime;
  deadlines: DeadlineQueue<Item>;
  due: number[];
  readonly add: (deadlineMs: number) => Item;
} {
  const runtime = new HandRuntime();
  const due: number[] = [];
  const deadlines = new DeadlineQueue<Item>(runtime, (item) => {
    item.isSettled = true;
    due.push(item.deadlineMs);
    deadlines.prune();
  });
  const add = (deadlineMs: number): Item => {
    const item = new Item(deadlineMs);
    deadlines.add(item, runtime.now().monotonicMs);
    return item;
  };
  return { runtime, deadlines, due, add };
}

test('each is due at its own time, whatever the order of adding, and what is settled never', () => {
  const { runtime, deadlines, due, add } = world();
  for (const deadlineMs of [50, 30, 40, 10, 30, 60]) add(deadlineMs);
  add(20).isSettled = true;
  deadlines.prune();

  runtime.pass(30);
  expect(due).toEqual([10, 30, 30]);
  runtime.pass(100);

  expect(due).toEqual([10, 30, 30, 40, 50, 60]);
});

test('ten thousand that are settled in order, while one at the front is not, are all kept straight', () => {
  const { runtime, deadlines, due, add } = world();
  const stuck = add(5);
  const items = Array.from({ length: 10_000 }, (_, n) => add(100 + n));
  for (const item of items.slice(0, 9_000)) {
    item.isSettled = true;
    deadlines.prune();
  }
  expect(deadlines.open()).toHaveLength(1_001);

  runtime.pass(10);
  expect(due).toEqual([5]);
  expect(stuck.isSettled).toBe(true);
  expect(deadlines.open()).toHaveLength(1_000);
  runtime.pass(20_000);

  expect(due).toHaveLength(1_001);
  expect(due.at(-1)).toBe(10_099);
});

test('one timer serves them all, and none is left after close', () => {
  const { runtime, deadlines, add } = world();
  for (const deadlineMs of [50, 30, 40]) add(deadlineMs);
  expect(runtime.timersArmed).toBe(1);

  deadlines.close();

  expect(runtime.timersArmed).toBe(0);
});

test('the pauses between attempts double up to a second, less a random half at most', () => {
  expect([1, 2, 3, 6, 7, 50].map((failures) => backOffMs(failures, 0))).toEqual([
    25, 50, 100, 800, 1_000, 1_000,
  ]);
  expect([1, 7].map((failures) => backOffMs(failures, 1))).toEqual([12.5, 500]);
});
