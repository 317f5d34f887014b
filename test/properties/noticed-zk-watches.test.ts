import { describe, expect, test, vi } from 'vitest';
import { SessionReplyError, type WatchedStat } from '../../packages/zk/src/port.ts';
import { SessionHandle } from '../../packages/zk/src/session-handle.ts';
import { type Actor, Bench, T_MS } from '../../packages/zk/test/support/bench.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

function nowMs({ runtime }: Bench): number {
  return runtime.now().monotonicMs;
}

interface Answer {
  readonly resolve: (watched: WatchedStat) => void;
  readonly reject: (cause: Error) => void;
}

interface Waiting {
  readonly at: Bench;
  readonly c: Actor;
  /** How often it was woken. */
  readonly woken: () => number;
  readonly answer: Answer;
}

/** `c1` holds, `c2` and `c3` wait, and the watch that `c3` asks for on `c2` is answered when a test says so. */
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
  if (answer === undefined) throw new Error('no watch was asked for');
  return { at, c, woken: () => woken, answer };
}

describe('the watch on one who has left, answered late,', () => {
  const node = { czxid: 1n, ephemeralOwner: 1n };

  test.each([
    ['that it stands', (answer: Answer) => answer.resolve(watched(node))],
    ['that it is gone', (answer: Answer) => answer.resolve(watched(undefined))],
    ['not at all', (answer: Answer) => answer.reject(new SessionReplyError('OTHER', 'cannot'))],
  ])('%s, wakes nobody', async (_, give) => {
    const { at, c, woken, answer } = await waitingLong();
    c.asked();

    give(answer);
    await at.runtime.pass(100);

    expect(woken()).toBe(0);
    expect(c.asked()).toEqual([]);
  });
});

function watched(stat: WatchedStat['stat']): WatchedStat {
  return { sentAt: { monotonicMs: 0, wallMs: 0 }, stat, unwatch: () => {} };
}

describe('a waiter', () => {
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

/** A refusal is answered after a millisecond, and a wait is seen to be over after another. */
function withoutTheAnswer(ms: number): number {
  return ms - (ms % 5);
}

describe('a hold', () => {
  test('whose node may not be removed watches it no longer', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c1');
    await at.let(grant.renew(T_MS));
    a.session.next('delete', new SessionReplyError('NOAUTH', 'not yours'));

    expect((await at.let(grant.release())).kind).toBe('unknown');
    expect(at.tree.watches.size).toBe(0);
  });

  test('that was given back leaves nothing with its session, which may have many', async () => {
    let listening = 0;
    const onState = Reflect.get<SessionHandle, 'onState'>(SessionHandle.prototype, 'onState');
    const spy = vi.spyOn(SessionHandle.prototype, 'onState').mockImplementation(function (
      this: SessionHandle,
      listener,
    ) {
      listening += 1;
      const stop = onState.call(this, listener);
      return () => {
        listening -= 1;
        stop();
      };
    });
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    const before = listening;

    for (let i = 0; i < 5; i++) await at.let((await a.take(`c${i}`)).release());

    expect(listening).toBe(before);
    spy.mockRestore();
  });

  test('is renewed by a late answer, to the last millisecond of what it proves', async () => {
    const left: number[] = [];
    for (let blockedMs = 0.6 * T_MS; blockedMs < T_MS; blockedMs++) {
      const at = new Bench();
      const a = await at.actor('a');
      const grant = await a.take('c1');
      await at.let(grant.renew(T_MS));
      await at.runtime.pass(T_MS / 5);
      const renewing = grant.renew(T_MS);
      await at.runtime.pass(0);
      at.runtime.block(blockedMs);
      const renewal = await at.let(renewing);
      if (renewal.kind !== 'renewed') break;
      const { from, ms } = renewal.validity;
      left.push(from.monotonicMs + ms - nowMs(at));
    }

    expect(left.at(-1)).toBe(1);
  });
});
