import { setMaxListeners } from 'node:events';
import type { Contender } from '@holdfast/core/backend';
import { describe, expect, test, vi } from 'vitest';
import { settled } from '../../core/test/kit/virtual-runtime.ts';
import type { Listing } from '../src/port.ts';
import { RequestWindow } from '../src/request-window.ts';
import { type Actor, Bench, CONTAINER, T_MS } from './support/bench.ts';

const CROWD = 300;
/** The requests of one session that may be in flight. */
const ROOM = 128;
const DEADLINE_MS = Number.MAX_SAFE_INTEGER;

function count(actor: Actor, name: string): number {
  return actor.session.requests.filter((request) => request.startsWith(name)).length;
}

/** Contenders of one process that wait behind a holder of another; each has its watch. */
async function crowd(size: number): Promise<{
  readonly at: Bench;
  readonly a: Actor;
  readonly b: Actor;
  readonly waiters: readonly Required<Contender>[];
  readonly release: () => Promise<void>;
}> {
  const at = new Bench();
  const [a, b] = [await at.actor('a'), await at.actor('b')];
  const holder = await a.take('holder');
  const waiters = Array.from({ length: size }, (_, i) => b.contend(`c${i}`));
  b.requests();
  const attempts = waiters.map((waiter) => waiter.attempt(DEADLINE_MS));
  await at.let(Promise.all(attempts));
  await at.let(Promise.all(waiters.map((one) => one.changed(new AbortController().signal))));
  await at.let(Promise.all(waiters.map((waiter) => waiter.attempt(DEADLINE_MS))));
  const release = async (): Promise<void> => void (await at.let(holder.release()));
  return { at, a, b, waiters, release };
}

/** The next listings of its session take this long. */
function slow(at: Bench, { session }: Actor, ms: number, times: number): void {
  const list = session.list.bind(session);
  const spy = vi.spyOn(session, 'list');
  for (let i = 0; i < times; i++) {
    spy.mockImplementationOnce(async (path): Promise<Listing> => {
      const listing = await list(path);
      await new Promise<void>((done) => void at.runtime.timer(ms, done));
      return listing;
    });
  }
}

async function attemptsUntilBusy(waiter: Contender): Promise<number> {
  for (let n = 1; ; n++) if ((await waiter.attempt(DEADLINE_MS)).kind === 'busy') return n;
}

describe('a crowd of one process', () => {
  test('queues up with a few listings, and one watch each', async () => {
    const { b } = await crowd(CROWD);

    expect(count(b, 'create')).toBe(CROWD);
    expect(count(b, 'existsWatch')).toBe(CROWD);
    expect(count(b, 'list')).toBeLessThanOrEqual(3);
  });

  test('is served one by one, at a cost that does not grow with it', async () => {
    const { at, b, waiters, release } = await crowd(CROWD);
    await release();
    const costs: number[] = [];
    for (const waiter of waiters) {
      b.requests();
      const { signal } = new AbortController();
      await at.let(waiter.changed(signal));
      const grant = await b.granted(waiter);
      await at.let(grant.release());
      costs.push(b.requests().filter((asked) => !/sync|0x/.test(asked)).length);
    }

    expect(new Set(costs)).toEqual(new Set([2]));
    expect(at.queue).toEqual([]);
    expect(at.tree.watches.size).toBe(0);
  });

  test('makes a container that is missing once or twice', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const waiters = Array.from({ length: CROWD }, (_, i) => a.contend(`c${i}`));
    a.requests();

    const attempts = await at.let(Promise.all(waiters.map((one) => one.attempt(DEADLINE_MS))));

    expect(attempts.filter(({ kind }) => kind === 'granted')).toHaveLength(1);
    expect(a.requests().filter((request) => request === 'create k').length).toBeLessThanOrEqual(2);
    expect(at.queue).toHaveLength(CROWD);
  });

  test('has no more on the wire than there is room for, and what matters overtakes it', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    const held = await a.take('held', 'another key');
    a.requests();
    for (let i = 0; i < ROOM; i++) a.session.next('create', 'stuck');
    const waiters = Array.from({ length: CROWD }, (_, i) => a.contend(`c${i}`));

    const attempts = Promise.all(waiters.map((one) => one.attempt(DEADLINE_MS)));
    await at.runtime.pass(0);
    expect(count(a, 'create')).toBe(ROOM);
    a.session.heal();
    await at.runtime.pass(T_MS / 3);
    expect((await at.let(held.renew(T_MS))).kind).toBe('renewed');
    expect((await at.let(held.release())).kind).toBe('released');

    const kinds = (await at.let(attempts)).map(({ kind }) => kind);
    expect(new Set(kinds.slice(0, ROOM))).toEqual(new Set(['unknown']));
    expect(new Set(kinds.slice(ROOM))).toEqual(new Set(['unavailable']));
    expect(count(a, 'create c')).toBe(ROOM);
  });

  test('syncs with the leader once before it enters on a session that was idle for long', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    for (let i = 0; i < 9; i++) {
      await at.runtime.pass(T_MS / 3);
      a.session.ping();
    }
    await at.runtime.pass(10);
    a.requests();
    const waiters = Array.from({ length: CROWD }, (_, i) => a.contend(`c${i}`));
    await at.let(Promise.all(waiters.map((one) => one.attempt(DEADLINE_MS))));

    expect(count(a, 'sync')).toBe(1);
  });

  test('that is cancelled leaves without a trace, and sends nothing that has not been sent', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    const size = 10 * ROOM;
    const waiters = Array.from({ length: size }, (_, i) => a.contend(`c${i}`));
    const byMs = at.runtime.now().monotonicMs + 1;
    await at.let(Promise.all(waiters.map((one) => one.attempt(byMs))));

    const withdrawals = await at.let(Promise.all(waiters.map((one) => one.withdraw())));

    expect(new Set(withdrawals.map(({ kind }) => kind))).toEqual(new Set(['clean']));
    expect(count(a, 'create c')).toBeLessThan(size / 2);
    expect(at.queue).toEqual([]);
  });

  test('that is cancelled sets no watch any more', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    await a.take('holder');
    const waiters = Array.from({ length: 10 * ROOM }, (_, i) => b.contend(`c${i}`));
    await at.let(Promise.all(waiters.map((one) => one.attempt(DEADLINE_MS))));
    const abort = new AbortController();
    setMaxListeners(0, abort.signal);
    const waits = waiters.map((one) => one.changed(abort.signal));
    await at.runtime.pass(0);
    abort.abort();
    await at.let(Promise.all([...waits, ...waiters.map((one) => one.withdraw())]));

    expect(count(b, 'existsWatch')).toBeLessThan(2 * ROOM);
    expect(at.tree.watches.size).toBe(0);
    expect(at.queue).toEqual(['holder']);
  });

  test('that comes does not hold up the one whose turn it is', async () => {
    const { b, waiters, release } = await crowd(1);
    const [first] = waiters;
    if (first === undefined) throw new Error('nobody waits');
    const size = 10 * ROOM;
    for (let i = 0; i < size; i++) void b.contend(`d${i}`).attempt(DEADLINE_MS);
    await release();

    expect((await b.attempt(first)).kind).toBe('granted');
    expect(count(b, 'create d')).toBeLessThan(size / 2);
  });

  test('of which many leave at once does not delay the one whose turn it is', async () => {
    const { at, b, waiters, release } = await crowd(CROWD);
    const [first, ...others] = waiters;
    if (first === undefined) throw new Error('nobody waits');
    const left = Promise.all(others.map((one) => one.withdraw()));
    await release();
    b.requests();

    expect((await b.attempt(first)).kind).toBe('granted');
    expect((await at.let(left)).every(({ kind }) => kind === 'clean')).toBe(true);
    expect(at.queue).toEqual(['c0']);
  });

  test('at one key does not hold up another key', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    await at.let((await a.take('warm', 'another key')).release());
    const size = 10 * ROOM;
    for (let i = 0; i < size; i++) void a.contend(`c${i}`).attempt(DEADLINE_MS);
    await at.runtime.pass(0);

    await a.take('other', 'another key');

    expect(count(a, 'create c')).toBeLessThan(size / 2);
  });
});

describe('a listing that many wait for', () => {
  test('and that left before the node of a newcomer was made does not say that it is absent', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    await a.take('holder');
    slow(at, b, 100, 1);
    const early = b.contend('early').attempt(DEADLINE_MS);
    await at.runtime.pass(10);
    const late = b.contend('late').attempt(DEADLINE_MS);

    expect((await at.let(early)).kind).toBe('busy');
    expect((await at.let(late)).kind).toBe('busy');
    expect(count(b, 'create late')).toBe(1);
    expect(at.tree.children(CONTAINER)).toHaveLength(3);
  });

  test('outlives the attempt that requested it, however long it takes', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    await a.take('holder');
    slow(at, b, 5_000, 9);
    b.requests();
    const waiters = [b.contend('c1'), b.contend('c2'), b.contend('c3')];
    // The first one requested a listing of its own, which was sent before the others had a node.
    expect(await at.let(Promise.all(waiters.map(attemptsUntilBusy)))).toEqual([3, 6, 6]);
    expect(count(b, 'list')).toBe(2);
  });

  test('is delivered to the others when the one that requested it has gone', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    await a.take('holder');
    slow(at, b, 500, 2);
    const [first, second] = [b.contend('c1'), b.contend('c2')];
    const requested = first.attempt(at.runtime.now().monotonicMs + 200);
    const joined = second.attempt(DEADLINE_MS);
    expect((await at.let(requested)).kind).toBe('unknown');
    await at.let(first.withdraw());

    expect((await at.let(joined)).kind).toBe('busy');
    expect(at.queue).toEqual(['holder', 'c2']);
  });

  test('and that left before its predecessor went is not used after it', async () => {
    const at = new Bench();
    const [a, b, c] = [await at.actor('a'), await at.actor('b'), await at.actor('c')];
    await a.take('holder');
    const middle = b.contend('c1');
    await b.attempt(middle);
    const last = c.contend('c2');
    await c.attempt(last);
    await c.change(last);
    await c.attempt(last);
    slow(at, c, 3_000, 1);
    expect((await c.attempt(last)).kind).toBe('unknown');
    await at.let(middle.withdraw());
    c.requests();

    expect((await c.attempt(last)).kind).toBe('busy');
    expect(c.requests().filter((request) => request.startsWith('list'))).toEqual(['list k']);
  });

  test('fails with its connection, and is sent anew on the next', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    const holder = await a.take('holder');
    b.session.next('list', 'stuck');
    const waiters = [b.contend('c1'), b.contend('c2'), b.contend('c3')];
    const attempts = Promise.all(waiters.map((one) => one.attempt(DEADLINE_MS)));
    await at.runtime.pass(10);
    b.session.disconnect();
    expect((await at.let(attempts)).map(({ kind }) => kind)).toEqual([
      'unknown',
      'unavailable',
      'unavailable',
    ]);
    b.session.reconnect();
    await at.let(holder.release());

    const again = await at.let(Promise.all(waiters.map((one) => one.attempt(DEADLINE_MS))));
    expect(again.map(({ kind }) => kind)).toEqual(['granted', 'busy', 'busy']);
    expect(at.queue).toEqual(['c1', 'c2', 'c3']);
  });

  test('of a session that has expired is used by nobody', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    await a.take('holder');
    slow(at, b, 1_000, 1);
    const waiters = [b.contend('c1'), b.contend('c2')];
    const attempts = Promise.all(waiters.map((one) => one.attempt(DEADLINE_MS)));
    await at.runtime.pass(10);
    const old = b.session;
    old.expire();
    a.session.expire();
    const kinds = (await at.let(attempts)).map(({ kind }) => kind);
    expect(kinds).not.toContain('granted');
    await at.runtime.pass(100);
    expect(b.session).not.toBe(old);

    const again = await at.let(Promise.all(waiters.map((one) => one.attempt(DEADLINE_MS))));
    expect(again.map(({ kind }) => kind).toSorted()).toEqual(['busy', 'granted']);
    expect(at.queue).toHaveLength(2);
  });
});

test('a listing takes as much room on the wire as the one before it was long', async () => {
  const at = new Bench();
  const a = await at.actor('a');
  await a.take('holder');
  for (let i = 0; i < 200; i++) {
    at.tree.create(`${CONTAINER}/${'x'.repeat(200)}${i}`, '', 0n, false);
  }
  const turn = vi.spyOn(RequestWindow.prototype, 'enqueue');

  for (const name of ['c1', 'c2']) await a.attempt(a.contend(name));

  const weights = turn.mock.calls.map(([, { weight }]) => weight);
  turn.mockRestore();
  expect(weights.filter((each) => each !== undefined)).toEqual([1, 6]);
});

test('what the contenders of a key create and watch leaves in one lane', async () => {
  const at = new Bench();
  const a = await at.actor('a');
  await a.take('holder');
  const turn = vi.spyOn(RequestWindow.prototype, 'enqueue');

  const waiter = a.contend('c1');
  await a.attempt(waiter);
  await a.change(waiter);

  const lanes = turn.mock.calls.map(([, { lane }]) => lane);
  turn.mockRestore();
  expect(lanes).toEqual([CONTAINER, CONTAINER, CONTAINER]);
});

test('attempts that begin by the thousand leave the process time for something else in between', async () => {
  const at = new Bench();
  const a = await at.actor('a');
  let over = 0;
  const attempts = Array.from({ length: 10 * ROOM }, (_, i) =>
    a
      .contend(`c${i}`)
      .attempt(0)
      .then(() => (over += 1)),
  );

  await settled();
  expect(over).toBeLessThanOrEqual(250);
  await at.let(Promise.all(attempts));
});

describe('creations of unknown outcome', () => {
  test('of a whole crowd are looked up together, and none is made twice', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    for (let i = 0; i < ROOM; i++) a.session.next('create', i % 2 === 0 ? 'lost' : 'stuck');
    const waiters = Array.from({ length: CROWD }, (_, i) => a.contend(`c${i}`));
    const attempts = Promise.all(waiters.map((one) => one.attempt(DEADLINE_MS)));
    await at.runtime.pass(10);
    a.session.disconnect();
    await at.let(attempts);
    a.session.heal();
    a.session.reconnect();
    a.requests();

    const again = await at.let(Promise.all(waiters.map((one) => one.attempt(DEADLINE_MS))));

    expect(again.filter(({ kind }) => kind === 'granted')).toHaveLength(1);
    expect(new Set(at.queue).size).toBe(CROWD);
    expect(at.queue).toHaveLength(CROWD);
    expect(count(a, 'sync')).toBeLessThanOrEqual(3);
    expect(count(a, 'list')).toBeLessThanOrEqual(8);
  });
});
