import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { settled } from '../../redis-simple/test/support/virtual-runtime.ts';
import { SessionDoubt, SessionReplyError } from '../src/port.ts';
import { Bench, CONTAINER, T_MS } from './support/bench.ts';

const noAuth = new SessionReplyError('NOAUTH', 'no');

describe('an attempt', () => {
  test('on a warm container costs two round trips, and its release one', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    await at.runtime.pass(10);
    expect(a.asked().length).toBeGreaterThan(0);

    const grant = await a.take('c1');
    const { kind } = await at.let(grant.release());

    expect(kind).toBe('released');
    expect(a.asked()).toEqual(['create c1-lock-', 'list k', 'delete c1-lock-0000000001']);
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
    a.asked();

    for (const contender of ['c1', 'c2']) await at.let((await a.take(contender)).release());

    expect(a.asked()).toEqual([
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
      a.asked();
      const grant = await a.take(`d${i}`);
      expect(a.asked()).toEqual([`create d${i}-lock-`, 'list k']);
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
    // Create: no node. Make the container; before the next creation comes it is gone again.
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
    a.asked();

    expect((await a.attempt(contender)).kind).toBe('unknown');

    expect(a.asked().filter((request) => request !== 'sync locks')).toEqual([]);
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
    // Left by a session that the leader has ended, on a follower that does not know yet.
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

describe('in the queue', () => {
  test('a waiter watches the one in front of it alone, and a release wakes one of many', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const grant = await a.take('c0');
    const others = [];
    for (let i = 1; i <= 5; i++) {
      const actor = await at.actor(`b${i}`);
      const contender = actor.contend(`c${i}`);
      expect((await actor.attempt(contender)).kind).toBe('busy');
      await actor.change(contender);
      expect((await actor.attempt(contender)).kind).toBe('busy');
      others.push({ actor, contender, isWoken: false });
    }
    const rest = new AbortController();
    for (const other of others) {
      void other.contender.changed(rest.signal).then(() => {
        other.isWoken = !rest.signal.aborted;
      });
    }

    await at.let(grant.release());
    await at.runtime.pass(10);

    expect(others.map(({ isWoken }) => isWoken)).toEqual([true, false, false, false, false]);
    rest.abort();
    expect(at.tree.watches.size).toBe(4);
  });

  test('the setting of the watch wakes a waiter once, without another look at the queue', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    await a.take('c1');
    const contender = b.contend('c2');
    await b.attempt(contender);
    await b.change(contender);
    expect(b.asked().slice(-3)).toEqual([
      'create c2-lock-',
      'list k',
      'existsWatch c1-lock-0000000000',
    ]);

    expect((await b.attempt(contender)).kind).toBe('busy');
    expect(b.asked()).toEqual([]);
    expect((await b.attempt(contender)).kind).toBe('busy');
    expect(b.asked()).toEqual(['list k']);
  });

  test('a predecessor that vanished before the watch was set wakes the waiter', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    const grant = await a.take('c1');
    const contender = b.contend('c2');
    await b.attempt(contender);
    await at.let(grant.release());

    await b.change(contender);

    expect((await b.attempt(contender)).kind).toBe('granted');
    expect(at.tree.watches.size).toBe(0);
  });

  test.each([
    ['refuses', new SessionReplyError('THROTTLEDOP', 'too busy')],
    ['fails at', new SessionDoubt('system error')],
  ])(
    'a server that %s a watch is asked again ever more slowly, and the waiter does not go deaf',
    async (_, failure) => {
      const at = new Bench();
      const a = await at.actor('a');
      const b = await at.actor('b');
      const grant = await a.take('c1');
      const contender = b.contend('c2');
      await b.attempt(contender);
      for (let i = 0; i < 1_000; i++) b.session.next('existsWatch', failure);
      const fromMs = at.runtime.now().monotonicMs;
      let attempts = 0;
      for (; at.runtime.now().monotonicMs - fromMs < 20_000; attempts++) {
        await b.change(contender);
        await b.attempt(contender);
      }
      // The longest pause is 1 s here, without jitter.
      expect(attempts).toBeLessThan(30);

      b.session.heal();
      await b.change(contender);
      await b.attempt(contender);
      const woken = b.change(contender);
      await at.let(grant.release());
      await woken;

      expect((await b.attempt(contender)).kind).toBe('granted');
    },
  );

  test('a signal that is lent again and again keeps no listener of a wait that is over', async () => {
    const at = new Bench();
    const [a, b, c] = [await at.actor('a'), await at.actor('b'), await at.actor('c')];
    const holder = await a.take('c1');
    const middle = b.contend('c2');
    await b.attempt(middle);
    const contender = c.contend('c3');
    const { signal } = new AbortController();
    const listeners: number[] = [];
    const wait = async (): Promise<void> => {
      await c.attempt(contender);
      await at.let(contender.changed(signal));
      listeners.push(getEventListeners(signal, 'abort').length);
    };
    await wait();
    c.session.next('existsWatch', new SessionReplyError('OTHER', 'cannot'));
    await at.let(middle.withdraw());
    await wait();
    await wait();
    await at.let(holder.release());
    await wait();

    expect(listeners).toEqual([0, 0, 0, 0]);
  });

  test('whoever loses its predecessor looks again, and does not take the key for free', async () => {
    const at = new Bench();
    const [a, b, c] = [await at.actor('a'), await at.actor('b'), await at.actor('c')];
    await a.take('c1');
    const middle = b.contend('c2');
    await b.attempt(middle);
    const last = c.contend('c3');
    await c.attempt(last);
    await c.change(last);
    await c.attempt(last);

    await at.let(middle.withdraw());
    await c.change(last);

    expect((await c.attempt(last)).kind).toBe('busy');
  });

  test('a waiter of an expired session enters with the next one, at the end', async () => {
    const at = new Bench();
    const [a, b, c] = [await at.actor('a'), await at.actor('b'), await at.actor('c')];
    const grant = await a.take('c1');
    const early = b.contend('c2');
    await b.attempt(early);
    await b.change(early);
    const late = c.contend('c3');
    await c.attempt(late);
    await b.attempt(early);

    b.session.expire();
    await b.change(early);
    await at.runtime.pass(100);

    expect((await b.attempt(early)).kind).toBe('busy');
    expect(at.queue).toEqual(['c1', 'c3', 'c2']);
    await at.let(grant.release());
    expect((await c.attempt(late)).kind).toBe('granted');
  });

  test('a grant after a long wait is proven anew before it is given, by a node that nobody watches', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    const grant = await a.take('c1');
    const contender = b.contend('c2');
    await b.attempt(contender);
    await at.runtime.pass(T_MS / 2);
    b.session.ping();
    await at.runtime.pass(T_MS / 2);
    b.session.ping();
    await at.let(grant.release());
    b.asked();
    const before = at.runtime.now().monotonicMs;

    const held = await b.granted(contender);

    expect(b.asked()).toEqual(['list k', 'create 0x102']);
    expect(held.validity.from.monotonicMs + held.validity.ms).toBeGreaterThan(before + T_MS / 6);
    expect(held.validity.from.monotonicMs + held.validity.ms).toBeLessThanOrEqual(
      before + 1 + (T_MS * 2) / 3,
    );
  });

  test('a waiter whose session was not heard of keeps its place instead of getting a grant of no use', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    const grant = await a.take('c1');
    const contender = b.contend('c2');
    await b.attempt(contender);
    await at.runtime.pass(0);
    // Nothing was answered for as long: p is too old.
    at.runtime.block(T_MS);
    await at.let(grant.release());

    expect((await b.attempt(contender)).kind).toBe('unavailable');
    expect(at.queue).toEqual(['c2']);
    await at.runtime.pass(T_MS / 3);

    expect((await b.attempt(contender)).kind).toBe('granted');
  });

  test('so long that its listing comes near the limit of a reply, newcomers are refused and those in it are not', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    const grant = await a.take('c1');
    const waiter = b.contend('c2');
    await b.attempt(waiter);
    const many = 768 * 1024;
    for (let bytes = 0; bytes < many; bytes += 2_000) {
      at.tree.create(`${CONTAINER}/${'x'.repeat(2_000)}-lock-`, '', 0xdeadn, true);
    }
    const newcomer = a.contend('c3');

    const answer = await a.attempt(newcomer);
    expect(answer).toMatchObject({ kind: 'refused', error: { code: 'QUEUE_FULL', key: 'k' } });
    expect(answer.kind === 'refused' && answer.error.message).toMatch(/1 MB.*jute\.maxbuffer/);
    await at.let(newcomer.withdraw());
    expect(at.queue).not.toContain('c3');
    expect((await b.attempt(waiter)).kind).toBe('busy');
    await at.let(grant.release());
    expect((await b.attempt(waiter)).kind).toBe('granted');
  });

  test('somebody else’s nodes are left alone, counted for nothing, and told of once', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    await at.runtime.pass(10);
    at.tree.create(`${CONTAINER}/readme`, 'x', 0n, false);

    for (const contender of ['c1', 'c2']) await at.let((await a.take(contender)).release());
    await at.let(a.backend.forceRelease?.('k') ?? Promise.reject(new Error('no force')));

    expect(at.tree.children(CONTAINER)).toEqual(['readme']);
    expect(a.warnings()).toEqual(['foreign-node']);
  });
});

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
    b.session.next('delete', noAuth);

    expect((await at.let(contender.withdraw())).kind).toBe('unknown');
    expect(b.warnings()).toEqual(['undeletable-node']);
  });
});
