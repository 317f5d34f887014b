import type { Backend, HoldMode } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { SessionDoubt, SessionReplyError } from '../src/port.ts';
import { holdersAhead, parseQueueNode, queueOf } from '../src/queue.ts';
import { type Actor, Bench, CONTAINER } from './support/bench.ts';

const SHARED: HoldMode = { kind: 'shared' };
const permits = (count: number, of: number): HoldMode => ({ kind: 'permits', permits: count, of });

function contendIn(actor: Actor, contender: string, mode: HoldMode) {
  return actor.contend(contender, 'k', mode);
}

async function read(actor: Actor, contender: string) {
  return await actor.granted(contendIn(actor, contender, SHARED));
}

function operator({ backend }: Actor): Required<Backend> {
  return backend as Required<Backend>;
}

function holdersOf(...stems: string[]): number {
  return holdersAhead(queueOf(stems.map((stem, i) => `${stem}-lock-000000000${i}`)));
}

describe('a node in a mode', () => {
  test.each([
    ['c1:shared-lock-0000000007', 'c1', SHARED],
    ['c1:permits:2:5-lock-0000000007', 'c1', permits(2, 5)],
    ['c1-lock-0000000007', 'c1', undefined],
    // Of a later release: nobody may pass it.
    ['c1:intent-lock-0000000007', 'c1:intent', undefined],
  ] as const)('%s', (name, contender, mode) => {
    expect(parseQueueNode(name)).toEqual({ name, contender, sequence: 7, mode });
  });

  test('is one in the queue for the release before it, in the same order', () => {
    // As that release parsed names.
    const earlier = /^(.+?)(?:-lock-|__lock__)(-?\d{9,10})$/;
    const names = ['c1:shared-lock-0000000001', 'c2:permits:1:3-lock-0000000002'];

    expect(names.map((name) => Number(earlier.exec(name)?.[2]))).toEqual([1, 2]);
  });

  test('counts as a holder if it holds', () => {
    expect(holdersOf()).toBe(0);
    expect(holdersOf('a', 'b:shared')).toBe(1);
    expect(holdersOf('a:shared', 'b:shared', 'c', 'd:shared')).toBe(2);
    expect(holdersOf('a:permits:1:2', 'b:permits:1:2', 'c:permits:1:2')).toBe(2);
    expect(holdersOf('a:permits:3:2')).toBe(1);
  });
});

describe('readers', () => {
  test('keep their token when the first of them has gone, and the next crowd draws another', async () => {
    const at = new Bench();
    const [a, b, c] = [await at.actor('a'), await at.actor('b'), await at.actor('c')];
    const first = await read(a, 'r1');
    const second = await read(b, 'r2');
    await at.let(first.release());
    const third = await read(c, 'r3');

    expect(second.fencingToken).toBe(first.fencingToken);
    expect(third.fencingToken).toBe(first.fencingToken);
    await at.let(second.release());
    await at.let(third.release());
    expect((await read(a, 'r4')).fencingToken).toBeGreaterThan(first.fencingToken ?? 0n);
  });

  test('that come at once are covered by one write', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    a.requests();
    const names = Array.from({ length: 20 }, (_, i) => `r${i}`);
    const tokens = await Promise.all(names.map(async (name) => (await read(a, name)).fencingToken));

    expect(new Set(tokens).size).toBe(1);
    const writes = a.requests().filter((request) => request === 'setData k');
    // The others lost the race, and found themselves covered.
    expect(writes.length).toBeLessThanOrEqual(names.length);
    expect(at.tree.at(CONTAINER).version).toBe(1);
  });

  test('repeat a record that was written without a reply', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const contender = contendIn(a, 'r1', SHARED);
    a.session.next('setData', new SessionDoubt('the reply was lost'));

    expect((await a.attempt(contender)).kind).toBe('unknown');
    const { fencingToken } = await a.granted(contender);
    expect(at.tree.at(CONTAINER).data).toBe(`readers:0:${fencingToken}`);
  });

  test('look again when another reader was quicker', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    a.session.next('setData', new SessionReplyError('BADVERSION', 'k'));

    await read(a, 'r1');

    expect(a.requests().filter((request) => request === 'setData k').length).toBe(2);
  });

  test('leave the data of another program alone', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    at.tree.setData(CONTAINER, '10.0.0.7');

    const attempt = await a.attempt(contendIn(a, 'r1', SHARED));

    expect(attempt).toMatchObject({ kind: 'refused', error: { code: 'FOREIGN_KEY' } });
    expect(at.tree.at(CONTAINER).data).toBe('10.0.0.7');
  });
});

describe('beside a client of the release before', () => {
  test('readers and holders of permits wait for it, and it waits for them', async () => {
    const at = new Bench();
    const [old, a] = [await at.actor('old'), await at.actor('a')];
    for (const mode of [SHARED, permits(1, 9)]) {
      const exclusive = await old.take('x1');
      const waiting = contendIn(a, 'r1', mode);
      expect((await a.attempt(waiting)).kind).toBe('busy');
      await at.let(exclusive.release());
      const grant = await a.granted(waiting);
      const behind = old.contend('x2');
      expect((await old.attempt(behind)).kind).toBe('busy');
      await at.let(grant.release());
      const next = await old.granted(behind);
      await at.let(next.release());
    }
  });
});

describe('permits', () => {
  test('that are released wake the first waiter, and that one the next', async () => {
    const at = new Bench();
    const [a, b, c] = [await at.actor('a'), await at.actor('b'), await at.actor('c')];
    const two = await a.granted(contendIn(a, 'p1', permits(2, 2)));
    const waiting = [
      [b, contendIn(b, 'p2', permits(1, 2))],
      [c, contendIn(c, 'p3', permits(1, 2))],
    ] as const;
    for (const [actor, contender] of waiting) {
      expect((await actor.attempt(contender)).kind).toBe('busy');
      await actor.change(contender);
      expect((await actor.attempt(contender)).kind).toBe('busy');
    }
    await at.let(two.release());
    for (const [actor, contender] of waiting) {
      await actor.change(contender);
      expect((await actor.granted(contender)).fencingToken).toBeUndefined();
    }
  });

  test('that are released before their waiter watches are not slept through', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    const both = await a.granted(contendIn(a, 'p1', permits(2, 2)));
    const waiter = contendIn(b, 'p2', permits(1, 2));
    await b.attempt(waiter);
    await at.let(both.release());
    await at.runtime.pass(10);

    await b.change(waiter);

    expect((await b.attempt(waiter)).kind).toBe('granted');
  });

  test('are looked for every second: a holder that died wakes nobody', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    await a.granted(contendIn(a, 'p1', permits(2, 2)));
    const waiter = contendIn(b, 'p2', permits(1, 2));

    expect(await b.attempt(waiter)).toEqual({ kind: 'busy', retryAfterMs: 1_000 });
    await b.change(waiter);
    expect(await b.attempt(waiter)).toEqual({ kind: 'busy', retryAfterMs: 1_000 });
  });

  test('that are released by force wake the first waiter', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    await a.granted(contendIn(a, 'p1', permits(2, 2)));
    const waiter = contendIn(b, 'p2', permits(1, 2));
    await b.attempt(waiter);
    await b.change(waiter);
    await b.attempt(waiter);
    const woken = b.change(waiter);

    await at.let(operator(a).forceRelease('k'));

    await woken;
    expect((await b.attempt(waiter)).kind).toBe('granted');
  });

  test('of another number are reported once', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    await a.granted(contendIn(a, 'p1', permits(1, 2)));
    const contender = contendIn(b, 'p2', permits(2, 5));

    for (let i = 0; i < 2; i++) expect((await b.attempt(contender)).kind).toBe('busy');
    expect(b.warnings()).toEqual(['PERMITS_DIFFER']);
  });
});

test('a forced release ends all holders, and no waiter', async () => {
  const at = new Bench();
  const a = await at.actor('a');
  const { fencingToken } = await read(a, 'r1');
  await read(a, 'r2');
  await a.attempt(a.contend('x1'));

  const shown = await at.let(operator(a).inspect('k'));
  expect(shown).toMatchObject({ held: true, waiters: 1, fencingToken });
  await at.let(operator(a).forceRelease('k'));

  expect(at.queue).toEqual(['x1']);
});
