import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isLockError, type LockError } from '@holdfast/core';
import { type Config, openLocks } from 'holdfast';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RedisServer, ZooKeeperServer } from '../../harness/test/kit/real-servers.ts';
import { run } from '../support/run.ts';
import { root } from '../support/source-file.ts';
import { Rolled } from './moving-roll.ts';

const HOLDFAST = join(root, 'packages/holdfast/bin/holdfast.js');
/** `npm run test:deep` rolls eight, there and back. */
const PROCESSES = 2;
const LIMIT_MS = 120_000;
const KEY = 'stock/7';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-moving-'));
let redis: RedisServer;
let zookeeper: ZooKeeperServer;

beforeAll(async () => {
  [redis, zookeeper] = await Promise.all([RedisServer.start(), ZooKeeperServer.start()]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([redis.close(), zookeeper.close()]);
});

type StoreConfig = Extract<Config, { backend: 'redis-simple' | 'zk' }>;

function onRedis(fencingEpoch: number, namespace: string): StoreConfig {
  return { backend: 'redis-simple', url: redis.url, namespace, fencingEpoch };
}

function onZooKeeper(fencingEpoch: number, namespace: string): StoreConfig {
  return { backend: 'zk', url: zookeeper.url, namespace, fencingEpoch, ttlMs: 4_000 };
}

function file(name: string, config: Config): string {
  const path = join(folder, `${name}.json`);
  writeFileSync(path, JSON.stringify(config));
  return path;
}

async function flip(name: string, config: Config): Promise<string> {
  const { code, output } = await run('node', [
    HOLDFAST,
    'move',
    'flip',
    '--on',
    file(name, config),
  ]);
  expect(code, output).toBe(0);
  return output;
}

test('from Redis to ZooKeeper, processes are rolled one by one: no two are inside, and no token goes back', {
  timeout: LIMIT_MS,
}, async () => {
  const crew = await Rolled.start(PROCESSES, KEY, onRedis(0, 'roll'));
  const [from, to] = [onRedis(0, 'roll'), onZooKeeper(1, 'roll')];
  const moving: Config = { backend: 'moving', from, to };

  await crew.worked();
  await crew.rollTo(moving);
  expect(await flip('roll', moving)).toContain('There is no way back');
  await crew.rollTo(to);
  const { entered, violations, epochs } = await crew.end();

  expect(violations).toEqual([]);
  expect(entered).toBeGreaterThan(5 * PROCESSES);
  expect(epochs).toEqual([0, 1]);
});

describe('a straggler', () => {
  test('of the old store is refused after the move back, by both epochs', async () => {
    await flip('back', onRedis(2, 'back'));

    const error = await refusal(onRedis(0, 'back'));

    expect(error.code).toBe('FENCING_EPOCH');
    expect(error.message).toContain('the store has fencingEpoch 2, and this client 0');
  });

  test('of the new store is refused before the flip, and the error says what to do', async () => {
    const [from, to] = [onRedis(0, 'early'), onZooKeeper(1, 'early')];
    await using locks = await openLocks({ backend: 'moving', from, to });
    await locks.use(KEY, () => {});

    const error = await refusal(to);

    expect(error.code).toBe('FENCING_EPOCH');
    expect(error.message).toContain('run holdfast move flip');
  });

  test('of the old store is named by holdfast move watch', { timeout: LIMIT_MS }, async () => {
    const [from, to] = [onRedis(0, 'watched'), onZooKeeper(1, 'watched')];
    const moving: Config = { backend: 'moving', from, to };
    await using movingLocks = await openLocks(moving, { label: 'rolled' });
    await using oldLocks = await openLocks(from, { label: 'forgotten' });
    await movingLocks.acquire('a');
    const watch = (): ReturnType<typeof run> =>
      run('node', [HOLDFAST, 'move', 'watch', '--on', file('watched', moving), '--for', '2']);

    const before = await watch();
    await oldLocks.acquire('b');
    const after = await watch();

    expect(before).toMatchObject({ code: 0 });
    expect(before.stdout).toBe('observed 2 s, seen 1 holders, each of them in both stores\n');
    expect(after.code).toBe(1);
    expect(after.stdout).toBe('observed 2 s, seen 2 holders, in the old store alone: forgotten\n');
    expect(after.stdout).not.toMatch(/safe/i);
  });
});

async function refusal(config: Config): Promise<LockError> {
  const error: unknown = await openLocks(config)
    .then(async (locks) => {
      try {
        await locks.acquire(KEY, { waitMs: 0 });
      } finally {
        await locks.close();
      }
    })
    .catch((cause: unknown) => cause);
  if (!isLockError(error)) throw new Error(`it was not refused: ${String(error)}`);
  return error;
}

test('while one store is down nothing is granted', async () => {
  const down = await RedisServer.start();
  const from = onZooKeeper(0, 'half');
  const to: StoreConfig = { backend: 'redis-simple', url: down.url, fencingEpoch: 1, ttlMs: 1_000 };
  await using locks = await openLocks({ backend: 'moving', from, to });
  await locks.use(KEY, () => {});
  down.kill();

  const error: unknown = await locks.acquire(KEY, { waitMs: 300 }).catch((cause: unknown) => cause);
  await using old = await openLocks(from);

  expect(isLockError(error)).toBe(true);
  // Its lock in the store that serves has been released.
  expect(await old.tryAcquire(KEY)).not.toBeNull();
  await down.close();
});

test.each([
  [{ backend: 'moving', from: { backend: 'memory' }, to: { backend: 'memory' } }, 'must be higher'],
  [
    {
      backend: 'moving',
      from: { backend: 'redlock', nodes: ['redis://a', 'redis://b', 'redis://c'] },
      to: { backend: 'memory', fencingEpoch: 1 },
    },
    'it has no marks',
  ],
  [
    {
      backend: 'moving',
      from: { backend: 'memory' },
      to: { backend: 'redlock', nodes: ['redis://a', 'redis://b', 'redis://c'], fencingEpoch: 1 },
    },
    'it has no fencing tokens',
  ],
] as const)('%j is refused', async (config, why) => {
  await expect(openLocks(config as Config)).rejects.toThrow(why);
});
