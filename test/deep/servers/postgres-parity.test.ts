import { migration } from '@holdfast/postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PostgresServer } from '../../../harness/test/kit/real-servers.ts';
import { compareServers } from '../../parity/support/postgres-comparison.ts';

/** 200 000 operations between them, each with a look at what it left. */
const SEEDS = Array.from({ length: 20 }, (_, i) => `${i + 1}`);
const OPERATIONS = Number(process.env['HOLDFAST_OPERATIONS'] ?? 10_000);
const EMPTY = 'TRUNCATE holdfast.locks_v1, holdfast.marks_v1, holdfast.members_v1';
/** Each waits 2 ms, so that a lease of 1 ms has expired. */
const TIMEOUT_MS = 1_800_000;

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
  await server.sql(migration());
});
afterAll(() => server.close());

test.each(SEEDS)(
  'operations in great number agree with a real server, seed %s',
  async (seed) => {
    await server.sql(EMPTY);

    const kinds = await compareServers(server, { operations: OPERATIONS, seed });

    expect([...kinds]).toContain('adopt 2');
    await server.sql(EMPTY);
    const inModes = await compareServers(server, { operations: OPERATIONS, seed, modes: true });
    expect([...inModes]).toContain('adopt 4');
  },
  TIMEOUT_MS,
);
