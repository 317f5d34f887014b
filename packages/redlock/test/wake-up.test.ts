import { describe, expect, test } from 'vitest';
import { Bench, isWoken } from './support/bench.ts';

const { signal } = new AbortController();

test('a waiter is woken by a release on any one node', async () => {
  const at = await Bench.open();
  await at.take('b');
  const waiter = at.contend('a');
  await at.attempt(waiter);
  await waiter.changed?.(signal);
  await at.attempt(waiter);
  const waiting = waiter.changed?.(signal);
  expect(await isWoken(waiting)).toBe(false);

  at.nodes[4]?.publish();

  expect(await waiting).toBeUndefined();
});

test('a release between an attempt and the wait for it is not slept through', async () => {
  const at = await Bench.open();
  const grant = await at.take('b');
  const waiter = at.contend('a');
  await at.attempt(waiter);
  await waiter.changed?.(signal);
  await at.attempt(waiter);
  await at.let(grant.release());

  expect(await waiter.changed?.(signal)).toBeUndefined();
  expect((await at.attempt(waiter)).kind).toBe('granted');
});

test('a waiter is woken once when it listens on enough nodes to miss no release', async () => {
  const at = await Bench.open();
  await at.take('b');
  for (const node of at.nodes.slice(0, 3)) node.isDown = true;
  const waiter = at.contend('a');
  const deaf = waiter.changed?.(signal);
  await at.runtime.pass(0);
  expect(await isWoken(deaf)).toBe(false);
  for (const node of at.nodes) node.isDown = false;

  // The next wait subscribes where it could not.
  await waiter.changed?.(signal);

  expect(at.nodes.map(({ listeners }) => listeners.size)).toEqual([1, 1, 1, 1, 1]);
  expect(at.reported.filter((event) => event.endsWith('no wake-ups'))).toHaveLength(3);
});

test('a gap in a subscription wakes a waiter, because it may have missed a message', async () => {
  const at = await Bench.open();
  const waiter = at.contend('a');
  await waiter.changed?.(signal);
  for (const node of at.nodes.slice(0, 3)) node.give('b:1:box', 500);
  await at.attempt(waiter);
  at.nodes[2]?.publish('gap');

  expect(await waiter.changed?.(signal)).toBeUndefined();
});

test('an aborted wait resolves, and a contender that has withdrawn listens nowhere', async () => {
  const at = await Bench.open();
  for (const node of at.nodes.slice(0, 3)) node.give('b:1:box', 500);
  const waiter = at.contend('a');
  await waiter.changed?.(signal);
  await at.attempt(waiter);
  const abort = new AbortController();
  const waiting = waiter.changed?.(abort.signal);

  abort.abort();
  await waiting;
  await waiter.withdraw();

  expect(at.nodes.map(({ listeners }) => listeners.size)).toEqual([0, 0, 0, 0, 0]);
});

test('a subscription that becomes live after its contender has gone is closed', async () => {
  const at = await Bench.open();
  const waiter = at.contend('a');
  void waiter.changed?.(signal);

  await waiter.withdraw();
  await at.runtime.pass(0);

  expect(at.nodes.map(({ listeners }) => listeners.size)).toEqual([0, 0, 0, 0, 0]);
});

const idle = (): void => {};

describe('who waits', () => {
  test('leaves no listener on a signal that it waited with', async () => {
    const at = await Bench.open(3);
    const { signal: own } = new AbortController();
    const listeners = new Set<unknown>();
    own.addEventListener = (_: string, listener: unknown) => void listeners.add(listener);
    own.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener);

    await at.contend('a').changed?.(own);

    expect(listeners.size).toBe(0);
  });

  test('and has withdrawn listens nowhere again', async () => {
    const at = await Bench.open(3);
    const contender = at.contend('a');
    const [first] = at.nodes;
    if (first === undefined) return;
    first.isDown = true;
    void contender.changed?.(new AbortController().signal);
    await at.runtime.pass(0);
    await contender.withdraw();
    let asked = 0;
    for (const node of at.nodes) {
      const subscribe = node.subscribe.bind(node);
      node.subscribe = (channel, listener) => {
        asked += 1;
        return subscribe(channel, listener);
      };
    }

    void contender.changed?.(new AbortController().signal);

    expect(asked).toBe(0);
  });

  test('and has withdrawn reports no failed subscription', async () => {
    const at = await Bench.open(3);
    const contender = at.contend('a');
    const [first] = at.nodes;
    let fail: (cause: Error) => void = idle;
    if (first !== undefined)
      first.subscribe = () =>
        new Promise((_, reject) => {
          fail = reject;
        });
    void contender.changed?.(new AbortController().signal);
    await contender.withdraw();

    fail(new Error('not connected'));
    await at.runtime.pass(0);

    expect(at.events).toEqual([]);
  });
});
