import { LockLostError } from '@holdfast/core';
import { createHost, createLocks } from '@holdfast/core/backend';
import {
  createSchema,
  migration,
  openPostgres,
  type PostgresDatabase,
  within,
} from '@holdfast/postgres';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Bench, modeStatementsOf, openDatabase, tablesOf } from '../kit.ts';

const CALLERS = 120;
const PERMITS = 20;
const GRANTS = migration()
  .split('\n')
  .filter((line) => line.startsWith('-- GRANT'))
  .map((line) => line.slice('-- '.length))
  .join('\n');
/** The acquisition of release 1.0, word for word: it knows neither readers nor permits. */
const EARLIER_ACQUIRE = `
INSERT INTO holdfast.locks_v1 AS stored (namespace, key, owner, expires_at, token)
SELECT 'holdfast', 'k', 'old:1:x', clock_timestamp() + 60000 * interval '1 millisecond', (extract(epoch FROM clock_timestamp()) * 1000000)::bigint
WHERE NOT EXISTS (SELECT FROM holdfast.locks_v1 AS seen WHERE seen.namespace = 'holdfast' AND seen.key = 'k' AND (seen.owner IS NULL OR (seen.owner ~ '^[^:]+:[0-9]+:' AND (seen.expires_at <= clock_timestamp() OR (substring(seen.owner FROM '^([^:]+):') = substring('old:1:x' FROM '^([^:]+):') AND substring(seen.owner FROM '^[^:]+:([0-9]+):')::numeric < substring('old:1:x' FROM '^[^:]+:([0-9]+):')::numeric)))) IS NOT TRUE)
ON CONFLICT (namespace, key) DO UPDATE
SET owner = excluded.owner, expires_at = clock_timestamp() + 60000 * interval '1 millisecond', token = greatest(stored.token + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
WHERE (stored.owner IS NULL OR (stored.owner ~ '^[^:]+:[0-9]+:' AND (stored.expires_at <= clock_timestamp() OR (substring(stored.owner FROM '^([^:]+):') = substring('old:1:x' FROM '^([^:]+):') AND substring(stored.owner FROM '^[^:]+:([0-9]+):')::numeric < substring('old:1:x' FROM '^[^:]+:([0-9]+):')::numeric))))
RETURNING 'granted'`;

let bench: Bench;
let pool: pg.Pool;
const sql = (text: string): Promise<string> => bench.server.sql(text);

beforeAll(async () => {
  bench = await Bench.start();
  pool = new pg.Pool({ connectionString: bench.server.url });
});
afterEach(() => bench.clear());
afterAll(async () => {
  await pool.end();
  await bench.close();
});

/** A transaction of the user, which ends with the bench if the test does not end it. */
async function begin(): Promise<pg.PoolClient> {
  const client = await pool.connect();
  await client.query('BEGIN');
  bench.closeLater(async () => {
    await client.query('ROLLBACK');
    client.release();
  });
  return client;
}

describe('a process of the earlier release', () => {
  test.each(['read', 'semaphore'] as const)(
    'finds a key taken that a %s holds, until the last hold is over, and ends the holds that expired',
    async (kind) => {
      const { locks } = await bench.open();
      const lock = kind === 'read' ? locks.read('k') : locks.semaphore('k', 3);
      const first = await lock.acquire();
      const second = await lock.acquire();
      expect(await sql(EARLIER_ACQUIRE)).toBe('');
      await first.release();
      expect(await sql(EARLIER_ACQUIRE)).toBe('');
      await second.release();
      expect(await sql(EARLIER_ACQUIRE)).toContain('granted');
      await sql('UPDATE holdfast.locks_v1 SET owner = NULL');

      const late = await lock.acquire();
      await sql("UPDATE holdfast.locks_v1 SET expires_at = clock_timestamp() - interval '1 s'");
      expect(await sql(EARLIER_ACQUIRE)).toContain('granted');
      await expect(late.extend(20_000)).rejects.toThrow(LockLostError);
      await expect(lock.tryAcquire()).resolves.toBeNull();
    },
  );

  test('has created its tables: exclusive locks work, a mode is refused and names the migration, which then helps', async () => {
    const schema = 'earlier';
    bench.closeLater(() => sql('DROP SCHEMA earlier CASCADE'));
    const options = { source: bench.server.url, schema };
    await createSchema(options, createHost());
    await sql('DROP TABLE earlier.members_v1');
    const { locks, events } = await bench.open({ schema });
    const lease = await locks.acquire('k');
    await lease.extend(20_000);
    const tx = await begin();
    await within(lease, tx, { schema });
    await tx.query('COMMIT');
    await lease.release();
    await locks.forceRelease('k');
    expect(events.filter(({ type }) => type === 'node')).toEqual([]);

    for (const lock of [locks.read('k'), locks.write('k'), locks.semaphore('k', 2)])
      await expect(lock.acquire()).rejects.toMatchObject({
        code: 'CONFIG',
        message: expect.stringContaining('holdfast schema postgres'),
      });
    await createSchema(options, createHost());
    await expect(locks.read('k').use(() => 'read')).resolves.toBe('read');
  });
});

test('the rights that the migration prints are enough for every mode, and a user without them is told', async () => {
  await sql(`CREATE USER app; ${GRANTS}`);
  bench.closeLater(() => sql('DROP OWNED BY app; DROP USER app'));
  const url = new URL(bench.server.url);
  url.username = 'app';
  const { locks, events } = await bench.open({ source: url.href });
  const writer = await locks.write('k').acquire();
  const waiting = locks.read('k').acquire();
  const reader = await locks.downgrade(writer);
  await (await waiting).extend(20_000);
  await reader.release();
  await locks.semaphore('s', 2).use(() => undefined);
  expect(events.filter(({ type }) => type === 'node')).toEqual([]);

  await sql('REVOKE DELETE ON holdfast.members_v1 FROM app');
  await expect(locks.read('k').acquire()).rejects.toMatchObject({
    code: 'NOPERM',
    message: expect.stringContaining('DELETE on members_v1'),
  });
});

describe('within', () => {
  test('keeps writers out for a reader, also once its lease has expired; other readers come, renew and go', async () => {
    const { locks } = await bench.open();
    const { locks: others } = await bench.open();
    const late = await locks.read('k').acquire();
    const tx = await begin();
    await within(late, tx);
    const beside = await others.read('k').acquire();
    await beside.extend(1_000);
    await expect(beside.release()).resolves.toMatchObject({ kind: 'released' });
    for (const table of ['locks_v1', 'members_v1'])
      await sql(`UPDATE holdfast.${table} SET expires_at = clock_timestamp() - interval '1 s'`);

    for (const lock of [others.write('k'), { acquire: others.acquire.bind(others, 'k') }])
      await expect(lock.acquire({ waitMs: 600 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
    await tx.query('COMMIT');
    const next = await others.write('k').acquire();

    expect(next.fencingToken).toBeGreaterThan(late.fencingToken ?? 0n);
    await expect(within(late, await begin())).rejects.toThrow(LockLostError);
  });

  test('refuses a reader that was dropped beside others, and holders of permits', async () => {
    const { locks } = await bench.open();
    const gone = await locks.read('k').acquire();
    const beside = await locks.read('k').acquire();
    await sql(`DELETE FROM holdfast.members_v1 WHERE owner = '${gone.owner}'`);
    await within(beside, await begin());
    await expect(within(gone, await begin())).rejects.toThrow(LockLostError);

    const permit = await locks.semaphore('s', 2).acquire();
    await expect(within(permit, await begin())).rejects.toThrow('the lease is of a semaphore');
  });
});

test(`${CALLERS} readers and writers of two processes wait by 4 connections each: writers are alone, and nobody is left waiting`, async () => {
  const [first, second] = [
    await bench.open({ ttlMs: 30_000 }),
    await bench.open({ ttlMs: 30_000 }),
  ];
  const holds = { readers: 0, writers: 0 };
  const beside: object[] = [];
  const hold = async (kind: 'readers' | 'writers'): Promise<void> => {
    holds[kind] += 1;
    if (holds.writers > 0 && holds.readers + holds.writers > 1) beside.push({ ...holds });
    await Promise.resolve();
    holds[kind] -= 1;
  };
  const call = (at: number): Promise<void> => {
    const { locks } = at % 2 === 0 ? first : second;
    const [lock, kind] =
      at % 10 === 9
        ? ([locks.write('k'), 'writers'] as const)
        : ([locks.read('k'), 'readers'] as const);
    return lock.use(() => hold(kind), { waitMs: 120_000 });
  };

  await Promise.all(Array.from({ length: CALLERS }, (_, at) => call(at)));

  expect(beside).toEqual([]);
  expect(await sql('SELECT count(*) FROM holdfast.members_v1')).toBe('0');
}, 120_000);

test(`${CALLERS} callers of a semaphore of ${PERMITS} in two processes: never more hold, and all get their turn`, async () => {
  const [first, second] = [
    await bench.open({ ttlMs: 30_000 }),
    await bench.open({ ttlMs: 30_000 }),
  ];
  let used = 0;
  let most = 0;
  const call = async (at: number): Promise<void> => {
    const { locks } = at % 2 === 0 ? first : second;
    const count = (at % 3) + 1;
    const lease = await locks.semaphore('k', PERMITS).acquire(count, { waitMs: 120_000 });
    used += count;
    most = Math.max(most, used);
    await Promise.resolve();
    used -= count;
    await lease.release();
  };

  await Promise.all(Array.from({ length: CALLERS }, (_, at) => call(at)));

  expect(most).toBeLessThanOrEqual(PERMITS);
  expect(await sql('SELECT count(*) FROM holdfast.members_v1')).toBe('0');
}, 120_000);

test('permits that are given back are granted to waiters of the same process by the same message, in order', async () => {
  const host = createHost({ label: 'test' });
  const database = await openDatabase(bench.server.url, { runtime: host.runtime });
  const messages: string[] = [];
  const backend = await openPostgres({ database: recorded(database, messages) }, host);
  const locks = createLocks(backend, host, { ttlMs: 30_000, waitMs: 60_000 });
  bench.closeLater(async () => {
    await locks.close({ timeoutMs: 100 });
    await database.close();
  });
  const semaphore = locks.semaphore('k', 2);
  const held = await Promise.all([semaphore.acquire(), semaphore.acquire()]);
  const granted: number[] = [];
  const waiting = [];
  for (let n = 0; n < 4; n++) {
    waiting.push(semaphore.acquire().finally(() => granted.push(n)));
    const members = `${held.length + n + 1}`;
    await vi.waitFor(async () => {
      expect(await sql('SELECT count(*) FROM holdfast.members_v1')).toBe(members);
    });
  }
  messages.length = 0;

  const released = Promise.all(held.map((lease) => lease.release()));
  const next = await Promise.all(waiting.slice(0, 2));
  expect((await released).map(({ kind }) => kind)).toEqual(['released', 'released']);
  expect(granted).toEqual([0, 1]);
  expect(messages.filter((name) => name !== 'keep')).toEqual(['acquire']);
  await Promise.all(next.map((lease) => lease.release()));
  await Promise.all((await Promise.all(waiting.slice(2))).map((lease) => lease.release()));
}, 60_000);

test('a poll that gets no permit does not wait for a standby that is away', async () => {
  const host = createHost({ label: 'test' });
  const database = await openDatabase(bench.server.url, { runtime: host.runtime });
  const { locks } = await bench.open();
  await locks.semaphore('k', 1).acquire();
  await sql("ALTER SYSTEM SET synchronous_standby_names = 'away'");
  await sql('SELECT pg_reload_conf()');
  try {
    await expect.poll(() => sql('SHOW synchronous_standby_names')).toBe('away');
    const { acquireUncalled } = modeStatementsOf(tablesOf(undefined), false);
    const args = ['holdfast', 'k', 'c:1:x', 10_000, 'x', 1, 1, 3_000, 'prefix ', 'payload', ''];
    const deadlineMs = host.runtime.now().monotonicMs + 10_000;
    const { rows } = await database.run(acquireUncalled.permits, args, { deadlineMs });

    expect(rows.find((row) => 'is_synchronous' in row)).toMatchObject({ is_synchronous: 'true' });
    expect(rows.filter((row) => 'token' in row)).toEqual([]);
  } finally {
    await sql('ALTER SYSTEM RESET synchronous_standby_names');
    await sql('SELECT pg_reload_conf()');
    await database.close();
  }
});

/** The same database, which tells what it runs. */
function recorded(database: PostgresDatabase, messages: string[]): PostgresDatabase {
  return {
    address: database.address,
    run: (statement, args, options) => {
      messages.push(statement.name);
      return database.run(statement, args, options);
    },
    listen: (channel, listener, options) => database.listen(channel, listener, options),
    openSession: (options) => database.openSession(options),
    close: () => database.close(),
  };
}
