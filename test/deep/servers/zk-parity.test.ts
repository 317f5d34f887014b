import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZooKeeperPair } from '../../parity/support/zookeeper-comparison.ts';

/** 50 000 operations on the tree between them; one reply in 28 is that of a new session. */
const SEEDS = [3, 4, 5, 6];
const SEQUENCES = 1_100;
const COMPARED_MIN = 13_000;
/** Every operation is committed to a disk, and followed by two syncs. */
const TIMEOUT_MS = 1_800_000;

let pair: ZooKeeperPair;

beforeAll(async () => {
  pair = await ZooKeeperPair.start();
});

afterAll(() => pair.close());

test.each(SEEDS)(
  'operations on the tree in great number agree with a real server, seed %i',
  async (seed) => {
    const compared = await pair.compareMany({ numRuns: SEQUENCES, seed, size: 1 });

    expect(compared).toBeGreaterThan(COMPARED_MIN);
  },
  TIMEOUT_MS,
);
