import { describe, expect, test } from 'vitest';
import { SessionReplyError } from '../src/port.ts';
import { Bench, T_MS } from './support/bench.ts';

describe('a withdrawal', () => {
  test('removes the node', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    await a.take('c1');
    const contender = b.contend('c2');
    await b.attempt(contender);
    await b.change(contender);

    expect(await at.let(contender.withdraw())).toEqual({ kind: 'clean' });
    expect(at.queue).toEqual(['c1']);
    expect(at.tree.watches.size).toBe(0);
  });

  test('while the watch is being set leaves none behind', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    await a.take('c1');
    const contender = b.contend('c2');
    await b.attempt(contender);
    const abort = new AbortController();
    const waiting = contender.changed(abort.signal);
    abort.abort();
    await waiting;

    await at.let(contender.withdraw());

    expect(at.tree.watches.size).toBe(0);
  });

  test('of a doubtful creation that was applied finds it and removes it', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    const contender = a.contend('c1');
    a.session.next('create', 'lost');
    await a.attempt(contender);
    const withdrawal = contender.withdraw();
    await at.runtime.pass(10);
    a.session.disconnect();
    await at.runtime.pass(10);
    a.session.reconnect();

    expect(await at.let(withdrawal)).toEqual({ kind: 'clean' });
    expect(at.queue).toEqual([]);
  });

  test('is unknown while there is no connection, and goes on until nothing stands', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    const contender = a.contend('c1');
    a.session.next('create', 'lost');
    await a.attempt(contender);
    a.session.disconnect();

    expect(await at.let(contender.withdraw())).toEqual({
      kind: 'unknown',
      untilMs: Number.POSITIVE_INFINITY,
    });
    expect(at.queue).toEqual(['c1']);
    a.isDown = true;
    await at.runtime.pass(60_000);
    a.session.reconnect();
    await at.runtime.pass(10);

    expect(at.queue).toEqual([]);
  });

  test('is not clean before T when the session has expired: a deposed leader may have said so, whose successor knows it still', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    await a.take('c1');
    const contender = b.contend('c2');
    await b.attempt(contender);
    b.session.expire();
    await at.runtime.pass(T_MS / 4);

    expect(await at.let(contender.withdraw())).toEqual({ kind: 'unknown', untilMs: 0.75 * T_MS });
    await at.runtime.pass(0.75 * T_MS);
    expect(await at.let(contender.withdraw())).toEqual({ kind: 'clean' });
  });

  test('in the next session tells of a node that may stand in the one before', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    await a.take('c1');
    const contender = b.contend('c2');
    await b.attempt(contender);
    b.session.expire();
    await at.runtime.pass(100);
    await b.attempt(contender);

    expect(await at.let(contender.withdraw())).toMatchObject({ kind: 'unknown' });
    expect(at.queue).toEqual(['c1']);
    await at.runtime.pass(T_MS);
    expect(await at.let(contender.withdraw())).toEqual({ kind: 'clean' });
  });

  test('is clean at once when nothing was created in the session that has expired', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await at.runtime.pass(3 * T_MS);
    const contender = a.contend('c1');
    a.session.next('sync', 'stuck');
    expect((await a.attempt(contender)).kind).toBe('unavailable');
    a.session.expire();

    expect(at.queue).toEqual([]);
    expect(await at.let(contender.withdraw())).toEqual({ kind: 'clean' });
  });

  test('that may not remove its node says for how long it stands', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    await a.take('c1');
    const contender = b.contend('c2');
    await b.attempt(contender);
    b.session.next('delete', new SessionReplyError('NOAUTH', 'no'));

    expect((await at.let(contender.withdraw())).kind).toBe('unknown');
    expect(b.warnings()).toEqual(['undeletable-node']);
  });

  test('during which the session ends is unknown until what stands of it is gone', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    await a.warm();
    await a.take('c1');
    const contender = b.contend('c2');
    await b.attempt(contender);
    b.session.next('delete', 'stuck');
    const withdrawn = contender.withdraw();
    await at.runtime.pass(5);
    b.session.expire();

    expect((await at.let(withdrawn)).kind).toBe('unknown');
  });
});
