import { type Backend, type Contender, systemRuntime } from '@holdfast/core/backend';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { attempt, contend, fenceOf, LONG_MS, lockOf } from '../../../../test/support/contending.ts';
import { ACQUIRE_ALL, RELEASE_ALL, RENEW_ALL } from '../../src/scripts-for-all.ts';
import { World } from './support/world.ts';

const runtime = systemRuntime();

let world: World;
let backend: Backend;

beforeAll(async () => {
  world = await World.start();
  backend = await world.open();
});
afterAll(() => world.close());

function contendAll(on: Backend, keys: readonly string[]): Contender {
  const request = { keys, contender: runtime.randomId(), ttlMs: 30_000 };
  const contender = on.contendAll?.(request);
  if (contender === undefined) throw new Error(`${on.name} cannot`);
  return contender;
}

const acquireAll = (owner: string, keys: readonly string[]): Promise<unknown> => {
  const names = keys.flatMap((key) => [lockOf(key), fenceOf(key)]);
  return world.raw.eval(ACQUIRE_ALL.source, names.length, ...names, owner, '30000');
};
const releaseAll = (owner: string, keys: readonly string[]): Promise<unknown> => {
  const names = keys.flatMap((key) => [lockOf(key), `holdfast:v1:{${key}}:channel`]);
  return world.raw.eval(RELEASE_ALL.source, names.length, ...names, owner);
};
const renewAll = (ttlMs: number, holds: Readonly<Record<string, string>>): Promise<unknown> => {
  const names = ['holdfast:v1:{}:channel', ...Object.keys(holds).map(lockOf)];
  return world.raw.eval(RENEW_ALL.source, names.length, ...names, ttlMs, ...Object.values(holds));
};
const owners = (keys: readonly string[]): Promise<(string | null)[]> =>
  world.raw.mget(keys.map(lockOf));

test('stores under each key what a single lock stores, with a ttl, and a token that grows', async () => {
  const first = await attempt(contend(backend, 'b'));
  if (first.kind !== 'granted') throw new Error(first.kind);
  await first.grant.release();
  const all = await attempt(contendAll(backend, ['a', 'b']));
  if (all.kind !== 'granted') throw new Error(all.kind);

  const [a, b] = await owners(['a', 'b']);
  expect(a).toBe(b);
  expect(a).toMatch(/^[^:]+:1:box:1$/);
  expect(await world.raw.pttl(lockOf('b'))).toBeGreaterThan(20_000);
  const token = all.grant.parts?.get('b')?.fencingToken ?? 0n;
  expect(token).toBeGreaterThan(first.grant.fencingToken ?? 0n);
  expect(await world.raw.get(fenceOf('b'))).toBe(`${token}`);
  expect(await attempt(contend(backend, 'a'))).toMatchObject({ kind: 'busy' });
  expect(await attempt(contendAll(backend, ['0', 'b']))).toMatchObject({ kind: 'busy', key: 'b' });
  expect(await all.grant.release()).toEqual({ kind: 'released' });
  expect(await owners(['0', 'a', 'b'])).toEqual([null, null, null]);
});

test('a later attempt of the same contender takes over all keys, an earlier one none', async () => {
  const keys = ['p', 'q'];
  const tokens = await acquireAll('me:1:box', keys);
  const later = await acquireAll('me:2:box', keys);
  expect(Number((later as string[])[1])).toBeGreaterThan(Number((tokens as string[])[1]));
  expect(await acquireAll('me:1:box', keys)).toEqual([1, expect.any(Number)]);
  // Only one of them was the other's: nothing changes.
  await world.raw.del(lockOf('p'));
  expect(await acquireAll('you:1:box', keys)).toEqual([2, expect.any(Number)]);
  expect(await owners(keys)).toEqual([null, 'me:2:box']);
});

test('an undo releases what is still of its attempt, and nothing else', async () => {
  const keys = ['s', 't', 'u'];
  await acquireAll('me:1:box', keys);
  await world.raw.set(lockOf('t'), 'you:1:box', 'PX', LONG_MS);

  expect(await releaseAll('me:1:box', keys)).toBe(1);
  expect(await owners(keys)).toEqual([null, 'you:1:box', null]);
  expect(await releaseAll('me:1:box', keys)).toBe(0);
});

test('a renewal of several lengthens those that are held, shortens none, and touches nothing else', async () => {
  await world.raw.set(lockOf('r1'), 'me:1:box', 'PX', 5_000);
  await world.raw.set(lockOf('r2'), 'me:2:box', 'PX', 90_000);
  await world.raw.set(lockOf('r3'), 'you:1:box', 'PX', 5_000);
  await world.raw.lpush(lockOf('r4'), 'a list');
  const holds = { r1: 'me:1:box', r2: 'me:2:box', r3: 'me:3:box', r4: 'me:4:box', r5: 'me:5:box' };

  expect(await renewAll(30_000, holds)).toEqual([1, 1, 0, 0, 0]);
  const ttls = await Promise.all(Object.keys(holds).map((key) => world.raw.pttl(lockOf(key))));
  expect(ttls.map((ttl) => Math.ceil(ttl / 10_000))).toEqual([3, 9, 1, -0, -0]);
});

test('leases that are due together cost the server one call', async () => {
  const keys = Array.from({ length: 100 }, (_, at) => `due ${at}`);
  const contenders = keys.map((key) => contend(backend, key));
  const attempts = await Promise.all(contenders.map(attempt));
  const callsOf = async (): Promise<number> => {
    const text = await world.raw.info('commandstats');
    const counts = [...text.matchAll(/^cmdstat_eval(?:sha)?:calls=(\d+)/gm)];
    return counts.reduce((sum, [, calls]) => sum + Number(calls), 0);
  };
  const before = await callsOf();

  const renewals = await Promise.all(
    attempts.map(async (each) => {
      if (each.kind !== 'granted') throw new Error(each.kind);
      return await each.grant.renew?.(60_000);
    }),
  );

  expect(renewals.filter((renewal) => renewal?.kind === 'renewed')).toHaveLength(keys.length);
  expect((await callsOf()) - before).toBe(1);
  expect(await world.raw.pttl(lockOf('due 99'))).toBeGreaterThan(50_000);
});

test('foreign values refuse all: by place, with what the script for one key returns', async () => {
  await world.raw.set(lockOf('x'), 'mine');
  expect(await acquireAll('me:1:box', ['w', 'x'])).toEqual([2, -2]);
  await world.raw.set(lockOf('x'), 'you:1:box');
  expect(await acquireAll('me:1:box', ['w', 'x'])).toEqual([2, -1]);
  await world.raw.del(lockOf('x'));
  await world.raw.set(fenceOf('x'), 'no number');
  expect(await acquireAll('me:1:box', ['w', 'x'])).toEqual([2, -3]);
  expect(await attempt(contendAll(backend, ['w', 'x']))).toMatchObject({
    kind: 'refused',
    error: { code: 'FOREIGN_KEY', key: 'x' },
  });
  expect(await owners(['w', 'x'])).toEqual([null, null]);
});

test('a user who may not write one of the keys gets none', async () => {
  // A selector, so that the script starts, and only its last write is refused.
  const may = '(+set ~holdfast:v1:{}:* ~holdfast:v1:{may}:* ~holdfast:v1:{never}:fence)';
  const rights = ['+@all', '-set', '~*', '&*', may];
  await world.raw.call('ACL', 'SETUSER', 'half', 'on', '>secret', ...rights);
  const source = `redis://half:secret@127.0.0.1:${world.server.port}`;
  const half = await world.open({ source });

  expect(await attempt(contendAll(half, ['may', 'never']))).toMatchObject({
    kind: 'refused',
    error: { code: 'NOPERM' },
  });
  expect(await owners(['may', 'never'])).toEqual([null, null]);
});
