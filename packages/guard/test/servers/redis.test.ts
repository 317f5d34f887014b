import { type RedisEval, redisGuard, StaleTokenError } from '@holdfast/guard';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { RedisServer } from '../../../../harness/test/kit/real-servers.ts';

const LATE = { key: 'stock/{42}', fencingToken: 2n ** 53n };
const NEXT = { key: 'stock/{42}', fencingToken: 2n ** 53n + 1n };

let server: RedisServer;
let ioredis: Redis;
let nodeRedis: ReturnType<typeof createClient>;

beforeAll(async () => {
  server = await RedisServer.start();
  ioredis = new Redis(server.url);
  nodeRedis = createClient({ url: server.url });
  await nodeRedis.connect();
});
afterEach(() => ioredis.flushall());
afterAll(async () => {
  ioredis.disconnect();
  nodeRedis.destroy();
  await server.close();
});

describe.each<[string, () => RedisEval]>([
  ['ioredis', () => ioredis],
  ['node-redis', () => nodeRedis],
])('through %s', (_, client) => {
  test('the write of a smaller token is refused, also by one beyond 2^53', async () => {
    const guard = redisGuard(client());
    await guard.set(NEXT, 'stock', '7');
    await guard.set(NEXT, 'stock', '6');
    const late = guard.set(LATE, 'stock', '9');

    await expect(late).rejects.toThrow(StaleTokenError);
    await expect(late).rejects.toMatchObject({ largest: NEXT.fencingToken, key: NEXT.key });
    expect(await ioredis.get('stock')).toBe('6');
  });

  test('a shorter token is smaller, although its text is not', async () => {
    const guard = redisGuard(client());
    await guard.admit({ key: 'k', fencingToken: 10n });

    await expect(guard.admit({ key: 'k', fencingToken: 9n })).rejects.toThrow(StaleTokenError);
  });

  test('a script has its own keys and arguments, and its result is returned', async () => {
    const guard = redisGuard(client());
    const source = "redis.call('SET', KEYS[1], ARGV[1]) return {KEYS[1], ARGV[1], #KEYS, #ARGV}";

    const result = await guard.run(NEXT, { source, keys: ['a'], args: ['b'] });

    expect(result).toEqual(['a', 'b', 1, 1]);
  });

  test('a mark that is something else is an error, and nothing is written', async () => {
    await ioredis.set('foreign', 'x');
    const guard = redisGuard(client(), { mark: () => 'foreign' });

    await expect(guard.set(NEXT, 'a', 'b')).rejects.toThrow(/NOMARK/);
    expect(await ioredis.exists('a')).toBe(0);
  });
});

test('the marks of two keys are two, also with braces in them', async () => {
  const guard = redisGuard(ioredis);
  await guard.admit({ key: 'a{b}', fencingToken: 5n });
  await guard.admit({ key: 'a{b', fencingToken: 1n });

  expect((await ioredis.keys('*')).toSorted()).toEqual([
    'holdfast:mark:{a%7Bb%7D}',
    'holdfast:mark:{a%7Bb}',
  ]);
});
