import { expect, test } from 'vitest';
import { deferred, settled } from '../../redis-simple/test/support/virtual-runtime.ts';
import { SharedRequest } from '../src/container.ts';

test('whoever asks while a question is under way shares the next, and it is idle when that is answered', async () => {
  const answers = [deferred<string>(), deferred<string>()];
  let asked = 0;
  const idle: number[] = [];
  const shared = new SharedRequest(
    (left) => {
      left();
      return answers[asked++]?.promise ?? Promise.reject(new Error('nobody asks so often'));
    },
    () => void idle.push(asked),
  );
  const all = Promise.all([shared.request(), shared.request(), shared.request()]);
  expect([asked, shared.isIdle]).toEqual([1, false]);

  answers[0]?.resolve('first');
  await settled();
  expect([asked, shared.isIdle, idle]).toEqual([2, false, []]);
  answers[1]?.resolve('second');

  expect(await all).toEqual(['first', 'second', 'second']);
  await settled();
  expect([asked, shared.isIdle, idle]).toEqual([2, true, [2]]);
});
