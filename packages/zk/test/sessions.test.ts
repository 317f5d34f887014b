import { describe, expect, test } from 'vitest';
import { deferred } from '../../core/test/kit/virtual-runtime.ts';
import { layoutOf } from '../src/keys.ts';
import { pauseMs } from '../src/node-deleter.ts';
import { SessionUnavailable, type ZooKeeperSession } from '../src/port.ts';
import { SessionHandle } from '../src/session-handle.ts';
import { CrowdPacer } from '../src/store.ts';
import { Actor, Bench, T_MS } from './support/bench.ts';
import { HandSession } from './support/hand-session.ts';

function nowMs({ runtime }: Bench): number {
  return runtime.now().monotonicMs;
}

/** An actor whose session has expired, while no server grants another. */
async function without(): Promise<{ at: Bench; a: Actor }> {
  const at = new Bench();
  const a = await at.actor('a');
  a.isDown = true;
  a.session.expire();
  await at.runtime.pass(100);
  return { at, a };
}

describe('an attempt that waits for a session', () => {
  test('continues in the next one, as soon as there is one', async () => {
    const { at, a } = await without();
    const attempt = a.contend('c1').attempt(Number.MAX_SAFE_INTEGER);
    await at.runtime.pass(10);

    a.isDown = false;

    expect((await at.let(attempt)).kind).toBe('granted');
  });

  test('ends when the backend closes: there will be none', async () => {
    const { at, a } = await without();
    const attempt = a.contend('c1').attempt(Number.MAX_SAFE_INTEGER);
    await at.runtime.pass(10);
    const fromMs = nowMs(at);

    void a.backend.close();

    expect(await at.let(attempt)).toMatchObject({
      kind: 'unavailable',
      cause: { message: expect.stringMatching(/closed/) },
    });
    expect(nowMs(at) - fromMs).toBeLessThanOrEqual(1);
  });

  test('says that the backend is closed, also where a server has refused its user meanwhile', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    const { session } = a;
    session.close = async () => session.expire('auth-failed');

    await at.let(a.backend.close());

    expect(await a.attempt(a.contend('c1'))).toMatchObject({
      kind: 'unavailable',
      cause: { message: expect.stringMatching(/closed/) },
    });
  });

  test('waits half of the requested session timeout if none has been granted yet', async () => {
    const at = new Bench();
    const a = new Actor(at, 'a');
    a.isDown = true;
    await a.open({ sessionTimeoutMs: 1_000 });
    const fromMs = nowMs(at);

    await a.attempt(a.contend('c1'));

    expect(nowMs(at) - fromMs).toBe(500);
  });
});

test('a ttl for one call is refused, with the session timeout that was granted', async () => {
  const a = await new Bench().actor('a', { sessionTimeoutMs: 2 * T_MS });

  expect(() => a.backend.contend({ key: 'k', contender: 'c1', ttlMs: 1_000 })).toThrow(
    new RegExp(`as long as their session, ${T_MS} ms`),
  );
});

describe('while no server grants a session, one is requested', () => {
  test('again and again, after ever longer pauses from the shortest on', async () => {
    const { at, a } = await without();
    const requestedAtMs: number[] = [];
    const b = await at.actor('b', {
      open: () => {
        requestedAtMs.push(nowMs(at));
        return Promise.reject(new SessionUnavailable('no server answered'));
      },
    });
    await at.runtime.pass(10_000);

    // The first request is that of the opening.
    const pausesMs = requestedAtMs.slice(2).map((ms, i) => ms - (requestedAtMs[i + 1] ?? 0));
    expect(pausesMs.slice(0, 4)).toEqual([0, 1, 2, 3].map((n) => pauseMs(at.runtime, n)));
    await Promise.all([a.backend.close(), b.backend.close()]);
  });
});

describe('a session that took another’s place', () => {
  test('and had ended by then is replaced in its turn', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    a.session.disconnect();
    await at.runtime.pass(3 * T_MS - 100);
    a.session.expire();
    await at.runtime.pass(200);

    expect(a.sessions.map(({ state }) => state)).toEqual(['closed', 'expired', 'connected']);
    expect((await a.attempt(a.contend('c1'))).kind).toBe('granted');
  });
});

/** Sessions that an actor gets one after the other, when a test resolves them. */
async function given(): Promise<{
  at: Bench;
  a: Actor;
  first: HandSession;
  next: HandSession;
  give: () => void;
}> {
  const at = new Bench();
  const first = new HandSession(at.tree, at.runtime, 1n, T_MS);
  const next = new HandSession(at.tree, at.runtime, 2n, T_MS);
  const opening = deferred<HandSession>();
  const opened = [Promise.resolve(first), opening.promise].values();
  const open = (): Promise<HandSession> => opened.next().value ?? opening.promise;
  const a = await at.actor('a', { open });
  return { at, a, first, next, give: () => opening.resolve(next) };
}

describe('closing', () => {
  test('ends a session that opens afterwards, because it was requested before', async () => {
    const { at, a, first, next, give } = await given();
    first.expire();
    await at.runtime.pass(1);
    await a.backend.close();

    give();
    await at.runtime.pass(1);

    expect(next.state).toBe('closed');
  });

  test('ends a replacement of a session that is still being closed', async () => {
    const { at, a, first, next, give } = await given();
    first.disconnect();
    await at.runtime.pass(2.5 * T_MS);
    give();
    await at.runtime.pass(1);
    first.close = () => new Promise(() => {});
    void a.backend.close();

    await at.runtime.pass(2 * T_MS);

    expect(next.state).toBe('closed');
    expect((await a.attempt(a.contend('c1'))).kind).toBe('unavailable');
  });

  test('waits for the session to close, within its own limit', async () => {
    const { at, a, first } = await given();
    const telling = deferred<void>();
    const closings: unknown[] = [];
    const close: ZooKeeperSession['close'] = (options) => {
      closings.push(options);
      return telling.promise;
    };
    Object.assign(first, { close });
    let isOver = false;
    const closing = a.backend.close({ timeoutMs: 1_234 }).then(() => (isOver = true));
    await at.runtime.pass(1);
    expect(isOver).toBe(false);
    expect(closings).toEqual([{ timeoutMs: 1_234 }]);

    telling.resolve();

    expect(await closing).toBe(true);
  });
});

function presence(): { at: Bench; session: HandSession; presence: SessionHandle } {
  const at = new Bench();
  const { host } = new Actor(at, 'a');
  const session = new HandSession(at.tree, at.runtime, 1n, T_MS);
  const layout = layoutOf('holdfast');
  const store = {
    host,
    layout,
    acl: undefined,
    pacer: new CrowdPacer(host.runtime),
    warnForeignNodes: (): void => {},
  };
  return { at, session, presence: new SessionHandle(session, store) };
}

describe('the end of a session', () => {
  test('is reported once, and what lingers goes by the first, also when it is closed later', async () => {
    const { at, session, presence: ending } = presence();
    let calls = 0;
    ending.onEnd(() => {
      calls += 1;
    });

    session.expire();
    await at.runtime.pass(T_MS / 4);
    await session.close();

    expect(calls).toBe(1);
    expect(ending.mayBeStoredMs).toBe(0.75 * T_MS);
  });
});

test('a wait for a connection leaves no listener behind', async () => {
  const { session, presence: waited } = presence();
  const onState = waited.onState.bind(waited);
  let listening = 0;
  waited.onState = (listener) => {
    listening += 1;
    const stop = onState(listener);
    return () => {
      listening -= 1;
      stop();
    };
  };
  session.disconnect();
  const settled = waited.connectedOrOver();
  expect(listening).toBe(1);

  session.reconnect();
  await settled;

  expect(listening).toBe(0);
});
