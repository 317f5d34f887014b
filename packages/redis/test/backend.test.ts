import type { CloseOptions } from '@holdfast/core';
import { expect, test } from 'vitest';
import { VirtualRuntime } from '../../core/test/kit/virtual-runtime.ts';
import { closeWithin } from '../src/recipe/backend.ts';

/** True if a close whose work never ends is over after `ms`. */
async function isOverAfter(ms: number, options: CloseOptions): Promise<boolean> {
  const runtime = new VirtualRuntime();
  let isOver = false;

  void closeWithin(runtime, options, () => new Promise(() => {})).then(() => {
    isOver = true;
  });
  await runtime.pass(ms);

  return isOver;
}

test('closing takes at most five seconds', async () => {
  expect([await isOverAfter(4_999, {}), await isOverAfter(5_000, {})]).toEqual([false, true]);
});

test('closing takes at most as long as its timeout', async () => {
  const options = { timeoutMs: 10 };

  expect([await isOverAfter(9, options), await isOverAfter(10, options)]).toEqual([false, true]);
});

test('closing keeps the process alive until it is over', async () => {
  const runtime = new VirtualRuntime();

  const closing = closeWithin(runtime, {}, () => Promise.resolve());
  const awaited = Array.from(runtime.timers, (timer) => timer.awaited);
  await closing;

  expect([awaited, runtime.timers.size]).toEqual([[true], 0]);
});
