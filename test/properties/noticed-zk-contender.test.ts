import { describe, expect, test, vi } from 'vitest';
import { SessionReplyError } from '../../packages/zk/src/port.ts';
import { type Actor, Bench, CONTAINER, T_MS } from '../../packages/zk/test/support/bench.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

function nowMs({ runtime }: Bench): number {
  return runtime.now().monotonicMs;
}

function watched(actor: Actor): number {
  return actor.asked().filter((asked) => asked.startsWith('existsWatch')).length;
}

/** Somebody holds the key, and another waits for it. */
async function behind(): Promise<{ at: Bench; a: Actor; b: Actor }> {
  const at = new Bench();
  const [a, b] = [await at.actor('a'), await at.actor('b')];
  await a.warm();
  return { at, a, b };
}

/** One whose next creation is applied, and never answered. */
async function doubtful(): Promise<{ at: Bench; a: Actor }> {
  const at = new Bench();
  const a = await at.actor('a');
  await a.warm();
  a.session.next('create', 'lost');
  return { at, a };
}

describe('an attempt', () => {
  test('for which no time is left asks nobody', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    a.asked();

    const late = await at.let(a.contend('c1').attempt(nowMs(at)));

    expect(late.kind).toBe('unavailable');
    expect(a.asked()).toEqual([]);
  });

  test('whose queue was taken away meanwhile enters anew', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    vi.spyOn(a.session, 'list').mockImplementationOnce((path) => {
      at.tree.delete(`${CONTAINER}/${at.tree.children(CONTAINER).join('')}`);
      at.tree.delete(CONTAINER);
      return a.session.list(path);
    });

    expect((await a.attempt(a.contend('c1'))).kind).toBe('granted');
  });

  test('that was granted leaves nothing for a withdrawal to take away', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const contender = a.contend('c1');
    await a.granted(contender);

    expect(await at.let(contender.withdraw())).toEqual({ kind: 'clean' });
    expect(at.queue).toEqual(['c1']);
  });
});

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
    c.asked();

    await at.runtime.pass(2 * T_MS);

    expect(c.asked()).toEqual([]);
    expect(at.tree.watches.size).toBe(0);
  });
});

describe('a creation of which nobody knows', () => {
  test('is looked for behind a sync, since the server that is asked may not have seen it yet', async () => {
    const { at, a } = await doubtful();
    const contender = a.contend('c1');
    await a.attempt(contender);
    a.session.disconnect();
    await at.runtime.pass(10);
    a.session.reconnect();
    a.asked();

    await a.attempt(contender);

    const asked = a.asked();
    expect(asked.indexOf('sync k')).toBeGreaterThanOrEqual(0);
    expect(asked.indexOf('sync k')).toBeLessThan(asked.indexOf('list k'));
    expect(asked.filter((each) => each.startsWith('create c1'))).toEqual([]);
  });

  test('that made two nodes keeps the place of the earlier one, and removes the other', async () => {
    const { at, a } = await doubtful();
    const contender = a.contend('c1');
    await a.attempt(contender);
    at.tree.create(`${CONTAINER}/c1-lock-`, 'a', a.session.id, true);
    // Servers list children in no order.
    vi.spyOn(a.session, 'list').mockImplementationOnce(async (path) => {
      const listing = await a.session.list(path);
      return { ...listing, children: listing.children.toReversed() };
    });
    a.session.disconnect();
    await at.runtime.pass(10);
    a.session.reconnect();

    const grant = await a.granted(contender);
    await at.runtime.pass(10);

    expect(at.queue).toEqual(['c1']);
    expect(at.tree.at(`${CONTAINER}/c1-lock-0000000001`).czxid).toBe(grant.fencingToken);
  });

  test('is in doubt for as long as its session may last, at once where that is over', async () => {
    const { at, a } = await doubtful();
    const contender = a.contend('c1');
    await a.attempt(contender);
    a.isDown = true;
    a.session.expire();
    const fromMs = nowMs(at);

    expect((await at.let(contender.withdraw())).kind).toBe('unknown');
    expect(nowMs(at) - fromMs).toBeLessThan(10);
  });

  test('is looked for once, by the attempt and by the withdrawal together', async () => {
    const { at, a } = await doubtful();
    const contender = a.contend('c1');
    await a.attempt(contender);
    a.session.disconnect();
    await at.runtime.pass(10);
    a.session.reconnect();
    a.asked();

    const attempt = contender.attempt(Number.MAX_SAFE_INTEGER);
    const withdrawn = contender.withdraw();
    await at.let(Promise.all([attempt, withdrawn]));

    expect(a.asked().filter((each) => each === 'sync k')).toHaveLength(1);
  });
});

test('a withdrawal during which the session ends is unknown until what stands of it is gone', async () => {
  const { at, a, b } = await behind();
  await a.take('c1');
  const contender = b.contend('c2');
  await b.attempt(contender);
  b.session.next('delete', 'stuck');
  const withdrawn = contender.withdraw();
  await at.runtime.pass(5);
  b.session.expire();

  expect((await at.let(withdrawn)).kind).toBe('unknown');
});

test('after an ensemble was wiped the first to come makes what is missing, each once', async () => {
  const at = new Bench();
  const a = await at.actor('a');
  for (const path of at.tree.nodes.keys()) if (path !== '/') at.tree.nodes.delete(path);
  a.asked();

  await a.take('c1');

  const made = a.asked().filter((asked) => asked.startsWith('create'));
  expect(made.filter((asked) => asked === 'create c1-lock-')).toHaveLength(2);
  expect(made.filter((asked) => asked === 'create k')).toHaveLength(2);
});
