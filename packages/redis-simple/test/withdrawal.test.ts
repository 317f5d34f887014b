import { NodeDoubt } from '@holdfast/redis/port';
import { expect, test } from 'vitest';
import { SimpleContender } from '../src/contender.ts';
import { type Bench, bench, KEYS } from './support/scripted-node.ts';
import { deferred, settled } from './support/virtual-runtime.ts';

const TTL_MS = 1_000;
const CALL_MS = 100;
/** Until an attempt of now must be gone: it may land for a tenth of the ttl, and then lives for it, by a slow clock. */
const LIFE_MS = CALL_MS + TTL_MS + 12;

const NOT_HELD = 0;
const RELEASED = 1;

/** A contender whose attempts end as `outcomes` say, one after the other, and leave nothing for a release to find. */
function contender(at: Bench, ...outcomes: (number | NodeDoubt)[]): SimpleContender {
  at.node.answer = ({ name }) => {
    const outcome = name === 'acquire' ? (outcomes.shift() ?? 0) : NOT_HELD;
    return outcome instanceof NodeDoubt ? Promise.reject(outcome) : Promise.resolve(outcome);
  };
  return new SimpleContender(at.store, KEYS, 'c1', TTL_MS);
}

async function attempt(it: SimpleContender): Promise<string> {
  return (await it.attempt(Number.MAX_SAFE_INTEGER)).kind;
}

const never = new Promise<boolean>(() => undefined);
const doubt = (undo: NodeDoubt['undo'], undone: Promise<boolean>): NodeDoubt =>
  new NodeDoubt('no reply', undo, undone);

test('a contender without a doubtful attempt withdraws clean', async () => {
  const it = contender(bench(), 400);
  await attempt(it);

  expect(await it.withdraw()).toEqual({ kind: 'clean' });
});

test('an undo answered behind its attempt on the same connection clears it', async () => {
  const at = bench();
  const undone = deferred<boolean>();
  const it = contender(at, doubt('ordered', undone.promise));
  expect(await attempt(it)).toBe('unknown');

  const withdrawal = it.withdraw();
  undone.resolve(true);

  expect(await withdrawal).toEqual({ kind: 'clean' });
  expect(at.runtime.timers.size).toBe(0);
  expect(at.node.calls.map((call) => call.name)).toEqual(['acquire']);
});

test('an undo answered on another connection clears nothing: the attempt may still land behind it', async () => {
  const it = contender(bench(), doubt('unordered', Promise.resolve(true)));
  await attempt(it);

  expect(await it.withdraw()).toEqual({ kind: 'unknown', untilMs: LIFE_MS });
});

test('a later attempt that finds the key taken clears no earlier one', async () => {
  const it = contender(bench(), doubt('unordered', Promise.resolve(true)), 400);
  expect(await attempt(it)).toBe('unknown');
  expect(await attempt(it)).toBe('busy');

  expect(await it.withdraw()).toMatchObject({ kind: 'unknown' });
});

test('an undo that is not answered within a call is waited for no longer', async () => {
  const at = bench();
  const it = contender(at, doubt('ordered', never));
  await attempt(it);

  const withdrawal = it.withdraw();
  await at.runtime.pass(CALL_MS);

  expect(await withdrawal).toEqual({ kind: 'unknown', untilMs: LIFE_MS - CALL_MS });
});

test('somebody waits for a withdrawal, so it keeps the process alive', async () => {
  const at = bench();
  const it = contender(at, doubt('ordered', never));
  await attempt(it);

  void it.withdraw();

  expect([...at.runtime.timers].map((timer) => timer.awaited)).toEqual([true]);
});

test('an undo that failed leaves the attempt in doubt', async () => {
  const it = contender(bench(), doubt('ordered', Promise.resolve(false)));
  await attempt(it);

  expect(await it.withdraw()).toEqual({ kind: 'unknown', untilMs: LIFE_MS });
});

test('of several doubtful attempts the one that may stand longest is told', async () => {
  const at = bench();
  const it = contender(at, doubt('none', Promise.resolve(false)), doubt('unordered', never));
  await attempt(it);
  await at.runtime.pass(300);
  await attempt(it);

  expect(await it.withdraw()).toEqual({ kind: 'unknown', untilMs: LIFE_MS });
});

test('what must be gone by itself is no doubt any more', async () => {
  const at = bench();
  const it = contender(at, doubt('none', Promise.resolve(false)));
  await attempt(it);

  await at.runtime.pass(LIFE_MS);

  expect(await it.withdraw()).toEqual({ kind: 'clean' });
});

test('an attempt that may land late is released again and again, ever more rarely, until it must be gone', async () => {
  const at = bench();
  const it = contender(at, doubt('unordered', Promise.resolve(true)));
  await attempt(it);
  const attempted = at.runtime.now().monotonicMs;
  const sentMs: number[] = [];
  at.node.answer = ({ args }) => {
    expect(args).toEqual(['c1:1:box:1']);
    sentMs.push(at.runtime.now().monotonicMs - attempted);
    return Promise.resolve(NOT_HELD);
  };

  await at.runtime.pass(100 * LIFE_MS);

  expect(sentMs).toEqual([25, 75, 175, 375, 775, 1_575]);
  expect(at.runtime.timers.size).toBe(0);
});

test('an attempt that landed late and was released is cleared: it is never sent twice', async () => {
  const at = bench();
  const it = contender(at, doubt('unordered', Promise.resolve(true)));
  await attempt(it);
  await at.runtime.pass(100);

  at.node.answer = () => Promise.resolve(RELEASED);
  await at.runtime.pass(100);

  expect(await it.withdraw()).toEqual({ kind: 'clean' });
  expect(at.runtime.timers.size).toBe(0);
});

test('an undo whose connection broke is followed by releases too', async () => {
  const at = bench();
  const it = contender(at, doubt('ordered', Promise.resolve(false)));
  await attempt(it);

  await at.runtime.pass(100);

  expect(at.node.calls.map((call) => call.name)).toEqual(['acquire', 'release', 'release']);
});

test('releasing what may land late keeps no process alive, and ends with the backend', async () => {
  const at = bench();
  const it = contender(at, doubt('none', Promise.resolve(false)));
  await attempt(it);
  await at.runtime.pass(0);
  expect([...at.runtime.timers].map((timer) => timer.awaited)).toEqual([false]);

  await at.store.pendingReleases.close();

  expect(at.runtime.timers.size).toBe(0);
});

test('an attempt stays in doubt when a later one has been undone', async () => {
  const at = bench();
  const it = new SimpleContender(at.store, KEYS, 'c1', TTL_MS);
  at.node.answer = () => Promise.reject(doubt('none', Promise.resolve(false)));
  await it.attempt(Number.MAX_SAFE_INTEGER);
  at.node.answer = () => Promise.reject(doubt('ordered', Promise.resolve(true)));
  await it.attempt(Number.MAX_SAFE_INTEGER);
  await settled();

  expect((await it.withdraw()).kind).toBe('unknown');
});
