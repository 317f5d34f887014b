import { describe, expect, test, vi } from 'vitest';
import { SessionReplyError, type WatchedStat } from '../src/port.ts';
import { type Actor, Bench, T_MS } from './support/bench.ts';

function nowMs({ runtime }: Bench): number {
  return runtime.now().monotonicMs;
}

function watched(actor: Actor): number {
  return actor.requests().filter((request) => request.startsWith('existsWatch')).length;
}

/** Two actors on a warm container. */
async function behind(): Promise<{ at: Bench; a: Actor; b: Actor }> {
  const at = new Bench();
  const [a, b] = [await at.actor('a'), await at.actor('b')];
  await a.warm();
  return { at, a, b };
}

describe('a waiter', () => {
  test('that looks again while nothing has changed keeps the watch that it has', async () => {
    const { at, a, b } = await behind();
    await a.take('c1');
    const contender = b.contend('c2');
    for (let i = 0; i < 4; i++) {
      await b.attempt(contender);
      const abort = new AbortController();
      const waiting = contender.changed(abort.signal);
      await at.runtime.pass(5);
      abort.abort();
      await at.let(waiting);
    }

    expect(watched(b)).toBe(1);
    expect(at.tree.watches.size).toBe(1);
  });

  test('that waits again while its watch is on the way asks for no second one', async () => {
    const { at, a, b } = await behind();
    await a.take('c1');
    const contender = b.contend('c2');
    await b.attempt(contender);
    for (let i = 0; i < 2; i++) {
      const abort = new AbortController();
      const waiting = contender.changed(abort.signal);
      abort.abort();
      await waiting;
    }
    await at.runtime.pass(5);

    expect(watched(b)).toBe(1);
  });

  test('whose watch was refused asks for it again', async () => {
    const { at, a, b } = await behind();
    const grant = await a.take('c1');
    const contender = b.contend('c2');
    b.session.next('existsWatch', new SessionReplyError('THROTTLEDOP', 'too busy'));
    await b.attempt(contender);
    await b.change(contender);
    await b.attempt(contender);
    const waiting = contender.changed(new AbortController().signal);
    await at.runtime.pass(10);
    expect(at.tree.watches.size).toBe(1);

    await at.let(grant.release());
    await at.let(waiting);

    expect((await b.attempt(contender)).kind).toBe('granted');
  });

  test('that went past one who left, and was served, keeps its session warm no longer than two T', async () => {
    const { at, a, b } = await behind();
    const grant = await a.take('c1');
    const c = await at.actor('c');
    const [second, third] = [b.contend('c2'), c.contend('c3')];
    await b.attempt(second);
    await c.attempt(third);
    await c.change(third);
    await at.let(second.withdraw());
    await c.attempt(third);
    await c.change(third);
    await c.attempt(third);
    const served = c.change(third);
    await at.let(grant.release());
    await served;
    const own = await c.granted(third);
    await at.let(own.release());
    await at.runtime.pass(3 * T_MS);
    c.requests();

    await at.runtime.pass(2 * T_MS);

    expect(c.requests()).toEqual([]);
    expect(at.tree.watches.size).toBe(0);
  });

  test('whose connection is lost while it asks for its watch sleeps until there is one', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    await a.take('c1');
    const contender = b.contend('c2');
    await b.attempt(contender);
    let isWoken = false;
    const waiting = contender.changed(new AbortController().signal).then(() => {
      isWoken = true;
    });
    b.session.disconnect();
    await at.runtime.pass(1_000);
    expect(isWoken).toBe(false);

    b.session.reconnect();
    await at.let(waiting);

    expect(isWoken).toBe(true);
  });

  test('that is refused a watch asks again after 25 ms, ever more slowly, and begins anew once it had one', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    await a.warm();
    const [first, second] = [a.contend('c1'), a.contend('c2')];
    await a.attempt(first);
    await a.attempt(second);
    const waiter = b.contend('c3');
    const refused = async (times: number): Promise<number[]> => {
      const pauses: number[] = [];
      await b.attempt(waiter);
      for (let i = 0; i < times; i++) {
        b.session.next('existsWatch', new SessionReplyError('THROTTLEDOP', 'too busy'));
        const fromMs = nowMs(at);
        await b.change(waiter);
        pauses.push(nowMs(at) - fromMs);
        await b.attempt(waiter);
      }
      await b.change(waiter);
      await b.attempt(waiter);
      return pauses;
    };

    const before = await refused(4);
    await at.let(second.withdraw());
    const after = await refused(2);

    expect(before.map(withoutTheAnswer)).toEqual([25, 50, 100, 200]);
    expect(after.map(withoutTheAnswer)).toEqual([25, 50]);
  });
});

/** A refusal takes a millisecond, and the test notices the end of a wait after another. */
function withoutTheAnswer(ms: number): number {
  return ms - (ms % 5);
}

interface Answer {
  readonly resolve: (watched: WatchedStat) => void;
  readonly reject: (cause: Error) => void;
}

interface Waiting {
  readonly at: Bench;
  readonly c: Actor;
  /** The number of times that it was woken. */
  readonly woken: () => number;
  readonly answer: Answer;
}

/** `c1` holds, `c2` and `c3` wait, and the test decides when the watch of `c3` on `c2` is answered. */
async function waitingLong(): Promise<Waiting> {
  const at = new Bench();
  const [a, b, c] = [await at.actor('a'), await at.actor('b'), await at.actor('c')];
  await a.take('c1');
  const [second, third] = [b.contend('c2'), c.contend('c3')];
  await b.attempt(second);
  await c.attempt(third);
  let answer: Answer | undefined;
  vi.spyOn(c.session, 'existsWatch').mockImplementationOnce(
    () =>
      new Promise((resolve, reject) => {
        answer = { resolve, reject };
      }),
  );
  const abort = new AbortController();
  const looking = third.changed(abort.signal);
  abort.abort();
  await looking;
  await at.let(second.withdraw());
  // Now behind `c1`, whose watch is set at once.
  await c.attempt(third);
  await c.change(third);
  await c.attempt(third);
  let woken = 0;
  void third.changed(new AbortController().signal).then(() => (woken += 1));
  if (answer === undefined) throw new Error('no watch was requested');
  return { at, c, woken: () => woken, answer };
}

describe('the watch on one who has left, answered late,', () => {
  const node = { czxid: 1n, ephemeralOwner: 1n, version: 0 };

  test.each([
    ['that it stands', (answer: Answer) => answer.resolve(watchedStat(node))],
    ['that it is gone', (answer: Answer) => answer.resolve(watchedStat(undefined))],
    ['not at all', (answer: Answer) => answer.reject(new SessionReplyError('OTHER', 'cannot'))],
  ])('%s, wakes nobody', async (_, give) => {
    const { at, c, woken, answer } = await waitingLong();
    c.requests();

    give(answer);
    await at.runtime.pass(100);

    expect(woken()).toBe(0);
    expect(c.requests()).toEqual([]);
  });
});

function watchedStat(stat: WatchedStat['stat']): WatchedStat {
  return { sentAt: { monotonicMs: 0, wallMs: 0 }, stat, unwatch: () => {} };
}
