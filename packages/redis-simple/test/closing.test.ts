import type { RedisBackend } from '@holdfast/redis';
import { NodeDoubt } from '@holdfast/redis/port';
import { expect, test } from 'vitest';
import { redisSimple } from '../src/open.ts';
import { type Bench, bench } from './support/scripted-node.ts';

const FOREVER_MS = Number.MAX_SAFE_INTEGER;
const TOKEN = '1795176664259249';

function backend({ node, host }: Bench, form: object): RedisBackend {
  return redisSimple({ node, ownsNode: true, namespace: 'holdfast', ...form }, host);
}

test.each([
  ['as it is', {}, TOKEN],
  ['fair', { fair: true }, TOKEN],
  ['in the plain layout', { layout: 'plain' }, 'acquired'],
])('closing tries a release in doubt once more, and none after it, %s', async (_, form, reply) => {
  const at = bench();
  at.node.answer = () => Promise.resolve(reply);
  const it = backend(at, form);
  const attempt = await it.contend({ key: 'k', contender: 'c' }).attempt(FOREVER_MS);
  if (attempt.kind !== 'granted') throw new Error(attempt.kind);
  at.node.answer = () => Promise.reject(new NodeDoubt('no reply', 'none', Promise.resolve(false)));
  await attempt.grant.release();

  await it.close();
  await at.runtime.pass(60_000);

  expect(at.node.calls.map(({ name }) => name.slice(0, 7))).toEqual([
    'acquire',
    'release',
    'release',
  ]);
  expect(at.runtime.timers.size).toBe(0);
});

test('closing ends the line of waiters of a fair store: it listens no longer, and says nothing more', async () => {
  const at = bench();
  at.node.answer = () => Promise.resolve([400, 1, 1, 0]);
  const it = backend(at, { fair: true });
  const waiter = it.contend({ key: 'k', contender: 'c' });
  await waiter.attempt(FOREVER_MS);
  void waiter.changed?.(new AbortController().signal);
  await at.runtime.pass(0);
  expect([at.node.listeners.size, at.runtime.timers.size]).toEqual([1, 1]);

  await it.close();

  expect([at.node.listeners.size, at.runtime.timers.size]).toEqual([0, 0]);
});
