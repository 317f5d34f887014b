import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ZooKeeperServer } from '../../packages/holdfast/src/local/zookeeper-server.ts';
import { realStage, takeSimulated } from './support/zookeeper-stages.ts';
import { type Step, sequences, take } from './support/zookeeper-steps.ts';

let server: ZooKeeperServer;
let sequencesTaken = 0;

beforeAll(async () => {
  server = await ZooKeeperServer.start();
});

afterAll(() => server.close());

/** Both answer alike: replies, refusals, numbers of transactions, owners, and which watches fire at which step. */
async function compare(steps: readonly Step[], size: number): Promise<number> {
  const folder = `/p${sequencesTaken++}`;
  const real = await take(realStage(server.address), folder, steps);
  expect(await takeSimulated(folder, steps, size)).toEqual(real);
  return real.length;
}

/** Returns how many replies have been compared. */
async function compareMany(numRuns: number, seed: number, size: number): Promise<number> {
  let compared = 0;
  const property = fc.asyncProperty(sequences, async (steps) => {
    compared += await compare(steps, size);
  });
  await fc.assert(property, { numRuns, seed });
  return compared;
}

test('a simulated server alone answers every sequence of two sessions as a real one does', async () => {
  expect(await compareMany(500, 1, 1)).toBeGreaterThan(5_000);
}, 120_000);

test('so does a simulated ensemble of three, where nothing fails', async () => {
  expect(await compareMany(60, 2, 3)).toBeGreaterThan(600);
}, 120_000);
