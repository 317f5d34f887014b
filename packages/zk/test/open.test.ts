import { ConfigError, InvalidOptionError } from '@holdfast/core';
import { type Backend } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { openZk, type ZkOptions } from '../src/open.ts';
import {
  type Opening,
  type OpenSession,
  SessionReplyError,
  SessionUnavailable,
} from '../src/port.ts';
import { Actor, Bench, T_MS } from './support/bench.ts';
import { HandSession } from './support/hand-session.ts';

const open: ZkOptions['open'] = () => Promise.reject(new SessionUnavailable('down'));

describe('before anything is sent', () => {
  test.each<[string, typeof ConfigError | typeof InvalidOptionError, RegExp, ZkOptions]>([
    ['no servers', ConfigError, /zk: set either servers or open, not both/, {}],
    [
      'servers and an opener',
      ConfigError,
      /set either servers or open/,
      { servers: ['a:1'], open },
    ],
    ['an empty list', ConfigError, /at least one/, { servers: [] }],
    ['a server that is none', ConfigError, /host:port/, { servers: ['a:b:c/d'] }],
    ['a chroot that is no path', ConfigError, /chroot/, { servers: ['a:1'], chroot: 'a' }],
    ['an empty namespace', InvalidOptionError, /namespace is empty/, { open, namespace: '' }],
    ['half a millisecond', InvalidOptionError, /sessionTimeoutMs/, { open, sessionTimeoutMs: 0.5 }],
    ['99 ms', InvalidOptionError, /from 100 to 86400000/, { open, sessionTimeoutMs: 99 }],
  ])('%s is refused', async (_, kind, message, options) => {
    const { host } = new Actor(new Bench(), 'a');

    const opening = openZk(options, host);

    await expect(opening).rejects.toThrow(kind);
    await expect(opening).rejects.toThrow(message);
  });
});

describe('opening', () => {
  test('makes what locks stand under', async () => {
    const at = new Bench();
    await at.actor('a');

    expect([...at.tree.nodes.keys()].slice(1)).toEqual([
      '/holdfast',
      '/holdfast/v1',
      '/holdfast/v1/locks',
      '/holdfast/v1/sessions',
    ]);
  });

  test('creates nothing if all of it exists already, and only reads', async () => {
    const at = new Bench();
    await at.actor('first');

    const second = await at.actor('second');

    expect(second.requests()).toEqual(['read locks']);
  });

  test('does not fail because no server replies yet: it warns, and keeps trying', async () => {
    const at = new Bench();
    const a = new Actor(at, 'a');
    a.isDown = true;
    await a.open();
    expect(a.warnings()).toEqual(['unchecked-ensemble']);
    expect((await a.attempt(a.contend('c1'))).kind).toBe('unavailable');

    a.isDown = false;
    await at.runtime.pass(5_000);

    expect((await a.attempt(a.contend('c1'))).kind).toBe('granted');
  });

  test('does not fail for good because an opener fails in a way of its own', async () => {
    const at = new Bench();
    const a = new Actor(at, 'a');
    a.refusal = new Error('no route');
    await a.open();
    expect(a.warnings()).toEqual(['unchecked-ensemble']);

    a.refusal = undefined;
    await at.runtime.pass(5_000);

    expect((await a.attempt(a.contend('c1'))).kind).toBe('granted');
  });

  test('that failed is what errors and health name, at once', async () => {
    const at = new Bench();
    const a = new Actor(at, 'a');
    a.refusal = new SessionUnavailable('no session from a:1: self-signed certificate');
    await a.open();
    // The next opening is slow.
    a.onOpen = () => at.runtime.timer(5_000, () => {});

    const attempt = await a.attempt(a.contend('c1'));
    const health = await at.let(a.backend.health?.() ?? Promise.reject());

    const message = 'zk: there is no session (no session from a:1: self-signed certificate)';
    expect(attempt).toMatchObject({ kind: 'unavailable', cause: { message } });
    expect(health.nodes).toEqual([{ node: 'ensemble', ok: false, detail: message }]);
  });

  test('that failed is not named any more once there is a session', async () => {
    const at = new Bench();
    const a = new Actor(at, 'a');
    a.refusal = new SessionUnavailable('self-signed certificate');
    await a.open();
    a.refusal = undefined;
    await at.runtime.pass(5_000);
    a.session.disconnect();

    const health = await at.let(a.backend.health?.() ?? Promise.reject());

    expect(health.nodes).toMatchObject([{ ok: false, detail: 'zk: there is no connection' }]);
  });

  test.each([
    ['NONODE', /chroot does not exist/],
    ['NOAUTH', /locks cannot be kept under \/holdfast\/v1\/locks/],
    ['UNIMPLEMENTED', /locks cannot be kept on these servers: .* need ZooKeeper 3\.5\.3 or later/],
  ] as const)(
    'fails where the first node is answered %s, and closes the session',
    async (code, message) => {
      const at = new Bench();
      const session = new HandSession(at.tree, at.runtime, 1n, T_MS);
      session.next('create', new SessionReplyError(code, code));
      const { host } = new Actor(at, 'a');

      const opening = at.let(openZk({ open: async () => session }, host));

      await expect(opening).rejects.toThrow(ConfigError);
      await expect(opening).rejects.toThrow(message);
      expect(session.state).toBe('closed');
    },
  );

  test('continues if it may not create what exists already', async () => {
    const at = new Bench();
    await at.actor('first');
    const session = new HandSession(at.tree, at.runtime, 1n, T_MS);
    // Another client creates it between the read and the creation.
    session.next('read', new SessionReplyError('NONODE', 'not yet'));
    for (let i = 0; i < 4; i++) session.next('create', new SessionReplyError('NOAUTH', 'no'));
    const { host } = new Actor(at, 'a');

    const backend = await at.let(openZk({ open: async () => session }, host));

    expect(backend.name).toBe('zk');
    expect(at.tree.watches.size).toBe(0);
  });

  test('reports another session timeout than requested', async () => {
    const at = new Bench();
    const a = await at.actor('a', { sessionTimeoutMs: 30_000 });
    const b = await at.actor('b', { sessionTimeoutMs: T_MS });

    expect(a.events).toContainEqual(
      expect.objectContaining({
        code: 'session-timeout',
        message: expect.stringMatching(/requested a session timeout of 30000 ms.*12000 ms/),
      }),
    );
    expect(b.warnings()).toEqual([]);
  });
});

describe('closing', () => {
  test('ends the session, and with it all its nodes', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    await a.take('c1');

    await at.let(a.backend.close());
    await at.let(a.backend.close());

    expect(at.queue).toEqual([]);
    expect((await a.attempt(a.contend('c2'))).kind).toBe('unavailable');
    await at.runtime.pass(60_000);
    expect(a.sessions).toHaveLength(1);
    expect(at.runtime.timers.size).toBe(0);
  });

  test('while a new session is being opened ends that one too', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    a.isDown = true;
    a.session.expire();
    await at.runtime.pass(10);

    const closing = a.backend.close();
    a.isDown = false;
    await at.runtime.pass(60_000);
    await closing;

    expect(a.sessions.every(({ state }) => state !== 'connected')).toBe(true);
  });
});

/** Opened without a session; the next opening is under way. */
async function reopening(): Promise<{ at: Bench; backend: Backend; openings: Opening[] }> {
  const at = new Bench();
  const openings: Opening[] = [];
  const { host } = new Actor(at, 'a');
  const never: OpenSession = (_deadlineMs, how) => {
    openings.push(how ?? {});
    if (openings.length === 1) return Promise.reject(new SessionUnavailable('down'));
    return new Promise((_, fail) => {
      how?.signal?.addEventListener('abort', () => fail(new SessionUnavailable('aborted')));
    });
  };
  const backend = await at.let(openZk({ open: never }, host));
  await at.runtime.pass(0);
  return { at, backend, openings };
}

describe('closing while a session is being opened', () => {
  test('ends the opening, and begins no other', async () => {
    const { at, backend, openings } = await reopening();

    await at.let(backend.close());
    await at.runtime.pass(60_000);

    expect(openings.map(({ signal }) => signal?.aborted)).toEqual([true, true]);
    expect(at.runtime.timers.size).toBe(0);
  });

  test('the first opening keeps the process alive, for it is waited for; later ones do not', async () => {
    const { openings } = await reopening();

    expect(openings.map(({ awaited }) => awaited)).toEqual([true, false]);
  });
});

describe('an operator', () => {
  test('sees who holds a key, and how many wait', async () => {
    const at = new Bench();
    const a = await at.actor('box 1');
    const b = await at.actor('box 2');
    const grant = await a.take('c1');
    await b.attempt(b.contend('c2'));

    expect(await at.let(b.backend.inspect?.('k') ?? Promise.reject())).toEqual({
      key: 'k',
      held: true,
      owner: 'c1:1:box 1',
      holder: 'box 1',
      fencingToken: grant.fencingToken,
      waiters: 1,
    });
    expect(await at.let(b.backend.inspect?.('other') ?? Promise.reject())).toEqual({
      key: 'other',
      held: false,
    });
  });

  test('learns that no server replies, and that it is unhealthy', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    expect(await at.let(a.backend.health?.() ?? Promise.reject())).toMatchObject({ ok: true });
    a.session.disconnect();

    await expect(at.let(a.backend.inspect?.('k') ?? Promise.reject())).rejects.toThrow(
      /no reply about key "k"/,
    );
    expect(await at.let(a.backend.health?.() ?? Promise.reject())).toMatchObject({ ok: false });
  });
});
