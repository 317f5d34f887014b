import { type LockEvent, type Locks } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../../../packages/postgres/test/kit.ts';
import { openNaive } from '../../../src/exhibits/stores/naive.ts';
import { APP_LOCKS, postgresNow } from '../../../src/exhibits/stores/postgres-now.ts';
import { PostgresServer } from '../../kit/real-servers.ts';

const TTL_MS = 2_000;
/** So long B waits for A, in its transaction. */
const WAITED_MS = 1_500;

let server: PostgresServer;
const opened: Locks[] = [];

beforeAll(async () => {
  server = await PostgresServer.start();
  await server.sql(APP_LOCKS);
});
afterAll(async () => {
  for (const locks of opened) await locks.close();
  await server.close();
});

async function open(label: string, clock: string): Promise<Locks> {
  const host = { ...createHost({ label }), emit: (_: LockEvent) => undefined };
  const database = await openDatabase(server.url, { runtime: host.runtime });
  const connect = async () => {
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    return {
      query: (text: string, values: readonly (string | number)[]) =>
        client.query(text, [...values]),
      close: () => void client.end(),
    };
  };
  const backend = await openNaive(postgresNow(database, connect, clock), host);
  const close = (): Promise<void> => database.close();
  const locks = createLocks({ ...backend, close }, host, { ttlMs: TTL_MS });
  opened.push(locks);
  return locks;
}

test.each([
  { clock: 'now()', taken: true },
  { clock: 'clock_timestamp()', taken: false },
])(
  'on a real server, with $clock, a second client holds beside one that waited: $taken',
  async ({ clock, taken }) => {
    const a = await open('a', clock);
    const b = await open('b', clock);
    const first = await a.acquire(clock);
    const waiting = b.acquire(clock, { waitMs: 2 * TTL_MS });
    await new Promise((resolve) => setTimeout(resolve, WAITED_MS));
    await first.release();
    const waited = await waiting;
    // A ttl after B had begun; the lease of B has most of its time left.
    await new Promise((resolve) => setTimeout(resolve, TTL_MS - WAITED_MS + 100));

    const isTaken = await a.acquire(clock, { waitMs: 0 }).then(
      () => true,
      () => false,
    );

    expect(isTaken).toBe(taken);
    expect(waited.remainingMs()).toBeGreaterThan(0);
  },
);
