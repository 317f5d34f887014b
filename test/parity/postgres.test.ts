import { migration } from '@holdfast/postgres';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PostgresServer } from '../../harness/test/kit/real-servers.ts';
import { compareServers } from './support/postgres-comparison.ts';

const OPERATIONS = 500;
const MODES = 500;

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
  await server.sql(migration());
});
beforeEach(() => server.sql('TRUNCATE holdfast.locks_v1, holdfast.marks_v1, holdfast.members_v1'));
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

test(`${MODES} random operations of readers, writers and semaphores leave the same, too`, async () => {
  const kinds = await compareServers(server, { operations: MODES, seed: '1', modes: true });

  // The lock of the row, the token or the place; then the state, and which waiters it wakes.
  expect([...kinds]).toEqual(
    expect.arrayContaining([
      'acquire 3',
      'adopt 4',
      'renew 3',
      'release 2',
      'leave 2',
      'members 4',
    ]),
  );
});
