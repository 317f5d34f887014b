import { describe, expect, test, vi } from 'vitest';
import { SessionReplyError } from '../../packages/zk/src/port.ts';
import { type Actor, Bench, CONTAINER, T_MS } from '../../packages/zk/test/support/bench.ts';

/** Checks that came of mutants which nothing else had noticed; see docs/evidence/mutation.md. */

function nowMs({ runtime }: Bench): number {
  return runtime.now().monotonicMs;
}

function created(actor: Actor, name: string): number {
  return actor.asked().filter((asked) => asked === `create ${name}`).length;
}

async function warm(): Promise<{ at: Bench; a: Actor }> {
  const at = new Bench();
  const a = await at.actor('a');
  await a.warm();
  await at.runtime.pass(10);
  a.asked();
  return { at, a };
}

describe('an attempt', () => {
  test('whose place is taken away again and again takes three, and is unavailable: of that there is no doubt', async () => {
    const { at, a } = await warm();
    const list = a.session.list.bind(a.session);
    vi.spyOn(a.session, 'list').mockImplementation((path) => {
      for (const name of at.tree.children(CONTAINER)) at.tree.delete(`${CONTAINER}/${name}`);
      return list(path);
    });

    expect((await a.attempt(a.contend('c1'))).kind).toBe('unavailable');
    expect(created(a, 'c1-lock-')).toBe(3);
  });

  test('whose container is reaped again and again makes it five times', async () => {
    const { at, a } = await warm();
    const create = a.session.create.bind(a.session);
    vi.spyOn(a.session, 'create').mockImplementation((path, data, options) => {
      if (path.includes('c1-lock-')) at.tree.nodes.delete(CONTAINER);
      return create(path, data, options);
    });

    expect((await a.attempt(a.contend('c1'))).kind).toBe('unavailable');
    expect(created(a, 'k')).toBe(5);
  });

  test('with a millisecond left is made', async () => {
    const { at, a } = await warm();

    await at.let(a.contend('c1').attempt(nowMs(at) + 1));

    expect(a.asked()).toEqual(['create c1-lock-']);
  });

  test('whose session ends with the answer that it stands first is unavailable', async () => {
    const { at, a } = await warm();
    vi.spyOn(a.session, 'list').mockImplementationOnce(async (path) => {
      const listing = await a.session.list(path);
      a.session.expire();
      return listing;
    });

    const attempt = await a.attempt(a.contend('c1'));

    expect(attempt.kind).toBe('unavailable');
    expect(at.queue).toEqual([]);
  });

  test('that is not allowed to ask the leader is refused, and told why', async () => {
    const { at, a } = await warm();
    await at.runtime.pass(4 * T_MS);
    a.session.next('sync', new SessionReplyError('NOAUTH', 'not yours'));

    expect(await a.attempt(a.contend('c1'))).toMatchObject({
      kind: 'refused',
      error: { code: 'NO_AUTH' },
    });
  });

  test.each([
    ['the container', 1],
    ['the container, again', 2],
  ])('that is not allowed to make %s is refused, and told why', async (_, nth) => {
    const at = new Bench();
    const a = await at.actor('a');
    if (nth === 2) at.tree.clear();
    const create = a.session.create.bind(a.session);
    let makes = 0;
    vi.spyOn(a.session, 'create').mockImplementation((path, data, options) => {
      if (path !== CONTAINER) return create(path, data, options);
      makes += 1;
      if (makes === nth) a.session.next('create', new SessionReplyError('NOAUTH', 'not yours'));
      return create(path, data, options);
    });

    expect(await a.attempt(a.contend('c1'))).toMatchObject({
      kind: 'refused',
      error: { code: 'NO_AUTH' },
    });
    expect(makes).toBe(nth);
  });

  test('makes the container once what it stands under is there, however long that takes', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    at.tree.clear();
    const create = a.session.create.bind(a.session);
    vi.spyOn(a.session, 'create').mockImplementation(async (path, data, options) => {
      // Each parent on a server of its own mood.
      if (!path.startsWith(CONTAINER)) await at.runtime.pass(0);
      return await create(path, data, options);
    });

    expect((await a.attempt(a.contend('c1'))).kind).toBe('granted');
    expect(created(a, 'k')).toBe(2);
  });
});

describe('the look for a node of which nobody knows', () => {
  test('is asked for again after 25 ms, ever more slowly, where a server refuses it', async () => {
    const { at, a } = await warm();
    const contender = a.contend('c1');
    a.session.next('create', 'lost');
    await a.attempt(contender);
    a.session.disconnect();
    for (let i = 0; i < 1_000; i++) a.session.next('sync', new SessionReplyError('OTHER', 'no'));
    a.session.reconnect();
    a.asked();
    const syncs: number[] = [];
    const sync = a.session.sync.bind(a.session);
    vi.spyOn(a.session, 'sync').mockImplementation((path) => {
      if (path === CONTAINER) syncs.push(nowMs(at));
      return sync(path);
    });

    void contender.withdraw();
    await at.runtime.pass(8_000);

    const pauses = syncs.slice(1).map((ms, i) => ms - (syncs[i] ?? 0) - 1);
    expect(pauses).toEqual([25, 50, 100, 200, 400, 800, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000]);
  });
});

test('a queue whose listing is as long as allowed, and no longer, takes a newcomer', async () => {
  const { at, a } = await warm();
  const longest = 768 * 1024;
  const own = 'c1-lock-0000000001'.length + 4;
  const strangers = Math.ceil(longest / 100_000);
  let left = longest - own - 'b-lock-0000000009'.length - 4;
  for (let i = strangers; i > 0; i--) {
    const bytes = Math.floor(left / i);
    at.tree.nodes.set(`${CONTAINER}/${`${i}`.padEnd(bytes - 4, 'x')}`, {
      data: '',
      czxid: 1n,
      owner: 0n,
      made: 0,
    });
    left -= bytes;
  }
  at.tree.nodes.set(`${CONTAINER}/b-lock--000000009`, { data: '', czxid: 1n, owner: 1n, made: 0 });

  expect((await a.attempt(a.contend('c1'))).kind).toBe('busy');
});
