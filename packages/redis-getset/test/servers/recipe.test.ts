import { readFileSync } from 'node:fs';
import { type LockEvent } from '@holdfast/core';
import { createHost, type Grant } from '@holdfast/core/backend';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Proxy, RedisServer } from '../../../../harness/test/kit/real-servers.ts';
import { attempt, contend, lockOf, until } from '../../../../test/support/contending.ts';
import { openRedisSimple } from '../../../redis-simple/test/kit.ts';
import { openRedisGetset, type RedisGetsetOptions } from '../../src/index.ts';

const LONG_MS = 60_000;

let server: RedisServer;
let raw: Redis;

beforeAll(async () => {
  server = await RedisServer.start();
  raw = new Redis(server.port);
});

afterAll(async () => {
  raw.disconnect();
  await server.close();
});

async function open(options: RedisGetsetOptions): ReturnType<typeof openRedisGetset> {
  return await openRedisGetset(options, createHost());
}

async function taken(backend: Awaited<ReturnType<typeof open>>, key: string): Promise<Grant> {
  const outcome = await attempt(contend(backend, key, LONG_MS));
  if (outcome.kind !== 'granted') throw new Error(`it was ${outcome.kind}`);
  return outcome.grant;
}

describe.each(['ioredis', 'redis'] as const)('over %s', (library) => {
  const source = (): RedisGetsetOptions => ({ source: server.url, library });

  test('the store contains the stamp, without expiry, as in the recipe', async () => {
    const backend = await open(source());
    const key = `stamp-${library}`;
    const before = Date.now();

    const { owner } = await taken(backend, key);

    expect(await raw.get(lockOf(key))).toBe(owner);
    expect(Number(owner)).toBeGreaterThanOrEqual(before + LONG_MS);
    expect(Number(owner)).toBeLessThanOrEqual(Date.now() + LONG_MS + 1);
    expect(await raw.pttl(lockOf(key))).toBe(-1);
    await backend.close();
  });

  test('a key left by a crashed client is taken over, and the value replaced in one step', async () => {
    const backend = await open(source());
    const key = `crashed-${library}`;
    await raw.set(lockOf(key), `${Date.now() - 1}`);

    const grant = await taken(backend, key);

    expect(await raw.get(lockOf(key))).toBe(grant.owner);
    expect(await grant.release()).toEqual({ kind: 'released' });
    expect(await raw.exists(lockOf(key))).toBe(0);
    await backend.close();
  });

  test('a list under the key is refused with the key, and left alone', async () => {
    const backend = await open(source());
    const key = `list-${library}`;
    await raw.rpush(lockOf(key), 'x');

    expect(await attempt(contend(backend, key))).toMatchObject({
      kind: 'refused',
      error: { code: 'FOREIGN_KEY', key, backend: 'redis-getset' },
    });
    expect(await raw.lrange(lockOf(key), 0, -1)).toEqual(['x']);
    await backend.close();
  });

  test('a SETNX whose reply is lost is unknown, and its stamp stays stored', async () => {
    const proxy = await Proxy.start(server.port);
    const backend = await open({ source: proxy.url, library });
    const key = `lost-${library}`;
    await (await taken(backend, `warm-${library}`)).release();
    const contender = contend(backend, key, 1_000);
    proxy.cut('down');

    expect((await attempt(contender)).kind).toBe('unknown');
    expect((await contender.withdraw()).kind).toBe('unknown');
    expect(await raw.exists(lockOf(key))).toBe(1);

    proxy.heal({ drop: true });
    await backend.close();
    await proxy.close();
  });

  test('a server that is down is unavailable, and serves again when it is back', async () => {
    const own = await RedisServer.start();
    const backend = await open({ source: own.url, library });
    await (await taken(backend, 'k')).release();
    own.kill();
    await until(async () => (await attempt(contend(backend, 'k'))).kind === 'unavailable');
    await own.restart();
    await until(async () => (await attempt(contend(backend, 'k'))).kind === 'granted');

    expect((await attempt(contend(backend, 'k'))).kind).toBe('busy');
    await backend.close();
    await own.close();
  });
});

test('clients of both libraries exclude each other', async () => {
  const [one, other] = await Promise.all([
    open({ source: server.url, library: 'ioredis' }),
    open({ source: server.url, library: 'redis' }),
  ]);
  const grant = await taken(one, 'shared');

  expect((await attempt(contend(other, 'shared'))).kind).toBe('busy');
  await grant.release();
  expect((await attempt(contend(other, 'shared'))).kind).toBe('granted');
  await Promise.all([one.close(), other.close()]);
});

test('this lock and redis-simple on one server refuse each other’s values: nothing is locked twice', async () => {
  const simple = await openRedisSimple({ source: server.url }, createHost());
  const getset = await open({ source: server.url });
  await attempt(contend(simple, 'of-simple'));
  await taken(getset, 'of-getset');

  expect((await attempt(contend(getset, 'of-simple'))).kind).toBe('refused');
  expect((await attempt(contend(simple, 'of-getset'))).kind).toBe('refused');
  await Promise.all([simple.close(), getset.close()]);
});

test('opening tells that this is the legacy recipe, whatever else it tells', async () => {
  const warnings: LockEvent[] = [];
  const host = createHost({ on: { warning: (event) => void warnings.push(event) } });

  const backend = await openRedisGetset({ source: server.url }, host);

  expect(warnings).toMatchObject([{ backend: 'redis-getset', code: 'legacy-recipe' }]);
  await backend.close();
});

test('a replica is refused on opening', async () => {
  const replica = await RedisServer.start({ args: ['--replicaof', `127.0.0.1 ${server.port}`] });

  await expect(open({ source: replica.url })).rejects.toMatchObject({ code: 'CONFIG' });
  await replica.close();
});

test('the rights on the page are enough for everything that a client does', async () => {
  const page = readFileSync(
    new URL('../../../../docs/backends/redis-getset.md', import.meta.url),
    'utf8',
  );
  const [, rule = ''] = /^ACL SETUSER (.*)$/m.exec(page) ?? [];
  await raw.call('ACL', 'SETUSER', ...rule.replace('<password>', 'secret').split(/\s+/));
  const backend = await open({ source: `redis://locks:secret@127.0.0.1:${server.port}` });
  await raw.set(lockOf('acl'), `${Date.now() - 1}`);

  const grant = await taken(backend, 'acl');
  expect((await backend.inspect?.('acl'))?.held).toBe(true);
  expect((await backend.health?.())?.ok).toBe(true);
  expect(await backend.forceRelease?.('acl')).toEqual({ kind: 'released' });
  expect(await grant.release()).toEqual({ kind: 'not-held' });
  await backend.close();
});
