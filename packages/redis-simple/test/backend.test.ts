import type { RedisBackend } from '@holdfast/redis';
import { NodeDoubt, NodeUnavailable } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { deferred, settled } from '../../core/test/kit/virtual-runtime.ts';
import { redisSimple } from '../src/open.ts';
import { type Bench, bench, KEYS } from './support/scripted-node.ts';

function open({ node, host }: Bench, ownsNode = true): RedisBackend {
  return redisSimple({ node, ownsNode, namespace: 'holdfast' }, host);
}

test('an uncontended lock costs one call to take, one to renew, one to give back', async () => {
  const at = bench();
  const attempt = await open(at)
    .contend({ key: KEYS.key, contender: 'c1' })
    .attempt(Number.MAX_SAFE_INTEGER);
  const grant = attempt.kind === 'granted' ? attempt.grant : undefined;
  at.node.answer = () => Promise.resolve(1);

  await grant?.renew?.(30_000);
  await grant?.release();

  expect(at.node.calls.map(({ name, keys }) => [name, ...keys])).toEqual([
    ['acquire', KEYS.lock, KEYS.fence],
    ['renew', KEYS.lock, KEYS.channel],
    ['release', KEYS.lock, KEYS.channel],
  ]);
});

test('a lease lasts 30 s unless told otherwise', async () => {
  const at = bench();

  await open(at).contend({ key: KEYS.key, contender: 'c1' }).attempt(Number.MAX_SAFE_INTEGER);

  expect(at.node.calls[0]?.args).toEqual(['c1:1:box:1', '30000']);
});

test('an inspection without an answer says so, by an error that names key and backend', async () => {
  const at = bench();
  at.node.answer = () => Promise.reject(new NodeUnavailable('not connected'));

  await expect(open(at).inspect(KEYS.key)).rejects.toMatchObject({
    code: 'BACKEND_UNAVAILABLE',
    key: KEYS.key,
    backend: 'redis-simple',
  });
});

test('a node that does not answer a ping is reported, not thrown', async () => {
  const at = bench();
  at.node.answer = () => Promise.reject(new NodeUnavailable('not connected'));

  expect(await open(at).health()).toEqual({
    ok: false,
    nodes: [{ node: at.node.address, ok: false, detail: 'not connected' }],
  });
});

describe('closing', () => {
  test('closes its own node, and leaves another’s open', async () => {
    const own = bench();
    const other = bench();

    await open(own).close();
    await open(other, false).close();

    expect([own.node.isClosed, other.node.isClosed]).toEqual([true, false]);
    expect(own.runtime.timers.size).toBe(0);
  });

  test('settles within its limit, whatever the node does', async () => {
    const at = bench();
    at.node.close = () => new Promise(() => undefined);
    let isClosed = false;

    void open(at)
      .close({ timeoutMs: 50 })
      .then(() => (isClosed = true));
    await at.runtime.pass(49);
    expect(isClosed).toBe(false);
    await at.runtime.pass(1);
    await settled();

    expect(isClosed).toBe(true);
  });
});

test('closing awaits releases under way, and then closes the node', async () => {
  const at = bench();
  const it = open(at);
  const attempt = await it
    .contend({ key: KEYS.key, contender: 'c1' })
    .attempt(Number.MAX_SAFE_INTEGER);
  at.node.answer = () => Promise.reject(new NodeDoubt('no answer', 'none', Promise.resolve(false)));
  if (attempt.kind === 'granted') await attempt.grant.release();
  const answered = deferred<number>();
  at.node.answer = () => answered.promise;

  const closing = it.close({ timeoutMs: 1_000 });
  await settled();
  const wasClosed = at.node.isClosed;
  answered.resolve(1);
  await settled();
  await closing;

  expect([wasClosed, at.node.isClosed]).toEqual([false, true]);
});
