import { migration } from '@holdfast/postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresServer } from '../../harness/test/kit/real-servers.ts';
import { compareServers } from './support/postgres-comparison.ts';

const OPERATIONS = 500;

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
  await server.sql(migration());
});
afterAll(() => server.close());

test(`${OPERATIONS} random operations have the same outcome on the simulated server as on a real one`, async () => {
  const kinds = await compareServers(server, { operations: OPERATIONS, seed: 'parity' });

  expect([...kinds]).toEqual(
    expect.arrayContaining([
      'acquire 1',
      'acquire 2',
      'renew 1',
      'renew 2',
      'adopt 2',
      'release 0',
      'release 1',
    ]),
  );
});
