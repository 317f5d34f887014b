import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from 'holdfast';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RedisServer, ZooKeeperEnsemble } from '../../../harness/test/kit/real-servers.ts';
import { Rolled } from '../../servers/moving-roll.ts';
import { runChecked } from '../../support/run.ts';
import { root } from '../../support/source-file.ts';

const HOLDFAST = join(root, 'packages/holdfast/bin/holdfast.js');
const PROCESSES = 8;
const LIMIT_MS = 600_000;

const folder = mkdtempSync(join(tmpdir(), 'holdfast-roll-'));
let redis: RedisServer;
let ensemble: ZooKeeperEnsemble;

beforeAll(async () => {
  [redis, ensemble] = await Promise.all([RedisServer.start(), ZooKeeperEnsemble.start()]);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await Promise.all([redis.close(), ensemble.close()]);
});

type Store = Extract<Config, { backend: 'redis-simple' | 'zk' }>;

function onRedis(fencingEpoch: number): Store {
  return { backend: 'redis-simple', url: redis.url, fencingEpoch };
}

function onZooKeeper(fencingEpoch: number): Store {
  return { backend: 'zk', url: ensemble.url, fencingEpoch, ttlMs: 6_000 };
}

/** Rolls every process from one store to the next, with the flip in between. */
async function move(crew: Rolled, from: Store, to: Store): Promise<void> {
  const moving: Config = { backend: 'moving', from, to };
  await crew.rollTo(moving);
  const file = join(folder, 'moving.json');
  writeFileSync(file, JSON.stringify(moving));
  await runChecked('node', [HOLDFAST, 'move', 'flip', '--on', file]);
  await crew.worked();
  await crew.rollTo(to);
}

test('from Redis to ZooKeeper and back under 8 processes: no two are inside, and no token goes back', {
  timeout: LIMIT_MS,
}, async () => {
  const crew = await Rolled.start(PROCESSES, 'stock/7', onRedis(0));

  await crew.worked();
  await move(crew, onRedis(0), onZooKeeper(1));
  await move(crew, onZooKeeper(1), onRedis(2));
  const { entered, violations, epochs } = await crew.end();

  console.info(`${entered} turns in five phases`);
  expect(violations).toEqual([]);
  expect(epochs).toEqual([0, 1, 2]);
});
