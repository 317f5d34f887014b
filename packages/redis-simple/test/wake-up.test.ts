import { NodeReplyError, NodeUnavailable } from '@holdfast/redis/port';
import { describe, expect, test } from 'vitest';
import { SimpleContender } from '../src/contender.ts';
import { type Bench, bench, KEYS } from './support/scripted-node.ts';
import { deferred, settled } from './support/virtual-runtime.ts';

const open = new AbortController().signal;

/** A contender that found the key taken and whose subscription is live, with nothing heard since its latest attempt. */
async function waiter(at: Bench): Promise<SimpleContender> {
  at.node.answer = () => Promise.resolve(400);
  const it = new SimpleContender(at.store, KEYS, 'c1', 1_000);
  await attempt(it);
  await it.changed(open);
  await attempt(it);
  return it;
}

async function attempt(it: SimpleContender): Promise<void> {
  await it.attempt(Number.MAX_SAFE_INTEGER);
}

async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const pending = {};
  await settled();
  return (await Promise.race([promise, Promise.resolve(pending)])) === pending;
}

test('nobody subscribes before somebody waits', async () => {
  const at = bench();

  await attempt(new SimpleContender(at.store, KEYS, 'c1', 1_000));

  expect(at.node.listeners.size).toBe(0);
});

test('a subscription that becomes live counts as something: what came before was not heard', async () => {
  const at = bench();
  at.node.answer = () => Promise.resolve(400);
  const it = new SimpleContender(at.store, KEYS, 'c1', 1_000);
  await attempt(it);

  expect(await it.changed(open)).toBeUndefined();
});

test('a waiter that has heard nothing goes on waiting', async () => {
  const it = await waiter(bench());

  expect(await isPending(it.changed(open))).toBe(true);
});

test.each(['message', 'gap'] as const)('a %s wakes a waiter', async (kind) => {
  const at = bench();
  const it = await waiter(at);
  const changed = it.changed(open);

  at.node.say(kind);

  expect(await changed).toBeUndefined();
});

test('a message between an attempt and the wait after it is not slept through', async () => {
  const at = bench();
  const it = await waiter(at);

  at.node.say('message');

  expect(await isPending(it.changed(open))).toBe(false);
});

test('a message during an attempt counts, one before it does not', async () => {
  const at = bench();
  const it = await waiter(at);
  at.node.say('message');
  await attempt(it);
  expect(await isPending(it.changed(open))).toBe(true);

  at.node.answer = () => {
    at.node.say('message');
    return Promise.resolve(400);
  };
  await attempt(it);

  expect(await isPending(it.changed(open))).toBe(false);
});

test('an abort ends the wait without an error, also before it began', async () => {
  const it = await waiter(bench());
  const cancel = new AbortController();
  const changed = it.changed(cancel.signal);

  cancel.abort();

  expect(await changed).toBeUndefined();
  expect(await it.changed(cancel.signal)).toBeUndefined();
});

test('a wait that ended does not end the next one', async () => {
  const at = bench();
  const it = await waiter(at);
  const first = new AbortController();
  const firstWait = it.changed(first.signal);
  const secondWait = it.changed(open);

  first.abort();
  await firstWait;
  expect(await isPending(secondWait)).toBe(true);
  at.node.say('message');

  expect(await isPending(secondWait)).toBe(false);
});

test('a subscription that fails is reported, not thrown, and the next wait tries again', async () => {
  const at = bench();
  at.node.live = Promise.reject(new NodeReplyError('NOPERM', 'NOPERM no channels'));
  const it = new SimpleContender(at.store, KEYS, 'c1', 1_000);

  expect(await isPending(it.changed(open))).toBe(true);
  at.node.live = Promise.resolve();

  expect(await isPending(it.changed(open))).toBe(false);
  expect(at.events).toEqual([expect.objectContaining({ type: 'node', outcome: 'NOPERM' })]);
});

test('a grant ends the subscription', async () => {
  const at = bench();
  const it = await waiter(at);
  expect(at.node.listeners.size).toBe(1);

  at.node.answer = () => Promise.resolve('1700000000000000');
  await attempt(it);

  expect(at.node.listeners.size).toBe(0);
});

test('a withdrawal ends the subscription, even one that is not live yet', async () => {
  const at = bench();
  const live = deferred<void>();
  at.node.live = live.promise;
  const it = new SimpleContender(at.store, KEYS, 'c1', 1_000);
  void it.changed(open);

  await it.withdraw();
  live.resolve();
  await settled();

  expect(at.node.listeners.size).toBe(0);
});

function busy(at: Bench): SimpleContender {
  at.node.answer = () => Promise.resolve(400);
  return new SimpleContender(at.store, KEYS, 'c1', 1_000);
}

describe('a waiter', () => {
  test('subscribes once, however often it waits before that is live', async () => {
    const at = bench();
    const live = deferred<void>();
    at.node.live = live.promise;
    const it = busy(at);

    const waits = [it.changed(AbortSignal.any([])), it.changed(AbortSignal.any([]))];
    live.resolve(undefined);
    await Promise.all(waits);

    expect(at.node.listeners.size).toBe(1);
  });

  test('leaves no listener on a signal that it waited with', async () => {
    const at = bench();
    const it = busy(at);
    const { signal } = new AbortController();
    const listeners = new Set<unknown>();
    signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener);
    signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);

    await it.changed(signal);

    expect(listeners.size).toBe(0);
  });

  test('that has withdrawn is told nothing of a subscription that fails', async () => {
    const at = bench();
    const failed = deferred<Promise<never>>();
    at.node.live = failed.promise.then((never) => never);
    const it = busy(at);
    void it.changed(AbortSignal.any([]));
    await it.withdraw();

    failed.resolve(Promise.reject(new NodeUnavailable('not connected')));
    await settled();

    expect(at.events).toEqual([]);
  });
});
