import { ConfigError, LockTimeoutError } from '@holdfast/core';
import { openAcl } from '@holdfast/zk-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { containerOf, layoutOf } from '../../src/keys.ts';
import { until, ZkWorld } from './support/zk-world.ts';

let world: ZkWorld;
beforeAll(async () => {
  world = await ZkWorld.start();
});
afterAll(() => world.close());

let keys = 0;
const newKey = (): string => `orders/${(keys += 1)}`;

describe('a waiter', () => {
  test('that timed out, or was aborted, leaves nothing in the queue', async () => {
    const key = newKey();
    const [a, b] = await Promise.all([world.open('a'), world.open('b')]);
    const lease = await a.locks.acquire(key);
    const abort = new AbortController();
    const aborted = b.locks.acquire(key, { signal: abort.signal }).catch((error: unknown) => error);
    await until(async () => (await world.queue(key)).length === 2);
    abort.abort(new Error('enough'));

    expect(await aborted).toEqual(new Error('enough'));
    await expect(b.locks.acquire(key, { waitMs: 200 })).rejects.toThrow(LockTimeoutError);

    await until(async () => (await world.queue(key)).length === 1);
    await lease.release();
    expect(await world.queue(key)).toEqual([]);
  });

  test('whose session expired is in the queue again, and gets the key in its turn', async () => {
    const key = newKey();
    const [a, b] = await Promise.all([world.open('a'), world.open('b')]);
    const lease = await a.locks.acquire(key);
    const waiting = b.locks.acquire(key, { waitMs: 60_000 });
    await until(async () => (await world.queue(key)).length === 2);

    b.proxy.cut();
    await until(async () => (await world.queue(key)).length === 1);
    b.proxy.heal({ drop: true });
    await until(async () => (await world.queue(key)).length === 2);
    await lease.release();

    const second = await waiting;
    expect(second.state).toBe('held');
    expect(b.events).toContainEqual(expect.objectContaining({ type: 'node', outcome: 'expired' }));
    await second.release();
  });
});

describe('a lost reply', () => {
  test('to a creation makes no second node: the next attempt finds the first one', async () => {
    const key = newKey();
    const [a, b] = await Promise.all([world.open('a'), world.open('b')]);
    // While `b` holds the key, the server does not reap the container under the creation.
    const lease = await b.locks.acquire(key);
    const contender = a.backend.contend({ key, contender: 'c1' });
    a.proxy.cut('down');
    const lost = await contender.attempt(Number.MAX_SAFE_INTEGER);
    expect(lost.kind).toBe('unknown');
    expect(await world.queue(key)).toHaveLength(2);
    a.proxy.heal({ drop: true });
    await lease.release();

    const answers = [];
    do answers.push(await contender.attempt(Number.MAX_SAFE_INTEGER));
    while (answers.at(-1)?.kind === 'unknown' || answers.at(-1)?.kind === 'unavailable');

    expect(answers.at(-1)?.kind).toBe('granted');
    expect(await world.queue(key)).toHaveLength(1);
  });

  test('to a deletion is reported as unknown, and the key comes free without its holder', async () => {
    const key = newKey();
    const [a, b] = await Promise.all([world.open('a'), world.open('b')]);
    const lease = await a.locks.acquire(key);
    a.proxy.cut('up');

    expect(await lease.release()).toMatchObject({ kind: 'unknown' });
    expect(await world.queue(key)).toHaveLength(1);
    a.proxy.heal({ drop: true });

    expect((await b.locks.acquire(key)).state).toBe('held');
  });
});

test('a lease outlives many renewals, and its session node is all that they write to', async () => {
  const key = newKey();
  const a = await world.open('a');
  const lease = await a.locks.acquire(key);
  const [name = ''] = await world.queue(key);
  let renewals = 0;
  a.locks.on('renewed', () => (renewals += 1));

  await until(async () => renewals === 4);

  expect(lease.state).toBe('held');
  const { stat } = await world.raw.exists(`${containerOf(layoutOf('holdfast'), key)}/${name}`);
  expect(stat?.version).toBe(0);
  await lease.release();
});

test('the stored data is as documented', async () => {
  const a = await world.open('box:7', { namespace: 'a/b' });
  const lease = await a.locks.acquire('🔑/..');
  const container = '/a%2Fb/v1/locks/%F0%9F%94%91%2F..';

  const { children } = await world.raw.getChildren(container);
  expect(children).toEqual([expect.stringMatching(/^[\da-f]{32}-lock-0000000000$/)]);
  const [name = ''] = children;
  const { data, stat } = await world.raw.getData(`${container}/${name}`);
  expect(new TextDecoder().decode(data)).toBe(`${name.slice(0, 32)}:1:box:7`);
  expect(lease.owner).toBe(`${name.slice(0, 32)}:1:box:7`);
  expect(lease.fencingToken).toBe(stat.czxid);
  await until(async () => (await world.raw.getChildren('/a%2Fb/v1/sessions')).children.length > 0);
  const session = `0x${BigInt.asUintN(64, stat.ephemeralOwner).toString(16)}`;
  expect((await world.raw.getChildren('/a%2Fb/v1/sessions')).children).toEqual([session]);
  await lease.release();
});

test('a container that was reaped is made again, and tokens grow all the same', async () => {
  const key = newKey();
  const a = await world.open('a');
  const first = await a.locks.acquire(key);
  await first.release();
  const container = containerOf(layoutOf('holdfast'), key);
  await until(async () => (await world.raw.exists(container)).stat === undefined);

  const second = await a.locks.acquire(key);

  expect(await world.queue(key)).toEqual([expect.stringMatching(/-lock-0000000000$/)]);
  expect(second.fencingToken).toBeGreaterThan(first.fencingToken ?? 0n);
  await second.release();
});

test('a node whose meaning is unknown refuses newcomers, and is reported by those who were before it', async () => {
  const key = newKey();
  const [a, b] = await Promise.all([world.open('a'), world.open('b')]);
  const lease = await a.locks.acquire(key);
  const waiting = b.locks.acquire(key, { waitMs: 60_000 });
  // Its node alone is not enough: until it has listed the queue, it is a newcomer.
  await until(async () => b.events.some(({ type }) => type === 'contended'));
  await world.raw.create(`${containerOf(layoutOf('holdfast'), key)}/readme`, 'ours');

  await lease.release();
  const next = await waiting;
  await expect(a.locks.acquire(key)).rejects.toMatchObject({ code: 'FOREIGN_KEY', key });
  await b.locks.forceRelease(key);

  expect(await world.queue(key)).toEqual(['readme']);
  const warnings = b.events.filter(({ type }) => type === 'warning');
  expect(warnings).toEqual([expect.objectContaining({ code: 'foreign-node', key })]);
  await next.release();
});

describe('with credentials', () => {
  const namespace = 'guarded';
  const auth = { user: 'holder', password: 'secret' };
  const container = (key: string): string => containerOf(layoutOf(namespace), key);

  test('no other client can remove a contender, forge one, read it, or delete the container', async () => {
    const key = newKey();
    const a = await world.open('a', { namespace, auth });
    const lease = await a.locks.acquire(key);
    const owner = await world.session({ auth: [{ scheme: 'digest', auth: 'holder:secret' }] });
    const [name = ''] = (await owner.getChildren(container(key))).children;
    const stranger = await world.session({ auth: [{ scheme: 'digest', auth: 'other:secret' }] });
    const denied = { code: 'NOAUTH' };

    await expect(stranger.delete(`${container(key)}/${name}`)).rejects.toMatchObject(denied);
    await expect(
      stranger.create(`${container(key)}/c1-lock-`, '', { mode: 'ephemeral-sequential' }),
    ).rejects.toMatchObject(denied);
    await expect(stranger.getChildren(container(key))).rejects.toMatchObject(denied);
    await expect(stranger.getData(`${container(key)}/${name}`)).rejects.toMatchObject(denied);
    await expect(stranger.delete(container(key))).rejects.toMatchObject(denied);
    await expect(stranger.setAcl(container(key), openAcl)).rejects.toMatchObject(denied);
    expect(lease.state).toBe('held');
    await lease.release();
  });

  test('a client with other credentials is refused on opening, and learns which nodes are not its own', async () => {
    const a = await world.open('a', { namespace, auth });
    await (await a.locks.acquire(newKey())).release();

    const opening = world.open('b', { namespace, auth: { user: 'holder', password: 'wrong' } });

    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(/cannot be kept under \/guarded\/v1\/locks.*NOAUTH/);
    await expect(opening).rejects.not.toThrow(/wrong/);
  });
});
