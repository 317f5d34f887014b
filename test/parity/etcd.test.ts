import { afterAll, beforeAll, expect, test } from 'vitest';
import { EtcdServer } from '../../harness/test/kit/real-servers.ts';
import { compareStores } from './support/etcd-comparison.ts';

const SEQUENCES = 25;

let server: EtcdServer;

beforeAll(async () => {
  server = await EtcdServer.start();
});
afterAll(() => server.close());

test('the simulated store replies as the real server, to any sequence of requests', async () => {
  const requests = await compareStores(server, { sequences: SEQUENCES });

  expect(requests).toBeGreaterThanOrEqual(10 * SEQUENCES);
});
