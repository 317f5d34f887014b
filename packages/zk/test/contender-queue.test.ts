import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { SessionDoubt, SessionReplyError } from '../src/port.ts';
import { Bench, CONTAINER, T_MS } from './support/bench.ts';

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

  test('setting the watch wakes a waiter once, without another read of the queue', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const b = await at.actor('b');
    await a.take('c1');
    const contender = b.contend('c2');
    await b.attempt(contender);
    await b.change(contender);
    expect(b.requests().slice(-3)).toEqual([
      'create c2-lock-',
      'list k',
      'existsWatch c1-lock-0000000000',
    ]);

    expect((await b.attempt(contender)).kind).toBe('busy');
    expect(b.requests()).toEqual([]);
    expect((await b.attempt(contender)).kind).toBe('busy');
    expect(b.requests()).toEqual(['list k']);
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

  test('a contender that loses its predecessor reads the queue again, and does not assume that the key is free', async () => {
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

  test('a grant after a long wait is proven anew first, by a node that no contender watches', async () => {
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
    b.requests();
    const before = at.runtime.now().monotonicMs;

    const held = await b.granted(contender);

    expect(b.requests()).toEqual(['list k', 'create 0x102']);
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
    // No request was answered for that long: p is too old.
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
    const many = 960 * 1024;
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

  test.each(['readme', '_c_1-__WRIT__0000000000', 'leases'])(
    'nobody is granted beside a node whose meaning is unknown: %s',
    async (name) => {
      const at = new Bench();
      const a = await at.actor('a');
      await a.warm();
      await at.runtime.pass(10);
      at.tree.create(`${CONTAINER}/${name}`, 'x', 0n, false);
      const contender = a.contend('c1');

      const answer = await a.attempt(contender);

      expect(answer).toMatchObject({ kind: 'refused', error: { code: 'FOREIGN_KEY', key: 'k' } });
      expect(answer.kind === 'refused' && answer.error.message).toContain(`"${name}"`);
      await at.let(contender.withdraw());
      expect(at.tree.children(CONTAINER)).toEqual([name]);
      await at.let(a.backend.forceRelease?.('k') ?? Promise.reject(new Error('no force')));
      expect(at.tree.children(CONTAINER)).toEqual([name]);
    },
  );

  test('an unknown node that appears behind a waiter is left alone and reported once', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    const grant = await a.take('c1');
    const waiter = b.contend('c2');
    await b.attempt(waiter);
    at.tree.create(`${CONTAINER}/readme`, 'x', 0n, false);
    await b.attempt(waiter);
    await at.let(grant.release());

    expect((await b.attempt(waiter)).kind).toBe('granted');
    expect(at.tree.children(CONTAINER)).toContain('readme');
    expect(b.warnings()).toEqual(['foreign-node']);
  });

  test('a waiter that enters anew with another session is refused beside an unknown node', async () => {
    const at = new Bench();
    const [a, b] = [await at.actor('a'), await at.actor('b')];
    await a.take('c1');
    const waiter = b.contend('c2');
    await b.attempt(waiter);
    await b.change(waiter);
    await b.attempt(waiter);
    at.tree.create(`${CONTAINER}/readme`, 'x', 0n, false);
    b.session.expire();
    await b.change(waiter);
    await at.runtime.pass(100);

    expect((await b.attempt(waiter)).kind).toBe('refused');
  });

  test('near the end of its sequence a queue that is shared takes no newcomer, and says what to do', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    await at.runtime.pass(10);
    at.tree.at(CONTAINER).made = 2 ** 31 - 1_000;
    const alone = await a.take('c1');
    at.tree.create(`${CONTAINER}/_c_1-lock-`, '', 0xdeadn, true);
    const contender = a.contend('c2');

    const answer = await a.attempt(contender);

    expect(answer).toMatchObject({ kind: 'refused', error: { code: 'SEQUENCE_END', key: 'k' } });
    expect(answer.kind === 'refused' && answer.error.message).toMatch(/delete .*\/k/);
    await at.let(contender.withdraw());
    await at.let(alone.release());
  });

  test.each(['_c_1-lock-', 'c0ffee__lock__'])(
    'a contender of another library is waited for: %s',
    async (prefix) => {
      const at = new Bench();
      const a = await at.actor('a');
      await a.warm();
      await at.runtime.pass(10);
      const other = at.tree.create(`${CONTAINER}/${prefix}`, '', 0xdeadn, true);
      const contender = a.contend('c1');

      expect((await a.attempt(contender)).kind).toBe('busy');
      const woken = a.change(contender);
      at.tree.delete(other);
      await woken;
      expect((await a.attempt(contender)).kind).toBe('granted');
    },
  );
});
