import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isLockError } from '@holdfast/core';
import { createHost, type Marks, StoreRecord } from '@holdfast/core/backend';
import { type Config, openLocks } from 'holdfast';
import { openBackend } from 'holdfast/internal';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RedisServer, ZooKeeperServer } from '../../harness/test/kit/real-servers.ts';
import { run } from '../support/run.ts';
import { root } from '../support/source-file.ts';

const HOLDFAST = join(root, 'packages/holdfast/bin/holdfast.js');
const EPOCH = 1n << 53n;
/** A deadline a few seconds from now. */
const soon = (): number => performance.now() + 5_000;
const KINDS = ['memory', 'redis-simple', 'zk'] as const;
type Kind = (typeof KINDS)[number];

let redis: RedisServer;
let zookeeper: ZooKeeperServer;
let raw: Redis;

beforeAll(async () => {
  [redis, zookeeper] = await Promise.all([RedisServer.start(), ZooKeeperServer.start()]);
  raw = new Redis(redis.port, '127.0.0.1');
});
afterAll(async () => {
  raw.disconnect();
  await Promise.all([redis.close(), zookeeper.close()]);
});

function configOf(kind: Kind, namespace: string, fencingEpoch: number): Config {
  if (kind === 'memory') return { backend: kind, fencingEpoch };
  if (kind === 'zk') return { backend: kind, url: zookeeper.url, namespace, fencingEpoch };
  return { backend: kind, url: redis.url, namespace, fencingEpoch };
}

/** Marks a store as moved to, as `holdfast move flip` does; one of this process alone needs no mark. */
async function flip(config: Config, epoch: number): Promise<void> {
  if (config.backend === 'memory') return;
  await withMarks(config, (marks, name) => new StoreRecord(marks, name).flip(epoch, soon()));
}

async function withMarks<T>(
  config: Config,
  use: (marks: Marks, backend: string) => Promise<T>,
): Promise<T> {
  const backend = await openBackend({ config, folder: '.' }, createHost());
  try {
    if (backend.marks === undefined) throw new Error(`${backend.name} keeps no marks`);
    return await use(backend.marks, backend.name);
  } finally {
    await backend.close();
  }
}

async function tokenOn(config: Config): Promise<bigint> {
  await using locks = await openLocks(config, { require: ['fencing'] });
  return await locks.use('k', ({ fencingToken }) => fencingToken);
}

test.each(KINDS.flatMap((from) => KINDS.map((to) => ({ from, to }))))(
  'a token of $to in epoch 1 is larger than one of $from in epoch 0',
  async ({ from, to }) => {
    const next = configOf(to, `to-${from}-${to}`, 1);
    await flip(next, 1);

    const before = await tokenOn(configOf(from, `from-${from}-${to}`, 0));
    const after = await tokenOn(next);

    expect(before).toBeLessThan(EPOCH);
    expect(after).toBeGreaterThan(EPOCH);
    expect(after).toBeGreaterThan(before);
    expect(BigInt.asIntN(64, after)).toBe(after);
  },
);

test.each(KINDS)('the tokens of several keys on %s are of the epoch, too', async (kind) => {
  const config = configOf(kind, `several-${kind}`, 1);
  await flip(config, 1);
  await using locks = await openLocks(config, { require: ['fencing'] });

  const tokens = await locks.use(['a', 'b'], ({ fencingTokens }) => fencingTokens);

  expect([...tokens.keys()]).toEqual(['a', 'b']);
  for (const token of tokens.values()) expect(token).toBeGreaterThan(EPOCH);
});

describe.each(['redis-simple', 'zk'] as const)('the marks of %s', (kind) => {
  test('are written once, and who comes second gets what is stored', async () => {
    const config = configOf(kind, `marks-${kind}`, 0);

    await withMarks(config, async (marks) => {
      expect(await marks.read('m', soon())).toBeUndefined();
      expect(await marks.write('m', 'first', soon())).toBe('first');
      expect(await marks.write('m', 'second', soon())).toBe('first');
    });

    expect(await withMarks(config, (marks) => marks.read('m', soon()))).toBe('first');
  });

  test('are those of one namespace', async () => {
    await withMarks(configOf(kind, 'one', 0), (marks) => marks.write('m', 'one', soon()));

    const other = await withMarks(configOf(kind, 'other', 0), (marks) => marks.read('m', soon()));

    expect(other).toBeUndefined();
  });

  test('refuse a client with another epoch on opening, by both numbers, and one that comes before the flip', async () => {
    const config = (epoch: number): Config => configOf(kind, `refusal-${kind}`, epoch);
    await tokenOn(config(0));

    const other = await openLocks(config(2)).catch((error: unknown) => error);
    const early = await tokenOn(configOf(kind, `early-${kind}`, 1)).catch(
      (error: unknown) => error,
    );

    expect(isLockError(other, 'FENCING_EPOCH')).toBe(true);
    expect(String(other)).toContain('the store has fencingEpoch 0, and this client 2');
    expect(isLockError(early, 'FENCING_EPOCH')).toBe(true);
    expect(String(early)).toContain('holdfast move flip');
  });
});

test('holdfast inspect shows the token in full and the epoch of the store, whatever the epoch of who asks', async () => {
  const config = configOf('redis-simple', 'inspected', 1);
  await flip(config, 1);
  await using locks = await openLocks(config, { require: ['fencing'] });
  await using lease = await locks.acquire('k');

  const args = [HOLDFAST, 'inspect', 'k', '--on', `${redis.url}?namespace=inspected`];
  const { code, stdout, output } = await run('node', args);

  expect(code, output).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    held: true,
    fencingToken: `${lease.fencingToken}`,
    fencingEpoch: 1,
  });
});

describe('a guard in Redis', () => {
  const [, guard = ''] =
    /```lua\n(.*?)```/s.exec(readFileSync('docs/guides/fencing.md', 'utf8')) ?? [];
  const naive = guard.replace(
    /^if #token.*$/m,
    'if tonumber(token) < tonumber(last) then return 0 end',
  );
  const [older, newer] = [EPOCH + 1n, EPOCH + 2n];

  async function writes(script: string, key: string): Promise<unknown> {
    const write = (value: string, token: bigint): Promise<unknown> =>
      raw.eval(script, 2, key, `${key}-fence`, value, `${token}`);
    await write('newer', newer);
    return await write('older', older);
  }

  test('as the docs have it tells neighbouring tokens apart', async () => {
    expect(await writes(guard, 'as-text')).toBe(0);
    expect(await raw.get('as-text')).toBe('newer');
    expect(await raw.eval(guard, 2, 'as-text', 'as-text-fence', 'same holder', `${newer}`)).toBe(1);
    expect(await raw.eval(guard, 2, 'as-text', 'as-text-fence', 'short', '9')).toBe(0);
  });

  test('that compares numbers of Lua lets a late holder in', async () => {
    const [below, above] = [EPOCH, EPOCH + 1n];
    await raw.eval(naive, 2, 'as-number', 'as-number-fence', 'newer', `${above}`);

    expect(naive).not.toBe(guard);
    expect(await raw.eval(naive, 2, 'as-number', 'as-number-fence', 'older', `${below}`)).toBe(1);
  });
});

test('JSON numbers and doubles do not tell neighbouring tokens apart, text and bigint do', () => {
  const [older, newer] = [EPOCH, EPOCH + 1n];

  expect(JSON.parse(`${older}`)).toBe(JSON.parse(`${newer}`));
  expect(Number(older)).toBe(Number(newer));
  expect(BigInt(JSON.parse(`"${newer}"`)) > older).toBe(true);
});
