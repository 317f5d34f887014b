import { CapabilityError } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { SimpleContender } from '../src/contender.ts';
import { openRedisSimple } from '../src/index.ts';
import { redisSimple } from '../src/open.ts';
import { plainKeys } from '../src/store.ts';
import { type Bench, bench } from './support/scripted-node.ts';

const KEYS = plainKeys('holdfast', 'mutex:orders');
const FOREVER_MS = Number.MAX_SAFE_INTEGER;

function contend({ store }: Bench): SimpleContender {
  return new SimpleContender(store, KEYS, 'c1', 1_000);
}

describe('in the plain layout', () => {
  test('readers, writers and semaphores are refused with the reason, before anything is sent', async () => {
    const at = bench();
    const options = { ownsNode: true, namespace: 'holdfast', layout: 'plain' } as const;
    const locks = createLocks(redisSimple({ ...at, ...options }, at.host), createHost());

    for (const ask of [
      () => locks.read('k').acquire(),
      () => locks.write('k').acquire(),
      () => locks.semaphore('k', 2).acquire(),
    ])
      await expect(async () => await ask()).rejects.toThrow(
        /held exclusively, since the libraries that share this layout know one holder of a key$/,
      );

    expect(at.node.calls).toEqual([]);
  });

  test('the lock is the very key that the user named, and its lease has no token', async () => {
    const at = bench();
    at.node.answer = () => Promise.resolve('acquired');

    const attempt = await contend(at).attempt(FOREVER_MS);

    expect(at.node.calls[0]).toMatchObject({
      name: 'acquire',
      keys: ['mutex:orders'],
      args: ['c1:1:box:1', '1000'],
    });
    expect(attempt).toMatchObject({ kind: 'granted', grant: { fencingToken: undefined } });
  });

  test.each([
    ['until it expires', 40, 40],
    ['a little at a time, since it may be released without notice', 60_000, 60_000],
    ['that never expires', -1, undefined],
  ])('the key of another client is waited for, %s', async (_, reply, remaining) => {
    const at = bench();
    at.node.answer = () => Promise.resolve(reply);

    const attempt = await contend(at).attempt(FOREVER_MS);

    expect(attempt).toMatchObject({ kind: 'busy', holderRemainingMs: remaining });
    if (attempt.kind !== 'busy') throw new Error('it is busy');
    expect(attempt.retryAfterMs).toBeGreaterThan(Math.min(reply, 0));
    expect(attempt.retryAfterMs).toBeLessThan(202);
  });

  test('polls are at least 100 ms apart, and spread by chance', async () => {
    const at = bench();
    at.runtime.jitter = 0.5;
    at.node.answer = () => Promise.resolve(60_000);

    expect(await contend(at).attempt(FOREVER_MS)).toMatchObject({ retryAfterMs: 126 });
  });

  test('the marks are others than those of a store whose locks have another form', async () => {
    const at = bench();
    at.node.answer = () => Promise.resolve('billing');
    const options = { ownsNode: true, namespace: 'holdfast', layout: 'plain' } as const;
    const { marks } = redisSimple({ ...at, ...options }, at.host);

    expect(await marks?.write('owner-team', 'billing', 100)).toBe('billing');
    expect(await marks?.read('owner-team', 100)).toBe('billing');

    const name = 'holdfast:v1:{}:mark:plain-owner-team';
    expect(at.node.calls.map(({ args }) => args)).toEqual([
      ['SET', name, 'billing', 'NX'],
      ['GET', name],
      ['GET', name],
    ]);
  });

  test('waiters do not subscribe: nobody would notify them', async () => {
    const at = bench();
    const end = new AbortController();
    const changed = contend(at).changed(end.signal);
    end.abort();
    await changed;

    expect(at.node.listeners.size).toBe(0);
  });

  test.each([-2, -3, 'x', '1795176664259249', null])('a reply of %j is none', async (reply) => {
    const at = bench();
    at.node.answer = () => Promise.resolve(reply);

    expect((await contend(at).attempt(FOREVER_MS)).kind).toBe('unknown');
  });

  test('a queue is refused, and so is the requirement of fencing', async () => {
    const { node } = bench();
    const host = createHost({ label: 'a' });
    const unsuited = openRedisSimple({ node, layout: 'plain', fair: true }, host);

    await expect(unsuited).rejects.toThrow(/layout "plain" has no queue/);
    node.answer = (): Promise<readonly string[]> => Promise.resolve([]);
    const backend = await openRedisSimple({ node, layout: 'plain' }, host);
    expect(() => createLocks(backend, host, { require: ['fencing'] })).toThrow(CapabilityError);
  });
});
