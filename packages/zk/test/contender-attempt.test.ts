import { describe, expect, test } from 'vitest';
import { settled } from '../../core/test/kit/virtual-runtime.ts';
import { SessionReplyError } from '../src/port.ts';
import { Bench, CONTAINER, T_MS } from './support/bench.ts';

describe('an attempt', () => {
  test('on a warm container costs two round trips, and its release one', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    await at.runtime.pass(10);
    expect(a.requests().length).toBeGreaterThan(0);

    const grant = await a.take('c1');
    const { kind } = await at.let(grant.release());

    expect(kind).toBe('released');
    expect(a.requests()).toEqual(['create c1-lock-', 'list k', 'delete c1-lock-0000000001']);
  });

  test('of a session that was idle for long asks the leader first, once', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    for (let i = 0; i < 9; i++) {
      await at.runtime.pass(T_MS / 3);
      a.session.ping();
    }
    await at.runtime.pass(10);
    a.requests();

    for (const contender of ['c1', 'c2']) await at.let((await a.take(contender)).release());

    expect(a.requests()).toEqual([
      'sync locks',
      'create c1-lock-',
      'list k',
      'delete c1-lock-0000000001',
      'create c2-lock-',
      'list k',
      'delete c2-lock-0000000002',
    ]);
  });

  test('while another lease is held, however long, costs two round trips', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    await a.take('c1', 'another key');
    for (let i = 0; i < 50; i++) {
      await at.runtime.pass(T_MS / 7);
      a.requests();
      const grant = await a.take(`d${i}`);
      expect(a.requests()).toEqual([`create d${i}-lock-`, 'list k']);
      expect(grant.validity.ms).toBeGreaterThan(0.36 * T_MS);
      await at.let(grant.release());
    }
  });

  test('is valid from when its creation left, and carries the transaction as its token', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    const from = at.runtime.now();

    const grant = await a.take('c1');

    expect(grant.validity).toEqual({ from, ms: (T_MS * 2) / 3 });
    expect(grant.leaseMs).toBe(T_MS);
    expect(grant.owner).toBe('c1:1:a');
    const [name = ''] = at.tree.children(CONTAINER);
    expect(grant.fencingToken).toBe(at.tree.at(`${CONTAINER}/${name}`).czxid);
  });

  test('makes the container, and whatever it stands under, where it is missing', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    at.tree.nodes.delete('/holdfast/v1/locks');
    at.tree.nodes.delete('/holdfast/v1/sessions');

    await a.take('c1');

    expect(at.queue).toEqual(['c1']);
  });

  test('enters again when the container is reaped between its making and its first contender', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    const grant = a.contend('c1').attempt(Number.MAX_SAFE_INTEGER);
    await settled();
    // The creation finds no container. It is created, and reaped before the next creation.
    await at.runtime.pass(1);
    await at.runtime.pass(0);
    expect(at.tree.nodes.has(CONTAINER)).toBe(true);
    at.tree.nodes.delete(CONTAINER);

    expect((await at.let(grant)).kind).toBe('granted');
    expect((await b.attempt(b.contend('c2'))).kind).toBe('busy');
  });

  test('whose container vanishes time after time ends as unavailable', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    for (let i = 0; i < 20; i++) {
      a.session.next('create', new SessionReplyError('NONODE', 'k'));
      a.session.next('create', 'done');
    }

    expect((await a.attempt(a.contend('c1'))).kind).toBe('unavailable');
  });

  test('whose creation was applied and never answered finds itself again, and does not wait behind itself', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    const contender = a.contend('c1');
    a.session.next('create', 'lost');

    expect((await a.attempt(contender)).kind).toBe('unknown');
    a.session.disconnect();
    await at.runtime.pass(10);
    a.session.reconnect();
    const answer = await a.attempt(contender);

    expect(answer.kind).toBe('granted');
    expect(at.queue).toEqual(['c1']);
  });

  test('that finds itself twice stands by the earlier node, and removes the other', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    const contender = a.contend('c1');
    a.session.next('create', 'lost');
    await a.attempt(contender);
    at.tree.create(`${CONTAINER}/c1-lock-`, 'c1:1:a', a.session.id, true);
    a.session.disconnect();
    await at.runtime.pass(1);
    a.session.reconnect();

    expect((await a.attempt(contender)).kind).toBe('granted');
    await at.runtime.pass(10);
    expect(at.tree.children(CONTAINER)).toEqual(['c1-lock-0000000001']);
  });

  test('joins a creation that is still on its way instead of sending another', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    const contender = a.contend('c1');
    a.session.next('create', 'lost');
    expect((await a.attempt(contender)).kind).toBe('unknown');
    a.requests();

    expect((await a.attempt(contender)).kind).toBe('unknown');

    expect(a.requests().filter((request) => request !== 'sync locks')).toEqual([]);
    expect(at.queue).toEqual(['c1']);
  });

  test('whose creation was never applied enters anew', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    const contender = a.contend('c1');
    a.session.next('create', 'stuck');
    expect((await a.attempt(contender)).kind).toBe('unknown');
    a.session.disconnect();
    await at.runtime.pass(1);
    a.session.reconnect();

    expect((await a.attempt(contender)).kind).toBe('granted');
    expect(at.queue).toEqual(['c1']);
  });

  test('does not take a node of an earlier session for its own, however much it looks so', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    await b.warm();
    const contender = a.contend('c1');
    // A node of a session that the leader has ended, on a follower that does not know yet.
    at.tree.create(`${CONTAINER}/c1-lock-`, 'c1:1:a', 0xdeadn, true);
    a.session.next('create', 'stuck');
    await a.attempt(contender);
    a.session.disconnect();
    await at.runtime.pass(1);
    a.session.reconnect();

    const answer = await a.attempt(contender);

    expect(answer.kind).toBe('busy');
  });

  test('has a left-over of its own in its way removed', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    const contender = a.contend('c1');
    at.tree.create(`${CONTAINER}/c1-lock-`, 'c1:1:a', 0xdeadn, true);

    expect((await a.attempt(contender)).kind).toBe('busy');
    await at.runtime.pass(10);

    expect((await a.attempt(contender)).kind).toBe('granted');
  });

  test('settles by the deadline it was given, and by half of T', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    a.session.next('create', 'stuck');
    const fromMs = at.runtime.now().monotonicMs;

    const soon = await at.let(a.contend('c1').attempt(fromMs + 50));
    expect(soon.kind).toBe('unknown');
    expect(at.runtime.now().monotonicMs - fromMs).toBe(50);

    a.session.next('create', 'stuck');
    await a.attempt(a.contend('c2'));
    expect(at.runtime.now().monotonicMs - fromMs).toBe(50 + 2_000);
  });

  test('without a connection waits for one within its time, and is unavailable without it', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const contender = a.contend('c1');
    a.session.disconnect();

    expect((await a.attempt(contender)).kind).toBe('unavailable');
    const next = contender.attempt(Number.MAX_SAFE_INTEGER);
    await at.runtime.pass(100);
    a.session.reconnect();

    expect((await at.let(next)).kind).toBe('granted');
  });

  test('whose node is taken away by force enters again at the end of the queue', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    await a.take('c1');
    const contender = b.contend('c2');
    await b.attempt(contender);
    at.tree.delete(`${CONTAINER}/c2-lock-0000000001`);

    expect((await b.attempt(contender)).kind).toBe('busy');
    expect(at.queue).toEqual(['c1', 'c2']);
  });

  test.each([
    ['NOAUTH', 'NO_AUTH'],
    ['INVALIDACL', 'NO_AUTH'],
    ['NOCHILDRENFOREPHEMERALS', 'FOREIGN_KEY'],
    ['UNIMPLEMENTED', 'OLD_SERVER'],
  ] as const)('that is answered %s is refused, naming key and backend', async (reply, code) => {
    const at = new Bench();
    const a = await at.actor('a');
    a.session.next('create', new SessionReplyError(reply, reply));

    const answer = await a.attempt(a.contend('c1', 'the key'));

    expect(answer).toMatchObject({
      kind: 'refused',
      error: { code, key: 'the key', backend: 'zk' },
    });
  });

  test.each([['THROTTLEDOP'], ['QUOTAEXCEEDED'], ['OTHER']] as const)(
    'that is answered %s is unavailable',
    async (reply) => {
      const at = new Bench();
      const a = await at.actor('a');
      a.session.next('create', new SessionReplyError(reply, reply));

      expect((await a.attempt(a.contend('c1'))).kind).toBe('unavailable');
    },
  );
});
