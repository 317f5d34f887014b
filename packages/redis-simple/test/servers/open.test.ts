import { ConfigError, InvalidOptionError } from '@holdfast/core';
import { systemRuntime } from '@holdfast/core/backend';
import { openRedisNode } from '@holdfast/redis';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { attempt, contend, lockOf, take, until } from '../../../../test/support/contending.ts';
import { World } from './support/world.ts';

let world: World;

beforeEach(async () => {
  world = await World.start(['--requirepass', 'secret']);
});
afterEach(() => world.close());

const address = (): string => `127.0.0.1:${world.server.port}`;
const source = (): string => `redis://:secret@${address()}`;

test('a server that keeps what it is given opens without a word', async () => {
  await world.open({ source: source() });

  expect(world.events).toEqual([]);
});

test('an eviction policy that may drop locks is warned of', async () => {
  await world.raw.config('SET', 'maxmemory-policy', 'allkeys-lru');

  await world.open({ source: source() });

  expect(world.events).toEqual([
    expect.objectContaining({
      type: 'warning',
      backend: 'redis-simple',
      code: 'eviction-policy',
      message: expect.stringContaining('allkeys-lru'),
    }),
  ]);
});

test('a replica is refused: it would take no lock', async () => {
  await world.raw.replicaof('127.0.0.1', '1');

  await expect(world.open({ source: source() })).rejects.toThrow(ConfigError);
});

test.each(['ioredis', 'redis'] as const)(
  'over %s a wrong password is refused, and not shown',
  async (library) => {
    const opening = world.open({ source: `redis://:wr0ng@${address()}`, library });

    const error: unknown = await opening.catch((cause: unknown) => cause);

    expect(error).toBeInstanceOf(ConfigError);
    const shown = JSON.stringify([
      String(error),
      error instanceof Error ? error.cause : '',
      world.events,
    ]);
    expect(shown).not.toContain('wr0ng');
  },
);

test('a server that is down can be opened, with a warning, and locks as soon as it is up', async () => {
  world.server.kill();

  const backend = await world.open({ source: source() });

  expect(world.events).toEqual([
    expect.objectContaining({ type: 'warning', code: 'unchecked-node' }),
  ]);
  expect((await attempt(contend(backend, 'later'))).kind).toBe('unavailable');
  expect(await backend.health?.()).toMatchObject({ ok: false, nodes: [{ ok: false }] });
  await world.server.restart();
  await until(async () => (await attempt(contend(backend, 'later'))).kind === 'granted');
});

test('a client of the user is taken for its configuration and never connected', async () => {
  const client = new Redis({
    port: world.server.port,
    password: 'secret',
    keyPrefix: 'app:',
    lazyConnect: true,
  });

  const backend = await world.open({ source: client });
  const grant = await take(backend, 'client');

  expect(await world.raw.get(lockOf('client'))).toBe(grant.owner);
  expect(client.status).toBe('wait');
});

test('a node that was opened elsewhere is used, and left open', async () => {
  const runtime = systemRuntime();
  const node = await openRedisNode(source(), { runtime });
  const backend = await world.open({ node });
  await take(backend, 'node');

  await backend.close();

  const reply = await node.command(['PING'], { deadlineMs: runtime.now().monotonicMs + 5_000 });
  expect(reply).toBe('PONG');
  await node.close();
});

test.each([
  ['neither source nor node', {}, ConfigError],
  ['an empty namespace', { source: 'redis://localhost', namespace: '' }, InvalidOptionError],
  ['a URL of something else', { source: 'http://localhost' }, ConfigError],
])('%s is refused before anything connects', async (_, options, kind) => {
  await expect(world.open(options)).rejects.toThrow(kind);
});

test('namespaces are worlds of their own', async () => {
  const one = await world.open({ source: source(), namespace: 'one' });
  const other = await world.open({ source: source(), namespace: 'other' });

  expect((await attempt(contend(one, 'same'))).kind).toBe('granted');
  expect((await attempt(contend(other, 'same'))).kind).toBe('granted');
  expect((await attempt(contend(one, 'same'))).kind).toBe('busy');
});

test('a ttl that leaves a call no time is refused before anything is sent', async () => {
  const backend = await world.open({ source: source() });

  for (const ttlMs of [99, 0, 1.5, Number.NaN, 86_400_001]) {
    expect(() => contend(backend, 'short', ttlMs)).toThrow(InvalidOptionError);
  }
});
