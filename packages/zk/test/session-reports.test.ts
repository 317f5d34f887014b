import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { VirtualRuntime } from '../../core/test/kit/virtual-runtime.ts';
import { Deadline } from '../src/deadline.ts';
import { layoutOf } from '../src/keys.ts';
import { type OpenSession, SessionUnavailable } from '../src/port.ts';
import { Sessions } from '../src/sessions.ts';
import { CrowdPacer } from '../src/store.ts';
import { Actor, Bench, T_MS } from './support/bench.ts';
import { HandSession } from './support/hand-session.ts';

setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc') as () => void;

const DOWN = 'no server answered';
const noServer = (): Promise<never> => Promise.reject(new SessionUnavailable(DOWN));

/** The `node` events, in order. */
function nodeEvents({ events }: Actor): unknown[] {
  return events.filter(({ type }) => type === 'node');
}

describe('an operator learns', () => {
  test('of each session which server it talks to, and what happens to it', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    a.session.disconnect();
    a.session.reconnect();
    a.session.expire();
    await at.runtime.pass(10);

    const node = { type: 'node', backend: 'zk', node: 'zk:2181' };
    expect(nodeEvents(a)).toEqual([
      { ...node, outcome: 'session 0x101' },
      { ...node, outcome: 'disconnected' },
      { ...node, outcome: 'connected' },
      { ...node, outcome: 'expired' },
      { ...node, outcome: 'session 0x102' },
    ]);
  });

  test('of a session whose id is negative as ZooKeeper’s own tools print it', async () => {
    const at = new Bench();
    const session = new HandSession(at.tree, at.runtime, -(2n ** 56n), T_MS);

    const a = await at.actor('a', { open: async () => session });

    expect(nodeEvents(a)).toMatchObject([{ outcome: 'session 0xff00000000000000' }]);
  });

  test('why there is no session, each time that one was requested', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    a.isDown = true;
    a.session.expire();
    await at.runtime.pass(1);

    expect(nodeEvents(a).slice(2)).toEqual([
      { type: 'node', backend: 'zk', node: 'ensemble', outcome: `no session: ${DOWN}` },
    ]);
  });

  test('nothing of an opening that the close of the backend ended', async () => {
    const at = new Bench();
    const first = new HandSession(at.tree, at.runtime, 1n, T_MS);
    const sessions = [first].values();
    const open: OpenSession = async (_, opening) => {
      const { value } = sessions.next();
      if (value !== undefined) return value;
      await new Promise((resolve) => opening?.signal?.addEventListener('abort', resolve));
      throw new SessionUnavailable('aborted');
    };
    const a = await at.actor('a', { open });
    first.expire();
    await at.runtime.pass(1);

    await at.let(a.backend.close());

    expect(nodeEvents(a).slice(2)).toEqual([]);
  });

  test('of another session timeout than requested, by a warning of this backend', async () => {
    const a = await new Bench().actor('a', { sessionTimeoutMs: 30_000 });

    expect(a.events).toContainEqual({
      type: 'warning',
      backend: 'zk',
      code: 'session-timeout',
      message: expect.stringMatching(/requested a session timeout of 30000 ms.*12000 ms/),
    });
  });
});

describe('a caller that requests a lock learns', () => {
  test('that there is no session, and why', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    a.isDown = true;
    a.session.expire();

    expect(await a.attempt(a.contend('c1'))).toMatchObject({
      kind: 'unavailable',
      cause: {
        message: `zk: there is no session (${DOWN})`,
        cause: { message: DOWN },
      },
    });
  });

  test('that there is no connection', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    a.session.disconnect();

    expect(await a.attempt(a.contend('c1'))).toMatchObject({
      kind: 'unavailable',
      cause: { message: 'zk: there is no connection', cause: undefined },
    });
  });

  test('why no other session is to be had for one that stays without a connection', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    a.isDown = true;
    a.session.disconnect();
    await at.runtime.pass(3 * T_MS);

    expect(await a.attempt(a.contend('c1'))).toMatchObject({
      cause: { message: `zk: there is no connection (${DOWN})`, cause: { message: DOWN } },
    });
  });

  test('that the credentials were refused, where, and by which backend', async () => {
    const at = new Bench();
    const a = await at.actor('a');
    a.session.expire('auth-failed');

    expect(await a.attempt(a.contend('c1'))).toMatchObject({
      kind: 'refused',
      error: {
        code: 'NO_AUTH',
        backend: 'zk',
        message: expect.stringContaining('zk:2181 refused the credentials'),
      },
    });
  });
});

/** Remembers the promises that were waited for, without keeping them alive. */
class WatchedDeadline extends Deadline {
  readonly waits: WeakRef<object>[] = [];

  override limit<T>(work: Promise<T>): Promise<T> {
    this.waits.push(new WeakRef(work));
    return super.limit(work);
  }
}

test('nothing is kept of those who have waited for a session in vain', async () => {
  const runtime = new VirtualRuntime();
  const host = { runtime, label: 'a', emit: (): void => {} };
  const layout = layoutOf('holdfast');
  const store = {
    host,
    layout,
    acl: undefined,
    pacer: new CrowdPacer(host.runtime),
    warnForeignNodes: (): void => {},
  };
  const sessions = new Sessions(store, { open: noServer, openMs: 1, requestedMs: undefined });
  const deadline = new WatchedDeadline(runtime, 10);
  const [waited] = await Promise.allSettled([sessions.connected(deadline), runtime.pass(10)]);
  expect(waited).toMatchObject({ status: 'rejected', reason: { name: 'SessionUnavailable' } });

  for (let i = 0; i < 3; i++) {
    await new Promise((resume) => setImmediate(resume));
    gc();
  }

  expect(deadline.waits.map((wait) => wait.deref())).toEqual([undefined]);
  expect(sessions.current).toBeUndefined();
});
