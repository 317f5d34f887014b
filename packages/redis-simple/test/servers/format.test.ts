import type { Backend, HoldMode } from '@holdfast/core/backend';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  attempt,
  contend,
  fenceOf,
  LONG_MS,
  lockOf,
  take,
} from '../../../../test/support/contending.ts';
import { World } from './support/world.ts';

let world: World;
let backend: Backend;

beforeAll(async () => {
  world = await World.start();
  backend = await world.open();
});
afterAll(() => world.close());

test('a hold and its fence are stored as the docs say', async () => {
  const { raw } = world;

  const grant = await take(backend, 'documented', 60_000);

  const token = String(grant.fencingToken);
  expect(grant.owner).toMatch(/^[^:]+:1:box:1$/);
  expect(await raw.get(lockOf('documented'))).toBe(grant.owner);
  expect(await raw.pttl(lockOf('documented'))).toBeGreaterThan(50_000);
  expect(await raw.get(fenceOf('documented'))).toBe(token);
  // PEXPIRETIME needs Redis 7; PTTL of the fence and the server's TIME agree with it within a call or two.
  const [seconds = '0', micros = '0'] = (await raw.time()) as unknown as string[];
  const nowMs = Number(seconds) * 1_000 + Number(micros) / 1_000;
  const expiryMs = Math.floor(Number(token) / 1_000) + 86_400_000;
  expect(Math.abs((await raw.pttl(fenceOf('documented'))) - (expiryMs - nowMs))).toBeLessThan(
    5_000,
  );
  expect(await raw.keys('*documented*')).toHaveLength(2);
});

test('the fence outlives the lock', async () => {
  const grant = await take(backend, 'outlived');

  await grant.release();

  expect(await world.raw.exists(lockOf('outlived'))).toBe(0);
  expect(await world.raw.get(fenceOf('outlived'))).toBe(String(grant.fencingToken));
});

test.each(['holders', 'line', 'places'])(
  'a foreign value under …:%s is left as it is, and refuses readers and permits',
  async (name) => {
    const stored = lockOf(name).replace(/lock$/, name);
    await world.raw.set(stored, 'mine');

    for (const mode of [
      { kind: 'shared' },
      { kind: 'permits', permits: 1, of: 2 },
    ] satisfies HoldMode[]) {
      const request = { key: name, contender: mode.kind, ttlMs: 30_000, mode };
      const contender = backend.contend(request);
      expect(await attempt(contender)).toMatchObject({
        kind: 'refused',
        error: { code: 'FOREIGN_KEY', key: name },
      });
      await contender.withdraw();
    }

    expect(await world.raw.get(stored)).toBe('mine');
    expect(await world.raw.exists(lockOf(name))).toBe(0);
  },
);

describe('a fencing token', () => {
  test('grows with every grant, and is the server’s time in µs', async () => {
    const first = await take(backend, 'growing');
    await first.release();
    const second = await take(backend, 'growing');

    expect(second.fencingToken).toBeGreaterThan(first.fencingToken);
    const [seconds = '0'] = (await world.raw.time()) as unknown as string[];
    expect(Math.abs(Number(second.fencingToken / 1_000_000n) - Number(seconds))).toBeLessThan(60);
  });

  test.each([
    ['17 days from now', BigInt(Date.now() + 17 * 86_400_000) * 1_000n + 1n],
    ['just below what a double can hold', 2n ** 53n - 2n],
  ])('is one more than a fence %s, to the last digit', async (name, stored) => {
    await world.raw.set(fenceOf(name), String(stored));

    const grant = await take(backend, name);

    expect(grant.fencingToken).toBe(stored + 1n);
    expect(await world.raw.get(fenceOf(name))).toBe(String(stored + 1n));
    expect(await world.raw.pttl(fenceOf(name))).toBeGreaterThan(86_400_000);
  });
});

describe('the retry rule', () => {
  test('a contender takes over what its own earlier attempt left, with a full ttl and a new token', async () => {
    const contender = contend(backend, 'mine', 60_000);
    const first = await attempt(contender);
    await world.raw.pexpire(lockOf('mine'), 5_000);

    const second = await attempt(contender);

    if (first.kind !== 'granted' || second.kind !== 'granted') throw new Error('not granted');
    expect(second.grant.owner).toBe(first.grant.owner.replace(':1:', ':2:'));
    expect(await world.raw.get(lockOf('mine'))).toBe(second.grant.owner);
    expect(await world.raw.pttl(lockOf('mine'))).toBeGreaterThan(5_000);
    expect(second.grant.fencingToken).toBeGreaterThan(first.grant.fencingToken ?? 0n);
  });

  test('nothing sent for the earlier attempt can touch the later one', async () => {
    const contender = contend(backend, 'later', 60_000);
    const first = await attempt(contender);
    const second = await attempt(contender);
    if (first.kind !== 'granted' || second.kind !== 'granted') throw new Error('not granted');

    expect(await first.grant.renew?.(LONG_MS)).toEqual({ kind: 'lost' });
    expect(await first.grant.release()).toEqual({ kind: 'not-held' });

    expect(await world.raw.get(lockOf('later'))).toBe(second.grant.owner);
    expect(await world.raw.pttl(lockOf('later'))).toBeLessThanOrEqual(60_000);
  });

  test('attempts are compared as numbers, not as text', async () => {
    const contender = contend(backend, 'tenth', 60_000);
    for (let n = 1; n < 10; n++) await attempt(contender);

    expect((await attempt(contender)).kind).toBe('granted');
    expect(await world.raw.get(lockOf('tenth'))).toMatch(/:10:box:1$/);
  });

  test('another contender learns the remaining time of the holder', async () => {
    await take(backend, 'others', 20_000);

    const outcome = await attempt(contend(backend, 'others'));

    expect(outcome.kind).toBe('busy');
    const left = outcome.kind === 'busy' ? outcome.holderRemainingMs : undefined;
    expect(left).toBeGreaterThan(5_000);
    expect(left).toBeLessThanOrEqual(20_000);
  });
});

describe('what is not ours', () => {
  const meddle: Record<string, (key: string) => Promise<unknown>> = {
    'a lock without expiry': (key) => world.raw.set(lockOf(key), 'somebody:1:box'),
    'a value that is no owner value': (key) => world.raw.set(lockOf(key), 'hello', 'PX', LONG_MS),
    'a list under the lock': (key) => world.raw.lpush(lockOf(key), 'hello'),
    'a word under the fence': (key) => world.raw.set(fenceOf(key), 'hello'),
    'a fence beyond exact numbers': (key) => world.raw.set(fenceOf(key), String(2 ** 53 - 1)),
    'a set under the fence': (key) => world.raw.sadd(fenceOf(key), 'hello'),
  };

  test.each(Object.keys(meddle))('%s is refused by name, and left as it was', async (key) => {
    await meddle[key]?.(key);
    const dump = (): Promise<unknown> =>
      Promise.all([lockOf(key), fenceOf(key)].map((name) => world.raw.dumpBuffer(name)));
    const before = await dump();

    const outcome = await attempt(contend(backend, key));

    const error = outcome.kind === 'refused' ? outcome.error : undefined;
    expect(error).toMatchObject({ code: 'FOREIGN_KEY', key, backend: 'redis-simple' });
    expect(error?.message).toContain(key);
    expect(await dump()).toEqual(before);
  });

  test.each(['a value that is no owner value', 'a list under the lock'])(
    'not even force removes %s',
    async (what) => {
      const key = `forced: ${what}`;
      await meddle[what]?.(key);

      await expect(backend.forceRelease?.(key)).rejects.toMatchObject({ code: 'FOREIGN_KEY', key });

      expect(await world.raw.exists(lockOf(key))).toBe(1);
    },
  );

  test('an operator can force away a lock that has lost its expiry', async () => {
    const grant = await take(backend, 'persisted');
    await world.raw.persist(lockOf('persisted'));
    expect((await attempt(contend(backend, 'persisted'))).kind).toBe('refused');

    expect(await backend.forceRelease?.('persisted')).toEqual({ kind: 'released' });

    expect(await grant.renew(5_000)).toEqual({ kind: 'lost' });
    expect((await attempt(contend(backend, 'persisted'))).kind).toBe('granted');
  });
});

describe('for operators', () => {
  test('inspect shows holder, remaining time and token', async () => {
    const grant = await take(backend, 'shown', 20_000);

    const shown = await backend.inspect?.('shown');

    expect(shown).toEqual({
      key: 'shown',
      held: true,
      owner: grant.owner,
      holder: 'box:1',
      remainingMs: expect.any(Number),
      fencingToken: grant.fencingToken,
    });
    expect(shown?.remainingMs).toBeGreaterThan(5_000);
  });

  test('inspect of a free key says so', async () => {
    expect(await backend.inspect?.('free')).toEqual({ key: 'free', held: false });
  });

  test('force removes a hold, and its holder learns of it at the next renewal', async () => {
    const grant = await take(backend, 'forced');

    expect(await backend.forceRelease?.('forced')).toEqual({ kind: 'released' });
    expect(await backend.forceRelease?.('forced')).toEqual({ kind: 'not-held' });

    expect(await grant.renew(5_000)).toEqual({ kind: 'lost' });
    expect(await grant.release()).toEqual({ kind: 'not-held' });
  });

  test('health is a round trip', async () => {
    expect(await backend.health?.()).toEqual({
      ok: true,
      nodes: [
        { node: `127.0.0.1:${world.server.port}`, ok: true, roundTripMs: expect.any(Number) },
      ],
    });
  });
});

test('scripts that the server forgot are sent again', async () => {
  const grant = await take(backend, 'forgotten');
  await world.raw.script('FLUSH');

  expect((await grant.renew(60_000)).kind).toBe('renewed');
  await world.raw.script('FLUSH');
  expect(await grant.release()).toEqual({ kind: 'released' });
});

test('a renewal lengthens and never shortens', async () => {
  const grant = await take(backend, 'lengthened', 10_000);

  expect((await grant.renew(60_000)).kind).toBe('renewed');
  expect(await world.raw.pttl(lockOf('lengthened'))).toBeGreaterThan(30_000);
  expect((await grant.renew(1_000)).kind).toBe('renewed');
  expect(await world.raw.pttl(lockOf('lengthened'))).toBeGreaterThan(30_000);
});
