import { connect } from 'node:net';
import { creatorAcl, openAcl, type Session } from '@holdfast/zk-client';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { failureOf, textOf, World } from './support/zk-client-world.ts';

let world: World;
let session: Session;
beforeAll(async () => {
  world = await World.start({
    properties: {
      'zookeeper.extendedTypesEnabled': 'true',
      'znode.container.checkIntervalMs': 50,
    },
  });
});
afterAll(() => world.close());
beforeEach(async () => {
  session = await world.open();
});
afterEach(() => world.tidy());

const codeOf = async (promise: Promise<unknown>): Promise<string | undefined> =>
  (await failureOf(promise)).code;

async function until(claim: () => Promise<boolean>): Promise<void> {
  while (!(await claim())) await new Promise((done) => setTimeout(done, 10));
}

describe('creating', () => {
  test('returns the transaction that created the node with the reply', async () => {
    const first = await session.create('/a', 'data');
    const second = await session.create('/b', new Uint8Array([0, 255]));

    expect(first).toMatchObject({ path: '/a', zxid: first.stat.czxid });
    expect(first.stat).toMatchObject({ ephemeralOwner: 0n, dataLength: 4, version: 0 });
    expect(second.stat.czxid).toBeGreaterThan(first.stat.czxid);
    expect((await session.getData('/b')).data).toEqual(new Uint8Array([0, 255]));
  });

  test('ephemeral nodes belong to the session and go with it', async () => {
    const other = await world.open();
    const { stat } = await other.create('/a', '', { mode: 'ephemeral' });
    expect(stat.ephemeralOwner).toBe(other.id);

    await other.close();

    expect((await session.exists('/a')).stat).toBeUndefined();
  });

  test('sequential nodes get ten digits that grow, also behind an empty name', async () => {
    const paths: string[] = [];
    await session.create('/q', '');
    for (const name of ['/q/n-', '/q/n-', '/q/']) {
      paths.push((await session.create(name, '', { mode: 'ephemeral-sequential' })).path);
    }
    paths.push((await session.create('/q/p', '', { mode: 'persistent-sequential' })).path);

    expect(paths).toEqual([
      '/q/n-0000000000',
      '/q/n-0000000001',
      '/q/0000000002',
      '/q/p0000000003',
    ]);
  });

  test('containers go when their last child has gone', async () => {
    await session.create('/c', '', { mode: 'container' });
    await session.create('/c/child', '');
    await session.delete('/c/child');

    await until(async () => (await session.exists('/c')).stat === undefined);
    expect((await session.getChildren('/')).children).toEqual(['zookeeper']);
  });

  test('nodes with a ttl go when they were not changed for so long', async () => {
    await session.create('/t', '', { mode: 'persistent-ttl', ttlMs: 100 });
    const { path } = await session.create('/s-', '', {
      mode: 'persistent-sequential-ttl',
      ttlMs: 100,
    });
    expect(path).toMatch(/^\/s-\d{10}$/);

    await until(async () => (await session.exists('/t')).stat === undefined);
    await until(async () => (await session.exists(path)).stat === undefined);
  });

  test('is refused with the reason', async () => {
    await session.create('/a', '', { mode: 'ephemeral' });

    expect(await codeOf(session.create('/a', ''))).toBe('NODEEXISTS');
    expect(await codeOf(session.create('/none/a', ''))).toBe('NONODE');
    expect(await codeOf(session.create('/a/b', ''))).toBe('NOCHILDRENFOREPHEMERALS');
    expect(await codeOf(session.create('/b', '', { acl: [] }))).toBe('INVALIDACL');
    expect(await codeOf(session.create('/b', '', { acl: creatorAcl }))).toBe('INVALIDACL');
  });
});

describe('versions', () => {
  test('guard changes and deletions', async () => {
    await session.create('/a', 'one');
    const { stat } = await session.setData('/a', 'two', 0);
    expect(stat.version).toBe(1);

    expect(await codeOf(session.setData('/a', 'three', 0))).toBe('BADVERSION');
    expect(await codeOf(session.delete('/a', 0))).toBe('BADVERSION');
    expect(textOf((await session.getData('/a')).data)).toBe('two');
    await session.delete('/a', 1);

    expect(await codeOf(session.delete('/a'))).toBe('NONODE');
  });

  test('a node with children stays', async () => {
    await session.create('/a', '');
    await session.create('/a/b', '');

    expect(await codeOf(session.delete('/a'))).toBe('NOTEMPTY');
  });
});

describe('multi', () => {
  test('applies all at one moment', async () => {
    await session.create('/old', '');
    await session.create('/q', '');

    const { results, zxid } = await session.multi([
      { kind: 'create', path: '/q/n-', data: 'x', mode: 'ephemeral-sequential' },
      { kind: 'check', path: '/old', version: 0 },
      { kind: 'set', path: '/old', data: 'new' },
      { kind: 'delete', path: '/old', version: 1 },
    ]);

    expect(results.map(({ kind }) => kind)).toEqual(['create', 'check', 'set', 'delete']);
    const [created] = results;
    expect(created).toMatchObject({ path: '/q/n-0000000000' });
    expect((await session.exists('/q/n-0000000000')).stat).toMatchObject({
      ephemeralOwner: session.id,
      czxid: zxid,
    });
    expect((await session.exists('/old')).stat).toBeUndefined();
  });

  test('applies none when one fails, and tells which', async () => {
    const error = await failureOf(
      session.multi([
        { kind: 'create', path: '/a', data: '' },
        { kind: 'delete', path: '/none' },
        { kind: 'create', path: '/b', data: '' },
      ]),
    );

    expect(error).toMatchObject({ code: 'NONODE', index: 1 });
    expect(error.message).toContain('delete /none');
    expect((await session.getChildren('/')).children).toEqual(['zookeeper']);
  });

  test('creates nodes of every mode', async () => {
    const { results, zxid } = await session.multi([
      { kind: 'create', path: '/c', data: '', mode: 'container' },
      { kind: 'create', path: '/t', data: '', mode: 'persistent-ttl', ttlMs: 60_000 },
      { kind: 'create', path: '/e', data: '', mode: 'ephemeral' },
    ]);

    const paths = results.map((result) => (result.kind === 'create' ? result.path : undefined));
    expect(paths).toEqual(['/c', '/t', '/e']);
    for (const path of ['/c', '/t', '/e']) {
      expect((await session.exists(path)).stat?.czxid).toBe(zxid);
    }
  });

  test('of nothing is nothing', async () => {
    expect((await session.multi([])).results).toEqual([]);
  });
});

describe('ACLs', () => {
  test('keep out who has not proven the identity', async () => {
    const owner = await world.open({ auth: [{ scheme: 'digest', auth: 'user:secret' }] });
    await owner.create('/mine', 'x', { acl: creatorAcl });
    await owner.create('/mine/child', 'x', { acl: creatorAcl });

    expect(await codeOf(session.getData('/mine'))).toBe('NOAUTH');
    expect(await codeOf(session.setData('/mine', 'y'))).toBe('NOAUTH');
    expect(await codeOf(session.create('/mine/forged', ''))).toBe('NOAUTH');
    expect(await codeOf(session.delete('/mine/child'))).toBe('NOAUTH');
    expect(await codeOf(session.setAcl('/mine', openAcl))).toBe('NOAUTH');
    await session.addAuth({ scheme: 'digest', auth: 'user:wrong' });
    expect(await codeOf(session.getData('/mine'))).toBe('NOAUTH');

    await session.addAuth({ scheme: 'digest', auth: 'user:secret' });
    expect(textOf((await session.getData('/mine')).data)).toBe('x');
    await session.setAcl('/mine', openAcl, 0);
    expect((await session.getAcl('/mine')).acl).toEqual(openAcl);
    await owner.delete('/mine/child');
  });

  test('hold the permissions that were given', async () => {
    const acl = [
      { scheme: 'world', id: 'anyone', permissions: ['read', 'admin'] as const },
      { scheme: 'ip', id: '127.0.0.1', permissions: ['write', 'create', 'delete'] as const },
    ];
    await session.create('/a', '', { acl });

    expect((await session.getAcl('/a')).acl).toEqual(acl);
    expect(await codeOf(session.setAcl('/a', openAcl, 7))).toBe('BADVERSION');
  });

  test('an identity that the server refuses ends the opening', async () => {
    const opening = world.open({ auth: [{ scheme: 'nonsense', auth: 'user:secret' }] });

    expect(await codeOf(opening)).toBe('AUTH_FAILED');
  });
});

describe('below a chroot', () => {
  test('paths go in and come out as if it were the root', async () => {
    await session.create('/app', '');
    await session.create('/app/inner', '');
    const inner = await world.open({ chroot: '/app/inner' });
    const events: string[] = [];

    await inner.existsWatch('/', ({ type, path }) => events.push(`${type} ${path}`));
    await inner.existsWatch('/a', ({ type, path }) => events.push(`${type} ${path}`));
    await inner.setData('/', 'root');
    const created = await inner.create('/a', '', { mode: 'ephemeral' });
    const { results } = await inner.multi([{ kind: 'create', path: '/b', data: '' }]);
    await inner.sync('/');

    expect(created.path).toBe('/a');
    expect(results).toMatchObject([{ path: '/b' }]);
    expect(events).toEqual(['changed /', 'created /a']);
    expect((await inner.getChildren('/')).children.toSorted()).toEqual(['a', 'b']);
    expect((await session.getChildren('/app/inner')).children.toSorted()).toEqual(['a', 'b']);
  });

  test('that does not exist, opening fails at once and says so', async () => {
    const error = await failureOf(world.open({ chroot: '/none' }));

    expect(error).toMatchObject({ code: 'NO_CHROOT' });
    expect(error.message).toContain('/none');
  });
});

describe('session timeouts', () => {
  test.each([
    [1, 200],
    [1_234, 1_234],
    [3_600_000, 60_000],
  ])('asked for %i ms, the server gives %i ms', async (sessionTimeoutMs, timeoutMs) => {
    const negotiated = await world.open({ sessionTimeoutMs });

    expect(negotiated.timeoutMs).toBe(timeoutMs);
  });

  test('an idle session lives as long as its pings arrive', async () => {
    const short = await world.open({ sessionTimeoutMs: 3_000 });
    const states: string[] = [];
    short.onState((state) => states.push(state));
    await short.create('/a', '', { mode: 'ephemeral' });
    const untilMs = performance.now() + 4_000;
    const answeredMs = (): number => short.answeredBefore(Infinity)?.monotonicMs ?? 0;

    await until(() => Promise.resolve(answeredMs() > untilMs));

    expect(states).toEqual([]);
    expect((await session.exists('/a')).stat?.ephemeralOwner).toBe(short.id);
  });
});

describe('large replies', () => {
  test('come in many pieces and in order', async () => {
    const [large, small] = [new Uint8Array(900_000).fill(1), new Uint8Array([2])];
    await session.create('/large', large);
    await session.create('/small', small);

    const replies = [1, 2, 3].flatMap(() => [session.getData('/large'), session.getData('/small')]);

    const lengths = (await Promise.all(replies)).map(({ data }) => data.length);
    expect(lengths).toEqual([900_000, 1, 900_000, 1, 900_000, 1]);
  });

  test('that are larger than allowed are an error that says so, and the session goes on', async () => {
    await session.create('/large', new Uint8Array(50_000));
    const careful = await world.open({ frameBytesMax: 40_000 });

    const error = await failureOf(careful.getData('/large'));
    expect(error.code).toBe('UNKNOWN_OUTCOME');
    expect(String(error.cause)).toContain('not within 0 and 40000');
    await until(() => Promise.resolve(careful.state === 'connected'));

    expect((await careful.exists('/large')).stat?.dataLength).toBe(50_000);
  });
});

describe('watches', () => {
  test('tell each kind of change once, before the answer that shows it', async () => {
    const other = await world.open();
    const order: string[] = [];
    const hear = ({ type, path }: { type: string; path: string }): void =>
      void order.push(`${type} ${path}`);
    await session.existsWatch('/a', hear);
    await session.getChildrenWatch('/', hear);
    await other.create('/a', '');
    await session.sync('/');
    await session.exists('/a').then(() => order.push('seen'));
    expect(order.toSorted()).toEqual(['children /', 'created /a', 'seen']);
    expect(order.at(-1)).toBe('seen');

    order.length = 0;
    await session.getDataWatch('/a', hear);
    await session.getChildrenWatch('/a', hear);
    await other.setData('/a', 'x');
    await other.setData('/a', 'y');
    await session.sync('/');
    await session.existsWatch('/a', hear);
    await other.delete('/a');
    await session.sync('/');

    expect(order).toEqual(['changed /a', 'deleted /a', 'deleted /a']);
  });

  test('that nobody wants any more are dropped by the server, too', async () => {
    const before = await watched();
    const { unwatch } = await session.existsWatch('/never', () => undefined);
    expect(await watched()).toBe(before + 1);

    unwatch();
    await session.sync('/');

    expect(await watched()).toBe(before);
  });
});

/** How many watches of nodes the server keeps, of whomever. */
async function watched(): Promise<number> {
  const text = await fourLetters(world.server.port, 'wchs');
  return Number(/Total watches:(\d+)/.exec(text)?.[1]);
}

/** Asks as an operator does. */
async function fourLetters(port: number, word: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.end(word);
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  return text;
}
