import { describe, expect, test, vi } from 'vitest';
import { SessionReplyError } from '../src/port.ts';
import { type Actor, Bench, CONTAINER, T_MS } from './support/bench.ts';

function nowMs({ runtime }: Bench): number {
  return runtime.now().monotonicMs;
}

function created(actor: Actor, name: string): number {
  return actor.requests().filter((request) => request === `create ${name}`).length;
}

async function warm(): Promise<{ at: Bench; a: Actor }> {
  const at = new Bench();
  const a = await at.actor('a');
  await a.warm();
  await at.runtime.pass(10);
  a.requests();
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

    expect(a.requests()).toEqual(['create c1-lock-']);
  });

  test('whose session ends with the reply that it is first is unavailable', async () => {
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

  test('that may not send a sync is refused, with the reason', async () => {
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
  ])('that may not create %s is refused, with the reason', async (_, nth) => {
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

  test('creates the container once its parent exists, however long that takes', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    at.tree.clear();
    const create = a.session.create.bind(a.session);
    vi.spyOn(a.session, 'create').mockImplementation(async (path, data, options) => {
      // The parents take longer than the container.
      if (!path.startsWith(CONTAINER)) await at.runtime.pass(0);
      return await create(path, data, options);
    });

    expect((await a.attempt(a.contend('c1'))).kind).toBe('granted');
    expect(created(a, 'k')).toBe(2);
  });

  test('for which no time is left sends nothing', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.warm();
    a.requests();

    const late = await at.let(a.contend('c1').attempt(nowMs(at)));

    expect(late.kind).toBe('unavailable');
    expect(a.requests()).toEqual([]);
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

test('a queue whose listing is as long as allowed, and no longer, takes a newcomer', async () => {
  const { at, a } = await warm();
  const longest = 768 * 1024;
  const own = 'c1-lock-0000000001'.length + 4;
  const strangers = Math.ceil(longest / 100_000);
  let left = longest - own - 'b-lock-0000000009'.length - 4;
  for (let i = strangers; i > 0; i--) {
    const bytes = Math.floor(left / i);
    const end = `-lock--${`${i + 10}`.padStart(9, '0')}`;
    at.tree.nodes.set(`${CONTAINER}/${`${i}`.padEnd(bytes - 4 - end.length, 'x')}${end}`, {
      data: '',
      czxid: 1n,
      owner: 0n,
      made: 0,
      version: 0,
    });
    left -= bytes;
  }
  at.tree.nodes.set(`${CONTAINER}/b-lock--000000009`, {
    data: '',
    czxid: 1n,
    owner: 1n,
    made: 0,
    version: 0,
  });

  expect((await a.attempt(a.contend('c1'))).kind).toBe('busy');
});

test('after an ensemble was wiped the first to come makes what is missing, each once', async () => {
  const at = new Bench();
  const a = await at.actor('a');
  for (const path of at.tree.nodes.keys()) if (path !== '/') at.tree.nodes.delete(path);
  a.requests();

  await a.take('c1');

  const made = a.requests().filter((request) => request.startsWith('create'));
  expect(made.filter((request) => request === 'create c1-lock-')).toHaveLength(2);
  expect(made.filter((request) => request === 'create k')).toHaveLength(2);
});
