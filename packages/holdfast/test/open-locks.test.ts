import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CapabilityError, ConfigError, LockTimeoutError, type Requirement } from '@holdfast/core';
import { afterAll, expect, expectTypeOf, test } from 'vitest';
import { redisSimple } from '../src/backends/redis-simple.ts';
import { openLocks } from '../src/index.ts';

/** No server listens there: connecting fails, checking does not. */
const NOWHERE = 'redis://127.0.0.1:1';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-open-'));
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

/** An imported backend: it stores its options, and every key is free. */
const MINE = `
  export const capabilities = {
    lease: 'per-call-ttl', timeAuthority: 'process', consistency: 'none', fencing: 'none',
    queue: 'none', wakeUp: 'poll',
  };
  export async function openBackend(options, host) {
    globalThis.openedMine = { options, label: host.label };
    return { name: 'mine', capabilities, contend() {}, async close() {} };
  }
`;

test('memory: opens, locks and closes', async () => {
  const locks = await openLocks('memory:');

  const value = await locks.use('orders/42', (lease) => typeof lease.fencingToken);

  expect(value).toBe('bigint');
  await locks.close();
});

test('the label names the process of the holder, by host and pid by default', async () => {
  await using locks = await openLocks('memory:');
  await using named = await openLocks('memory:', { label: 'billing' });

  await using lease = await locks.acquire('a');
  await using other = await named.acquire('a');

  expect(lease.owner).toMatch(new RegExp(`:1:.+:${process.pid}$`));
  expect(other.owner).toMatch(/:1:billing$/);
});

test('what the locks must survive is checked against the matrix, before anything connects', async () => {
  const require = [{ survives: 'failover' }] as const;

  await expect(openLocks(NOWHERE, { require })).rejects.toThrow(CapabilityError);
  await expect(openLocks({ backend: 'redis-simple', url: NOWHERE, require })).rejects.toThrow(
    /requires: survives failover\. It survives none, delay, /,
  );
  await expect(
    openLocks('zk://127.0.0.1:1', { require: [{ survives: 'suspend' }, 'cp'] }),
  ).resolves.toBeDefined();
});

test('the configuration sets the defaults of its locks', async () => {
  await using locks = await openLocks({ backend: 'memory', ttlMs: 5_000, waitMs: 0 });
  await using lease = await locks.acquire('a');

  expect(lease.remainingMs()).toBeLessThanOrEqual(5_000);
  await expect(locks.acquire('a')).rejects.toThrow(LockTimeoutError);
});

test('listeners hear events from the opening on', async () => {
  const heard: string[] = [];
  await using locks = await openLocks('memory:', {
    on: { acquired: ({ key }) => void heard.push(key) },
  });

  await locks.use('a', () => {});

  expect(heard).toEqual(['a']);
});

test('with a literal requirement of fencing the token is always there, by its type too', async () => {
  await using sure = await openLocks('memory:', { require: ['fencing'] });
  await using unsure = await openLocks('memory:');
  const computed: readonly Requirement[] = ['fencing'];
  await using perhaps = await openLocks('memory:', { require: computed });

  await using lease = await sure.acquire('a');
  await using other = await unsure.acquire('a');
  await using third = await perhaps.acquire('a');

  expectTypeOf(lease.fencingToken).toEqualTypeOf<bigint>();
  expectTypeOf(other.fencingToken).toEqualTypeOf<bigint | undefined>();
  expectTypeOf(third.fencingToken).toEqualTypeOf<bigint | undefined>();
  expect(lease.fencingToken).toBeTypeOf('bigint');
});

test('an unmet requirement is reported before anything connects, for code and configuration', async () => {
  const config = { backend: 'redis-simple', url: NOWHERE } as const;
  const refused = expect.objectContaining({
    name: 'CapabilityError',
    message: 'redis-simple does not give what the code requires: cp',
  });

  await expect(openLocks(config, { require: ['cp'] })).rejects.toThrow(refused);
  await expect(openLocks({ ...config, require: ['cp'] })).rejects.toThrow(refused);
});

test('what is refused has not even knocked at the server', async () => {
  const server = createServer();
  let knocks = 0;
  server.on('connection', () => knocks++);
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;

  const opening = openLocks(`redis://127.0.0.1:${port}`, { require: ['fifo'] });

  await expect(opening).rejects.toThrow(CapabilityError);
  // Connections are accepted in order: when ours has been, every earlier one has been counted.
  const own = connect(port ?? 0, '127.0.0.1');
  await once(server, 'connection');
  expect(knocks).toBe(1);
  own.destroy();
  server.close();
});

test('the capabilities of redis-simple are equal before and after it is opened', async () => {
  await using locks = await openLocks(NOWHERE);

  expect(locks.backend).toBe('redis-simple');
  expect(locks.capabilities).toEqual(
    (await redisSimple.load({ backend: 'redis-simple' })).capabilities,
  );
});

test('redis-simple is in order with fair: true, and only then', async () => {
  await using locks = await openLocks(`${NOWHERE}?fair=true`, { require: ['fifo'] });

  expect(locks.capabilities.queue).toBe('fifo');
  await expect(openLocks(NOWHERE, { require: ['fifo'] })).rejects.toThrow(CapabilityError);
});

const WRONG: readonly (readonly [string, string])[] = [
  ['', 'openLocks needs a URL, a configuration or a path'],
  ['memory://there', '"memory:" has no address; remove "//there"'],
  [
    'reddis://localhost',
    'unknown URL scheme "reddis:"; use one of memory:, redis://, rediss://, redis+unix://, unix://, redis+sentinel://, rediss+sentinel://, redis+cluster://, rediss+cluster://, redlock://, zk://, etcd://, postgres://, postgresql://, postgres-advisory://. Did you mean "redis://"?',
  ],
  [
    'mysql://localhost',
    'unknown URL scheme "mysql:"; use one of memory:, redis://, rediss://, redis+unix://, unix://, redis+sentinel://, rediss+sentinel://, redis+cluster://, rediss+cluster://, redlock://, zk://, etcd://, postgres://, postgresql://, postgres-advisory://.',
  ],
  [
    'redlock://a,b',
    'redlock: 2 nodes are too few: with fewer than 3 no node may fail; allowSmall: true permits it for a test',
  ],
  ['redlock://a,b:1,a:6379', 'redlock: a:6379 is listed twice: every node votes once'],
  [
    'redlock://user:secret@a,b:nowhere,c',
    'URL "redlock://***@a,b:nowhere,c": nodes must be a valid URL that starts with redis://, rediss:// or redis+unix://, not "redis://***@b:nowhere".',
  ],
  [
    'zk://user:secret@a,b:nowhere',
    'URL "zk://***@a,b:nowhere": url must name every server as host or host:port, separated by commas, not "zk://***@a,b:nowhere".',
  ],
  [
    'redis+cluster://user:secret@a,b:nowhere',
    'URL "redis+cluster://***@a,b:nowhere": url must be a valid URL that starts with redis://, rediss:// or redis+unix://, or redis+cluster:// or rediss+cluster:// and a list of nodes, not "redis+cluster://***@a,b:nowhere".',
  ],
  [
    'zookeeper://a',
    'unknown URL scheme "zookeeper:"; use one of memory:, redis://, rediss://, redis+unix://, unix://, redis+sentinel://, rediss+sentinel://, redis+cluster://, rediss+cluster://, redlock://, zk://, etcd://, postgres://, postgresql://, postgres-advisory://.',
  ],
  ['localhost:6379', '"localhost:6379" has no scheme. Did you mean "redis://localhost:6379"?'],
  [
    'redis',
    'redis is neither a URL nor a configuration file; those end in .json, .mjs, .js, .ts, .mts.',
  ],
];

test.for(WRONG)('openLocks(%j) is refused: %s', async ([source, message]) => {
  await expect(openLocks(source)).rejects.toThrow(
    expect.objectContaining({ name: 'ConfigError', message }),
  );
});

test('no URL that is refused shows its password', async () => {
  for (const url of [
    'reds://u:secret@h',
    'memory:u:secret@h',
    'redis://u:sec ret@h:x',
    'http://u:secret@h',
    'zk://u:secret@h//',
    'zk://u:1/secret@h',
  ]) {
    const error: unknown = await openLocks(url).catch((cause: unknown) => cause);

    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).not.toMatch(/secret|sec ret/);
  }
});

test('a backend that is not there is named, with the nearest or with the way to install it', async () => {
  // @ts-expect-error -- as it comes from JavaScript
  await expect(openLocks({ backend: 'redis-simpel', url: NOWHERE })).rejects.toThrow(
    'unknown backend "redis-simpel"; built in are memory, redis-simple, redis-getset, redlock, zk, etcd, postgres, postgres-advisory, moving. Did you mean "redis-simple"?',
  );
  await expect(openLocks({ backend: 'holdfast-etcd' })).rejects.toThrow(
    'unknown backend "holdfast-etcd"; built in are memory, redis-simple, redis-getset, redlock, zk, etcd, postgres, postgres-advisory, moving. If it is a package: npm i holdfast-etcd',
  );
  await expect(openLocks({ backend: './nowhere.js' })).rejects.toThrow(
    'backend file "./nowhere.js" does not exist in ',
  );
});

test('a backend of one’s own is looked up beside the configuration that names it', async () => {
  file('mine.mjs', MINE);
  const config = file(
    'locks.json',
    '{ "backend": "./mine.mjs", "ttlMs": 5000, "options": { "nodes": ["a", "b"] } }',
  );

  await using locks = await openLocks(config, { label: 'me' });

  expect(locks.backend).toBe('mine');
  expect(globalThis).toHaveProperty('openedMine', {
    options: { ttlMs: 5_000, nodes: ['a', 'b'] },
    label: 'me',
  });
});

test.for([
  [
    'exports',
    '{ "name": "x", "exports": { ".": { "types": "./no.d.ts", "import": "./lib/own.mjs" } } }',
  ],
  ['main', '{ "name": "x", "main": "./lib/own.mjs" }'],
])(
  'a backend from a package is found where the configuration is, by its %s',
  async ([name = '', manifest = '']) => {
    const home = join(`by-${name}`, 'node_modules', `backend-${name}`);
    file(join(home, 'package.json'), manifest);
    file(join(home, 'lib', 'own.mjs'), MINE);
    const config = file(
      join(`by-${name}`, 'deep', 'locks.json'),
      `{ "backend": "backend-${name}" }`,
    );

    await using locks = await openLocks(config);

    expect(locks.backend).toBe('mine');
  },
);

test('requirements on an imported backend are checked before it is opened, if it exports capabilities', async () => {
  Object.assign(globalThis, { openedMine: undefined });
  const config = file('strict.json', '{ "backend": "./mine.mjs", "require": ["strict-fencing"] }');

  await expect(openLocks(config)).rejects.toThrow(CapabilityError);
  expect(globalThis).toHaveProperty('openedMine', undefined);
});

/** An imported backend that can be moved, with sessions; nothing is ever asked of its store. */
const SESSIONS = `
  export async function openBackend({ ttlMs }) {
    globalThis.sessionTtlMs = ttlMs;
    const capabilities = {
      lease: 'session', timeAuthority: 'leader', consistency: 'cp', fencing: 'strict', queue: 'fifo', wakeUp: 'push',
    };
    const close = async () => { globalThis.closedSessions = (globalThis.closedSessions ?? 0) + 1; };
    return { name: 'mine-too', capabilities, marks: {}, contend() {}, close };
  }
`;

test('a move from or to imported sessions takes no ttlMs, in the configuration or a call, and no keepMs', async () => {
  file('sessions.mjs', SESSIONS);
  const from = { backend: 'memory', ttlMs: 5_000 };
  const to = { backend: './sessions.mjs', fencingEpoch: 1, ttlMs: 6_000 };
  const move = (more: object): string =>
    file('move.json', JSON.stringify({ backend: 'moving', from, to, ...more }));

  await expect(openLocks(move({ ttlMs: 5_000 }))).rejects.toThrow(
    new ConfigError(
      'moving: "ttlMs" belongs into the stores: the leases of mine-too last as long as its session.',
      { backend: 'moving' },
    ),
  );
  expect(globalThis).toHaveProperty('closedSessions', 1);

  await using locks = await openLocks(move({}));
  expect(globalThis).toHaveProperty('sessionTtlMs', 6_000);
  await expect(locks.acquire('k', { ttlMs: 5_000 })).rejects.toThrow(CapabilityError);
  await expect(locks.tryUse('k', () => 1, { keepMs: 100 })).rejects.toThrow(CapabilityError);
});

test('a move to an imported backend without sessions takes one ttlMs for both stores', async () => {
  file('no-sessions.mjs', SESSIONS.replace("'session'", "'per-call-ttl'"));
  const from = { backend: 'memory' };
  const to = { backend: './no-sessions.mjs', fencingEpoch: 1 };
  const move = (more: object): string =>
    file('move-ttl.json', JSON.stringify({ backend: 'moving', from, to, ...more }));

  await expect(openLocks(move({ to: { ...to, ttlMs: 5_000 } }))).rejects.toThrow(
    'moving: "ttlMs" belongs beside "from" and "to": a lease has one ttl in both stores.',
  );
  await using locks = await openLocks(move({ ttlMs: 5_000 }));
  expect(locks.capabilities.lease).toBe('per-call-ttl');
});

test('a file that is not a backend is distinguished from one that cannot be loaded', async () => {
  file('no.mjs', 'export const something = 1;');
  file('bad.mjs', 'import "nothing-of-that-name";');

  await expect(openLocks(file('no.json', '{ "backend": "./no.mjs" }'))).rejects.toThrow(
    '"./no.mjs" is not a backend: it exports neither openBackend nor a default function',
  );
  await expect(openLocks(file('bad.json', '{ "backend": "./bad.mjs" }'))).rejects.toThrow(
    'backend "./bad.mjs" could not be loaded: ',
  );
});

test('whoever names the package of a client is told of the backend that uses it', async () => {
  await expect(openLocks({ backend: 'redis' })).rejects.toThrow('Did you mean "redis-simple"?');
});

test('one of several stores is opened by its name, from a file and from an object', async () => {
  const stores = {
    orders: { backend: 'memory', ttlMs: 5_000 },
    reports: { backend: 'memory' },
  } as const;
  const path = file('stores.json', JSON.stringify({ stores }));

  for (const source of [path, { stores }]) {
    await using locks = await openLocks(source, { store: 'orders' });
    await using lease = await locks.acquire('k');
    expect(lease.remainingMs()).toBeLessThanOrEqual(5_000);
  }

  await expect(openLocks('memory:', { store: 'orders' })).rejects.toThrow(
    'URL "memory:" is one configuration and has no "stores"',
  );
  // @ts-expect-error -- as it comes from JavaScript
  await expect(openLocks({ stores }, { store: 5 })).rejects.toThrow('store must be a name, not 5');
});

test('what the configuration requires holds for each lease, as what the code requires does', async () => {
  const locks = await openLocks({ backend: 'memory', require: ['fencing'] });

  expect(() => locks.semaphore('s', 2)).toThrow(CapabilityError);
  await locks.close();
});
