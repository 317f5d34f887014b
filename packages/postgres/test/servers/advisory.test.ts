import { createHost, createLocks } from '@holdfast/core/backend';
import { openPostgresAdvisory, type PostgresAdvisoryOptions } from '@holdfast/postgres';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { findPgBouncer, PgBouncer } from '../../../../harness/test/kit/real-servers.ts';
import { Bench } from '../kit.ts';

const TTL_MS = 3_000;
const HOLDERS = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'";

let bench: Bench;

beforeAll(async () => {
  bench = await Bench.start();
});
afterEach(() => bench.closeAll());
afterAll(() => bench.close());

/** Opens locks as one process. */
async function open(label: string, options: PostgresAdvisoryOptions = {}) {
  const host = createHost({ label });
  const source = options.source ?? bench.server.url;
  const backend = await openPostgresAdvisory({ ttlMs: TTL_MS, ...options, source }, host);
  const locks = createLocks(backend, host);
  bench.closeLater(() => locks.close({ timeoutMs: 100 }));
  return locks;
}

function kill(label: string): Promise<string> {
  const of = `FROM pg_stat_activity WHERE application_name = '${label}'`;
  return bench.server.sql(`SELECT pg_terminate_backend(pid) ${of}`);
}

test('a session that is ended frees all its keys at once, and tells its leases', async () => {
  const a = await open('a');
  const b = await open('b');
  const leases = [await a.acquire('one'), await a.acquire('two')];
  const lost = leases.map(({ signal }) => signal);

  await kill('a');

  await expect(b.acquire('one')).resolves.toMatchObject({ key: 'one' });
  await expect.poll(() => lost.every(({ aborted }) => aborted), { interval: 5 }).toBe(true);
  await expect(a.acquire('two')).resolves.toMatchObject({ key: 'two' });
});

test('one session locks a key once: the second caller of a process waits for the first', async () => {
  const a = await open('a');
  const lease = await a.acquire('k');

  expect(await a.tryAcquire('k')).toBeNull();
  await lease.release();

  await expect(a.tryAcquire('k')).resolves.toMatchObject({ key: 'k' });
});

test('nothing stays locked after the release, nor after the end of a wait', async () => {
  const a = await open('a');
  const b = await open('b');
  await a.use('k', async () => {
    await expect(b.acquire('k', { waitMs: 50 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
  });

  expect(await bench.server.sql(HOLDERS)).toBe('0');
});

test('a user without any right to a table can lock', async () => {
  await bench.server.sql("CREATE USER app PASSWORD 'app-password'");
  const source = new URL(bench.server.url);
  source.username = 'app';
  const a = await open('a', { source: source.href });

  await expect(a.acquire('k')).resolves.toMatchObject({ key: 'k' });
});

test('the same key in two namespaces is two locks, and psql finds the number of one', async () => {
  const a = await open('a');
  const b = await open('b', { namespace: 'other' });
  await a.acquire('orders/42');
  await b.acquire('orders/42');

  const number = "hashtextextended(E'holdfast\\norders/42', 0)";
  expect(await bench.server.sql(`SELECT pg_try_advisory_lock(${number})`)).toBe('f');
});

test.skipIf(findPgBouncer() === undefined).for([
  ['transaction', /^ConfigError: postgres-advisory: .*transaction pooler/],
  ['session', /^opened$/],
] as const)(
  'behind a pooler of kind %s opening is refused unless its sessions are ours',
  async ([mode, outcome]) => {
    const pooler = await PgBouncer.start(bench.server, { mode });
    const opening = open('a', { source: pooler.url }).then(async (locks) => {
      await locks.use('k', async () => {});
      return 'opened';
    }, String);

    expect(await opening).toMatch(outcome);
    await bench.closeAll();
    await pooler.close();
  },
);

test.each(['pg', 'postgres'] as const)(
  'through %s a connection that another client has marked is refused',
  async (library) => {
    const url = new URL(bench.server.url);
    url.searchParams.set('options', '-c holdfast.session=another');

    await expect(open('a', { source: url.href, library })).rejects.toThrow(/marked the session/);
  },
);
