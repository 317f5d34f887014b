import { afterAll, beforeAll, expect, test } from 'vitest';
import { EtcdServer } from '../../../harness/test/kit/real-servers.ts';
import { compareStores } from '../../parity/support/etcd-comparison.ts';

const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);
/** Of some 19 requests each, so at least 200 000 among all seeds. */
const SEQUENCES = Number(process.env['HOLDFAST_SEQUENCES'] ?? 550);
const TIMEOUT_MS = 1_800_000;

let server: EtcdServer;
let requests = 0;

beforeAll(async () => {
  server = await EtcdServer.start();
});
afterAll(async () => {
  console.log(`etcd: ${requests} requests had the same replies`);
  await server.close();
});

test.each(SEEDS)(
  'requests in great number have the same replies as on a real server, seed %s',
  async (seed) => {
    const compared = await compareStores(server, { sequences: SEQUENCES, seed });

    requests += compared;
    console.info(`seed ${seed}: ${requests} requests so far`);
    expect(compared).toBeGreaterThanOrEqual(SEQUENCES * 10);
  },
  TIMEOUT_MS,
);

test.skipIf(process.env['HOLDFAST_SEQUENCES'] !== undefined)('they are 200 000 requests', () => {
  expect(requests).toBeGreaterThanOrEqual(200_000);
});
