import { InvalidOptionError } from '@holdfast/core';
import type { Contender } from '@holdfast/core/backend';
import type { RedisBackend } from '@holdfast/redis';
import { describe, expect, test } from 'vitest';
import { FAIR_RIGHTS, PLAIN_RIGHTS, RIGHTS } from '../src/identity.ts';
import { openRedisSimple, redisSimple } from '../src/open.ts';
import * as plainScripts from '../src/plain/scripts.ts';
import { type Bench, bench } from './support/scripted-node.ts';

const FORMS = [
  ['as it is', {}],
  ['fair', { fair: true }],
  ['in the plain layout', { layout: 'plain' }],
] as const;
type Form = (typeof FORMS)[number][1];

function backend({ node, host }: Bench, form: Form = {}, more: object = {}): RedisBackend {
  return redisSimple({ node, ownsNode: true, namespace: 'holdfast', ...form, ...more }, host);
}

/** The last part of each key that an attempt of one contender names. */
async function keysOf(at: Bench, contender: Contender): Promise<readonly string[]> {
  await contender.attempt(Number.MAX_SAFE_INTEGER);
  return (at.node.calls[0]?.keys ?? []).map((key) => key.slice(key.lastIndexOf(':') + 1));
}

describe('a backend promises what its form keeps', () => {
  test('in order of arrival, if it is fair', () => {
    expect(backend(bench()).capabilities).toMatchObject({ queue: 'none', wakeUp: 'push' });
    expect(backend(bench(), { fair: true }).capabilities).toEqual({
      ...backend(bench()).capabilities,
      queue: 'fifo',
    });
  });

  test('readers and permits, and no token, push or reader in the plain layout', () => {
    expect(backend(bench()).capabilities).toMatchObject({
      fencing: 'best-effort',
      modes: ['shared', 'permits'],
    });
    expect(backend(bench(), { layout: 'plain' }).capabilities).toMatchObject({
      fencing: 'none',
      wakeUp: 'poll',
      modes: undefined,
    });
  });

  test.each(FORMS)('under faults that leave the data on the server, %s', (_, form) => {
    const { survives } = backend(bench(), form).capabilities;

    expect(survives).toContain('pause');
    expect(survives).toContain('server-stop');
    expect(survives).not.toContain('restart-empty');
    expect(survives).not.toContain('failover');
  });
});

test.each(FORMS)('an operator learns why the server may evict locks, %s', (_, form) => {
  const evicts = 'maxmemory_policy is allkeys-lru';

  expect(backend(bench(), form, { evicts }).evicts).toBe(evicts);
});

describe('each form asks the server in its own way', () => {
  test.each([
    ['as it is', {}, ['lock', 'fence']],
    ['fair', { fair: true }, ['lock', 'channel', 'queue']],
    ['in the plain layout', { layout: 'plain' }, ['k']],
  ] as const)('by its own keys, %s', async (_, form, keys) => {
    const at = bench();
    const contender = backend(at, form).contend({ key: 'k', contender: 'c', ttlMs: 1_000 });

    expect((await keysOf(at, contender)).slice(0, 3)).toEqual(keys);
  });

  test.each([FORMS[0], FORMS[1]])('of readers by theirs, %s', async (_, form) => {
    const at = bench();
    const mode = { kind: 'shared' } as const;
    const reader = backend(at, form).contend({ key: 'k', contender: 'c', ttlMs: 1_000, mode });

    expect((await keysOf(at, reader)).slice(0, 3)).toEqual(['lock', 'channel', 'holders']);
  });

  test.each([FORMS[0], FORMS[1]])('of adopted permits by theirs, %s', async (_, form) => {
    const at = bench();
    const request = { key: 'k', contender: 'c', exported: 'c0:1:box:0' };
    const mode = { kind: 'permits', permits: 1, of: 2 } as const;
    const adopter = backend(at, form).adopt?.({ ...request, mode });

    expect(adopter && (await keysOf(at, adopter)).slice(0, 3)).toEqual([
      'lock',
      'channel',
      'holders',
    ]);
  });

  test('of the key alone, if an operator asks about the plain layout', async () => {
    const at = bench();
    at.node.answer = () => Promise.resolve(['c1:1:box:1', 5, null]);

    await backend(at, { layout: 'plain' }).inspect('mutex:orders');

    expect(at.node.calls[0]?.keys).toEqual(['mutex:orders']);
  });

  test.each([
    ['alone in the same slot', true, true],
    ['one by one in several slots', false, false],
  ])('of several keys of a cluster %s', (_, sharesSlot, isTogether) => {
    const at = bench();
    const cluster = { sharesSlot: () => sharesSlot };
    const node = Object.assign(at.node, { cluster });

    const all = backend({ ...at, node }).contendAll?.({
      keys: ['a', 'b'],
      contender: 'c',
      ttlMs: 1_000,
    });

    expect(all !== undefined).toBe(isTogether);
  });
});

/** What an operator of a fair lock is shown for a reply. */
async function inspected(reply: readonly (string | number | null)[]): Promise<object> {
  const at = bench();
  at.node.answer = () => Promise.resolve(reply);
  return await backend(at, { fair: true }).inspect('k');
}

describe('an operator of a fair lock', () => {
  test('is told how many wait', async () => {
    expect(await inspected(['c1:1:box:1', 5, '17', 3])).toMatchObject({ held: true, waiters: 3 });
    expect(await inspected([null, -2, null, 0])).toEqual({ key: 'k', held: false, waiters: 0 });
  });

  test('is told that nobody holds a key that is kept for a chosen waiter', async () => {
    expect(await inspected(['c1:00:box:1', 5, null, 1])).toMatchObject({ held: false, waiters: 1 });
  });

  test.each([
    [[]],
    [['c1:1:box:1', 5]],
    [['c1:1:box:1', 5, null, 1, 1]],
    [['c1:1:box:1', 5, null, 'x']],
  ])('is shown no holder by a reply of %j', async (reply) => {
    await expect(inspected(reply)).rejects.toMatchObject({ key: 'k', backend: 'redis-simple' });
  });
});

test('an operator of a key without a queue is told nothing of waiters, even if it is called so', async () => {
  const at = bench();
  at.node.answer = () => Promise.resolve(['c1:00:box:1', 5, '17']);

  const inspection = await backend(at).inspect('k');

  expect(inspection).toMatchObject({ held: true, owner: 'c1:00:box:1' });
  expect(inspection).not.toHaveProperty('waiters');
});

test('a store that cannot list its keys says so, instead of an empty list', async () => {
  const at = bench();
  at.node.answer = () => Promise.reject(new Error('it is down'));

  const pages = backend(at).heldKeys?.();

  await expect(pages?.[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    backend: 'redis-simple',
    cause: expect.objectContaining({ message: 'it is down' }),
  });
});

test.each([1, 100])('%s replicas are taken', async (waitReplicas) => {
  const { node, host } = bench();
  node.answer = (): Promise<readonly string[]> => Promise.resolve([]);

  await expect(openRedisSimple({ node, waitReplicas }, host)).resolves.toMatchObject({
    name: 'redis-simple',
  });
});

test('what is refused before anything is sent names the backend', async () => {
  const { node, host } = bench();
  const refusal = { backend: 'redis-simple' };

  const tooMany = openRedisSimple({ node, waitReplicas: 101 }, host);
  await expect(tooMany).rejects.toMatchObject(refusal);
  await expect(tooMany).rejects.toThrow(InvalidOptionError);
  const both = openRedisSimple({ node, layout: 'plain', fair: true }, host);
  await expect(both).rejects.toMatchObject(refusal);
  expect(node.calls).toEqual([]);
});

test('an acquisition waits for as many replicas as the store was opened with', async () => {
  const at = bench();
  const contender = backend(at, {}, { waitReplicas: 2 }).contend({
    key: 'k',
    contender: 'c',
    ttlMs: 1_000,
  });

  await contender.attempt(Number.MAX_SAFE_INTEGER);

  expect(at.node.calls[0]?.options.acknowledged).toMatchObject({ replicas: 2 });
});

test('the rights that each form checks are those of its scripts', () => {
  const called = new Set<string>();
  for (const script of Object.values(plainScripts)) {
    if (typeof script !== 'object' || !('source' in script)) continue;
    for (const [, name = ''] of script.source.matchAll(/redis\.p?call\('(\w+)'/g))
      called.add(name.toLowerCase());
  }

  // Renewals are those of the other layout.
  expect(new Set(PLAIN_RIGHTS.scripted)).toEqual(called.add('pexpire'));
  expect(FAIR_RIGHTS.scripted).toEqual(expect.arrayContaining([...(RIGHTS.scripted ?? [])]));
  expect(FAIR_RIGHTS.scripted).toEqual(expect.arrayContaining(['publish', 'zadd', 'zrank']));
});

test('a cluster is asked for the keys of each master', async () => {
  const at = bench();
  const master = bench().node;
  const other = bench().node;
  for (const node of [master, other]) node.answer = () => Promise.resolve(['0', []]);
  const node = Object.assign(at.node, { cluster: { masters: async () => [master, other] } });

  const pages: unknown[] = [];
  for await (const page of backend({ ...at, node }).heldKeys?.() ?? []) pages.push(page);

  expect([master.calls.length, other.calls.length]).toEqual([1, 1]);
  expect(at.node.calls).toEqual([]);
});
