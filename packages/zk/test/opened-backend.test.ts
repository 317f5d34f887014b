import type { Backend } from '@holdfast/core/backend';
import { describe, expect, test } from 'vitest';
import { openZk, type ZkOptions } from '../src/open.ts';
import { SessionReplyError, SessionUnavailable } from '../src/port.ts';
import { Actor, Bench, T_MS } from './support/bench.ts';
import { HandSession } from './support/hand-session.ts';

const NO_NODE = new SessionReplyError('NONODE', 'no node');
const NO_AUTH = new SessionReplyError('NOAUTH', 'not yours');
const BUSY = new SessionReplyError('THROTTLEDOP', 'slow down');
const AUTH = { user: 'user', password: 'password' };

interface Stage {
  readonly at: Bench;
  readonly a: Actor;
  readonly session: HandSession;
  readonly open: (options?: Partial<ZkOptions>) => Promise<Backend>;
}

/** A bench for one opening. `isFounded`: another client has created the roots before. */
async function stage({ isFounded = false } = {}): Promise<Stage> {
  const at = new Bench();
  if (isFounded) await at.actor('first');
  const a = new Actor(at, 'a');
  const session = new HandSession(at.tree, at.runtime, 1n, T_MS);
  const open = (options: Partial<ZkOptions> = {}): Promise<Backend> =>
    at.let(openZk({ open: async () => session, ...options }, a.host));
  return { at, a, session, open };
}

test('what is opened promises strict fencing, first come first served, and what its page tells of it', async () => {
  const { open } = await stage();

  expect((await open()).capabilities).toMatchObject({
    lease: 'session',
    timeAuthority: 'leader',
    consistency: 'cp',
    fencing: 'strict',
    queue: 'fifo',
    wakeUp: 'push',
  });
});

test('what is opened survives faults of a minority, and of clients, and no loss of its data', async () => {
  const { survives } = (await (await stage()).open()).capabilities;

  expect(survives).toEqual(expect.arrayContaining(['pause', 'failover', 'split-brain', 'drift']));
  expect(survives).not.toContain('restart-empty');
});

/** The ACLs of the nodes that one holder creates, from the opening to a renewal. */
async function aclsOf(options: Partial<ZkOptions>): Promise<ReadonlyMap<string, unknown>> {
  const { at, a, session } = await stage();
  const acls = new Map<string, unknown>();
  const create = session.create.bind(session);
  session.create = (path, data, how) => {
    acls.set(path, how.acl);
    return create(path, data, how);
  };
  await a.open({ open: async () => session, ...options });
  const grant = await a.take('c1');
  await at.runtime.pass(T_MS / 3);
  await at.let(grant.renew(T_MS));
  return acls;
}

const NODES = [
  '/holdfast',
  '/holdfast/v1',
  '/holdfast/v1/locks',
  '/holdfast/v1/sessions',
  '/holdfast/v1/locks/k/c1-lock-',
  '/holdfast/v1/locks/k',
  '/holdfast/v1/sessions/0x1',
];

describe('every node that is made', () => {
  test.each<[Partial<ZkOptions>]>([[{ acl: 'creator' }], [{ auth: AUTH }]])(
    'with %j is its maker’s alone',
    async (options) => {
      const acls = await aclsOf(options);

      const all = ['read', 'write', 'create', 'delete', 'admin'];
      expect([...acls.keys()]).toEqual(NODES);
      for (const acl of acls.values()) expect(acl).toEqual([{ who: 'creator', may: all }]);
    },
  );

  test.each<[Partial<ZkOptions>]>([[{}], [{ auth: AUTH, acl: 'anybody' }]])(
    'with %j is open to anybody',
    async (options) => {
      const acls = await aclsOf(options);

      expect([...acls.keys()]).toEqual(NODES);
      for (const acl of acls.values()) expect(acl).toBeUndefined();
    },
  );
});

describe('what exists already', () => {
  test('and may not be read is not created', async () => {
    const { session, open } = await stage({ isFounded: true });
    session.next('read', NO_AUTH);

    await expect(open()).rejects.toThrow(/cannot be kept/);

    expect(session.requests).toEqual(['read locks']);
  });

  test('is read again if it was created meanwhile: it may be another client’s', async () => {
    const { session, open } = await stage({ isFounded: true });
    session.next('read', NO_NODE);
    session.next('read', NO_AUTH);

    await expect(open()).rejects.toThrow(/cannot be kept/);
  });
});

describe('servers that have too much to do', () => {
  test('are asked nothing further by who wanted to make something', async () => {
    const { session, open } = await stage();
    session.next('read', NO_NODE);
    for (let i = 0; i < 4; i++) session.next('create', BUSY);

    await open();

    expect(session.requests).toEqual([
      'read locks',
      'create holdfast',
      'create v1',
      'create locks',
      'create sessions',
    ]);
  });

  test('do not prevent it from opening, and are reported', async () => {
    const { a, session, open } = await stage();
    session.next('read', BUSY);

    await open();

    expect(a.events).toContainEqual({
      type: 'warning',
      backend: 'zk',
      code: 'unchecked-ensemble',
      message: 'zk: the ensemble could not be reached yet: slow down',
      cause: BUSY,
    });
  });
});

describe('what cannot be opened says which backend it was, and why', () => {
  test.each([
    ['read', NO_AUTH],
    ['create', NO_NODE],
  ] as const)('where the first %s is answered %s', async (name, cause) => {
    const { session, open } = await stage();
    session.next(name, cause);

    await expect(open()).rejects.toMatchObject({ backend: 'zk', cause });
  });

  test.each<[ZkOptions]>([[{}], [{ servers: ['a:1'], sessionTimeoutMs: 99 }]])(
    'with %j',
    async (options) => {
      const { a } = await stage();

      await expect(openZk(options, a.host)).rejects.toMatchObject({ backend: 'zk' });
    },
  );
});

test.each([100, 86_400_000])('a session timeout of %i ms may be requested', async (ms) => {
  const { open } = await stage();

  expect((await open({ sessionTimeoutMs: ms })).name).toBe('zk');
});

describe('an opening', () => {
  test('waits no longer than five seconds for servers that are down', async () => {
    const { at, open } = await stage();
    const { runtime } = at;
    const fromMs = runtime.now().monotonicMs;

    await open({
      open: (deadlineMs) =>
        new Promise((_, reject) => {
          const fail = (): void => reject(new SessionUnavailable('no server answered'));
          runtime.timer(deadlineMs - runtime.now().monotonicMs, fail);
        }),
    });

    expect(runtime.now().monotonicMs - fromMs).toBeLessThanOrEqual(5_000);
  });

  test('that fails is over once its session is closed, for which it does not wait long', async () => {
    const { at, a, session } = await stage();
    const { runtime } = at;
    session.next('read', NO_AUTH);
    const fromMs = runtime.now().monotonicMs;
    let closedAfterMs: number | undefined;
    session.close = ({ timeoutMs = Number.POSITIVE_INFINITY } = {}) =>
      new Promise((done) => {
        runtime.timer(timeoutMs, () => {
          closedAfterMs = runtime.now().monotonicMs - fromMs;
          done();
        });
      });

    const opening = openZk({ open: async () => session }, a.host);

    // The reply takes a millisecond, and the servers never answer the closing.
    expect(await at.let(opening.catch(() => closedAfterMs))).toBe(1);
  });
});

test('closing ends after five seconds by default, even if no server replies', async () => {
  const { at, session, open } = await stage();
  const { runtime } = at;
  session.close = ({ timeoutMs = Number.POSITIVE_INFINITY } = {}) =>
    new Promise((done) => void runtime.timer(timeoutMs, done));
  const backend = await open();
  const fromMs = runtime.now().monotonicMs;

  await at.let(backend.close());

  expect(runtime.now().monotonicMs - fromMs).toBeLessThanOrEqual(5_000);
});

test('a ttl for one call is refused, by key and backend', async () => {
  const { open } = await stage();
  const backend = await open();
  const contend = (): unknown => backend.contend({ key: 'k', contender: 'c1', ttlMs: 1_000 });

  expect(contend).toThrow(expect.objectContaining({ key: 'k', backend: 'zk' }));
});
