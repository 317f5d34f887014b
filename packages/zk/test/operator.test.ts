import type { Backend, Health, Inspection, Release } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { SessionDoubt, SessionReplyError, SessionUnavailable } from '../src/port.ts';
import { type Actor, Bench } from './support/bench.ts';

const NO_NODE = new SessionReplyError('NONODE', 'no node');
const NO_AUTH = new SessionReplyError('NOAUTH', 'not yours');
const BUSY = new SessionReplyError('THROTTLEDOP', 'slow down');
const BELONGS = /^zk: key "k" may not be locked by this user: the ACL of its container/;

interface Stage {
  readonly at: Bench;
  readonly a: Actor;
  /** Operator's calls of `a`; as much time passes as they need. */
  readonly inspect: () => Promise<Inspection>;
  readonly forceRelease: () => Promise<Release>;
  readonly health: () => Promise<Health>;
}

/** `a` holds the key `k`. */
async function stage(): Promise<Stage> {
  const at = new Bench();
  const a = await at.actor('a');
  await a.take('c1');
  a.requests();
  const { inspect, forceRelease, health } = a.backend as Required<Backend>;
  return {
    at,
    a,
    inspect: () => at.let(inspect.call(a.backend, 'k')),
    forceRelease: () => at.let(forceRelease.call(a.backend, 'k')),
    health: () => at.let(health.call(a.backend)),
  };
}

describe('an inspection', () => {
  test('finds nobody where the holder leaves between the listing and the look at it', async () => {
    const { a, inspect } = await stage();
    a.session.next('read', NO_NODE);

    expect(await inspect()).toEqual({ key: 'k', held: false });
  });

  test('finds nobody where the hold has ended', async () => {
    const { inspect, forceRelease } = await stage();
    await forceRelease();

    expect(await inspect()).toEqual({ key: 'k', held: false });
  });

  test('believes no server before its leader has answered: it may be behind', async () => {
    const { a, inspect } = await stage();
    a.session.next('sync', 'stuck');

    await expect(inspect()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });

    expect(a.requests()).not.toContain('list k');
  });

  test('that is not answered says about which key, and why', async () => {
    const { a, inspect } = await stage();
    a.session.next('list', BUSY);

    await expect(inspect()).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      message: 'zk: no reply about key "k": slow down',
      key: 'k',
      backend: 'zk',
      cause: BUSY,
    });
  });

  test('of what is somebody else’s says so', async () => {
    const { a, inspect } = await stage();
    a.session.next('list', NO_AUTH);

    await expect(inspect()).rejects.toMatchObject({
      code: 'NO_AUTH',
      message: expect.stringMatching(BELONGS),
      cause: NO_AUTH,
    });
  });
});

describe('a forced release', () => {
  test.each(['sync', 'list', 'delete'] as const)(
    'finds nobody where the answer to %s is that nothing is there',
    async (name) => {
      const { a, forceRelease } = await stage();
      a.session.next(name, NO_NODE);

      expect(await forceRelease()).toEqual({ kind: 'not-held' });
    },
  );

  test('of a hold that has ended finds nobody', async () => {
    const { forceRelease } = await stage();
    expect(await forceRelease()).toEqual({ kind: 'released' });

    expect(await forceRelease()).toEqual({ kind: 'not-held' });
  });

  test('that was sent and never answered is in doubt', async () => {
    const { a, forceRelease } = await stage();
    a.session.next('delete', 'lost');

    expect(await forceRelease()).toEqual({ kind: 'unknown', cause: expect.any(SessionDoubt) });
  });

  test('of which nothing was sent is none', async () => {
    const { a, at, forceRelease } = await stage();
    a.session.next('sync', 'stuck');

    await expect(forceRelease()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });

    expect(at.queue).toEqual(['c1']);
  });

  test('of an exclusive hold writes nothing else: its removal wakes the waiter', async () => {
    const { a, at, forceRelease } = await stage();

    await forceRelease();
    await at.runtime.pass(10);

    expect(a.requests()).toEqual(['sync k', 'list k', expect.stringMatching(/^delete c1-lock-/)]);
  });

  test('of what is somebody else’s is refused, not doubtful', async () => {
    const { a, forceRelease } = await stage();
    a.session.next('delete', NO_AUTH);

    await expect(forceRelease()).rejects.toMatchObject({ code: 'NO_AUTH' });
  });
});

/** The first page of the keys that are held. */
async function keysOf({ at, a }: Stage): Promise<readonly string[]> {
  const { heldKeys } = a.backend as Required<Backend>;
  const pages = heldKeys.call(a.backend)[Symbol.asyncIterator]();
  const { value }: IteratorResult<readonly string[], unknown> = await at.let(pages.next());
  return value as readonly string[];
}

describe('a listing of the keys that are held', () => {
  test('leaves out those whose container the servers remove meanwhile', async () => {
    const it = await stage();
    await it.a.take('c2', 'other');
    it.a.session.next('list', 'done');
    it.a.session.next('list', NO_NODE);

    expect(await keysOf(it)).toEqual(['other']);
  });

  test('fails if one of them may not be looked into, and does not leave it out', async () => {
    const it = await stage();
    await it.a.take('c2', 'other');
    it.a.session.next('list', 'done');
    it.a.session.next('list', BUSY);

    await expect(keysOf(it)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE', cause: BUSY });
  });
});

describe('health', () => {
  test('tells which server it is, and how long its leader took', async () => {
    const { health } = await stage();

    expect(await health()).toEqual({
      ok: true,
      nodes: [{ node: 'zk:2181', ok: true, roundTripMs: 1 }],
    });
  });

  test('tells which server it was, and what is wrong', async () => {
    const { a, health } = await stage();
    a.session.disconnect();

    expect(await health()).toEqual({
      ok: false,
      nodes: [{ node: 'zk:2181', ok: false, detail: 'zk: there is no connection' }],
    });
  });

  test('is the ensemble’s while there is no session', async () => {
    const { a, health } = await stage();
    a.isDown = true;
    a.session.expire();

    expect(await health()).toEqual({
      ok: false,
      nodes: [
        { node: 'ensemble', ok: false, detail: 'zk: there is no session (no server answered)' },
      ],
    });
  });
});

describe('an attempt', () => {
  test.each([
    ['NOAUTH', BELONGS],
    ['INVALIDACL', /"k" cannot be protected: .* authenticated itself$/],
    [
      'NOCHILDRENFOREPHEMERALS',
      /"k" cannot be locked: an ephemeral node is in place of its container/,
    ],
    ['UNIMPLEMENTED', /"k" cannot be locked on this server: .* 3\.5\.3 or later$/],
  ] as const)('that is answered %s says what is wrong with the key', async (code, message) => {
    const { a } = await stage();
    const cause = new SessionReplyError(code, code);
    a.session.next('create', cause);

    expect(await a.attempt(a.contend('c2'))).toMatchObject({
      kind: 'refused',
      error: { message: expect.stringMatching(message), cause },
    });
  });

  test('without a connection says that there was none', async () => {
    const { a } = await stage();
    a.session.disconnect();

    expect(await a.attempt(a.contend('c2'))).toEqual({
      kind: 'unavailable',
      cause: expect.any(SessionUnavailable),
    });
  });
});
