import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZooKeeperPair } from './support/zookeeper-comparison.ts';

let pair: ZooKeeperPair;

beforeAll(async () => {
  pair = await ZooKeeperPair.start();
});

afterAll(() => pair.close());

test('a simulated server alone replies to every sequence of two sessions as a real one does', async () => {
  expect(await pair.compareMany({ numRuns: 500, seed: 1, size: 1 })).toBeGreaterThan(5_000);
}, 120_000);

test('so does a simulated ensemble of three, where nothing fails', async () => {
  expect(await pair.compareMany({ numRuns: 60, seed: 2, size: 3 })).toBeGreaterThan(600);
}, 120_000);
