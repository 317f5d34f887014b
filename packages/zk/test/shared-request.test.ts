import { expect, test } from 'vitest';
import { deferred, settled } from '../../core/test/kit/virtual-runtime.ts';
import { SharedRequest } from '../src/container.ts';

test('whoever asks while a question is under way shares the next, and it is idle when that is answered', async () => {
  const answers = [deferred<string>(), deferred<string>()];
  let sends = 0;
  const idle: number[] = [];
  const shared = new SharedRequest(
    (left) => {
      left();
      return answers[sends++]?.promise ?? Promise.reject(new Error('too many requests'));
    },
    () => void idle.push(sends),
  );
  const all = Promise.all([shared.request(), shared.request(), shared.request()]);
  expect([sends, shared.isIdle]).toEqual([1, false]);

  answers[0]?.resolve('first');
  await settled();
  expect([sends, shared.isIdle, idle]).toEqual([2, false, []]);
  answers[1]?.resolve('second');

  expect(await all).toEqual(['first', 'second', 'second']);
  await settled();
  expect([sends, shared.isIdle, idle]).toEqual([2, true, [2]]);
});

test('callers share a request until it is sent', async () => {
  const reply = deferred<string>();
  let sends = 0;
  const shared = new SharedRequest(
    () => {
      sends += 1;
      return reply.promise;
    },
    () => {},
  );

  const all = Promise.all([shared.request(), shared.request()]);
  reply.resolve('only');

  expect([await all, sends]).toEqual([['only', 'only'], 1]);
});
