import type { LockEvent } from '@holdfast/core';
import { createHost } from '@holdfast/core/backend';
import { createSchema, migration, openPostgres } from '@holdfast/postgres';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { Bench } from '../kit.ts';

const WAITERS = 300;
const PASSWORD = 's3cret:/@pass';

let bench: Bench;
const sql = (text: string): Promise<string> => bench.server.sql(text);

beforeAll(async () => {
  // The language of the server's messages, once a locale other than C is set.
  vi.stubEnv('LANGUAGE', 'de');
  bench = await Bench.start({ password: PASSWORD });
});
afterEach(() => bench.clear());
afterAll(async () => {
  vi.unstubAllEnvs();
  await bench.close();
});

function urlOf(user: string, password: string): string {
  const url = new URL(bench.server.url);
  Object.assign(url, { username: user, password: encodeURIComponent(password) });
  return url.href;
}

/** Creates a user with these rights, who is removed after the test. */
async function userWith(rights: string): Promise<string> {
  await sql(`CREATE USER app PASSWORD 'app-password'; ${rights}`);
  bench.closeLater(() => sql('DROP OWNED BY app; DROP USER app'));
  return urlOf('app', 'app-password');
}

const GRANTS = migration()
  .split('\n')
  .filter((line) => line.startsWith('-- GRANT'))
  .map((line) => line.slice('-- '.length))
  .join('\n');

describe.each(['pg', 'postgres'] as const)('through %s', (library) => {
  test('the rights that the migration prints are enough to lock, wait, renew and keep marks', async () => {
    const source = await userWith(GRANTS);
    const { locks, events } = await bench.open({ source, library });
    const { locks: others } = await bench.open({ source, library });
    const lease = await locks.acquire('k');
    const waiting = others.acquire('k');
    await lease.extend(20_000);
    await lease.release();

    await expect(waiting).resolves.toMatchObject({ key: 'k' });
    expect(await locks.health()).toMatchObject({ ok: true });
    expect(events.filter(({ type }) => type === 'node')).toEqual([]);
  });

  test('a user without a right is refused when it opens, and told which', async () => {
    const source = await userWith(GRANTS.replace(', UPDATE', ''));

    await expect(bench.open({ source, library })).rejects.toThrow('SELECT, INSERT and UPDATE');
  });

  test('a user who may only read is refused when it opens, and told what it lacks', async () => {
    const source = await userWith(GRANTS.replaceAll(/, (?:INSERT|UPDATE|DELETE)/g, ''));

    await expect(bench.open({ source, library })).rejects.toThrow('SELECT, INSERT and UPDATE');
  });

  test('a role whose transactions only read can lock nothing, and its errors say so', async () => {
    const source = await userWith(GRANTS);
    await sql('ALTER ROLE app SET default_transaction_read_only = on');
    const { locks } = await bench.open({ source, library });

    await expect(locks.acquire('k', { waitMs: 0 })).rejects.toMatchObject({
      message: expect.stringContaining('read-only transaction'),
    });
  });

  test('a wrong password is refused, and in no error', async () => {
    const opening = bench.open({ source: urlOf('holdfast', 'wrong-password'), library });
    const error: unknown = await opening.catch((cause: unknown) => cause);

    expect(error).toMatchObject({ code: 'CONFIG', message: expect.stringContaining('password') });
    for (let each = error; each instanceof Error; each = each.cause) {
      const shown = `${each.message} ${each.stack} ${JSON.stringify(each)}`;
      expect(shown).not.toContain('wrong-password');
    }
  });

  test('without its tables it is refused, and says how to create them', async () => {
    await expect(bench.open({ schema: 'elsewhere', library })).rejects.toThrow(
      'holdfast schema postgres',
    );
  });

  test('a database that is missing is named, without a word of tables', async () => {
    const source = bench.server.url.replace(/[^/]*$/, 'none');
    const error = await bench.open({ source, library }).catch(String);

    expect(error).toContain('database "none" does not exist');
    expect(error).not.toContain('holdfast schema');
  });

  test('defaults of the role that would weaken it do not: isolation, and a commit that waits for nothing', async () => {
    await sql(
      "ALTER ROLE holdfast SET default_transaction_isolation = 'serializable'; ALTER ROLE holdfast SET synchronous_commit = off",
    );
    bench.closeLater(() => sql('ALTER ROLE holdfast RESET ALL'));
    await bench.server.configure('synchronous_standby_names', 'nobody');
    bench.closeLater(() => bench.server.configure('synchronous_standby_names'));
    const { locks } = await bench.open({ library, ttlMs: 1_000 });

    // There is no such standby, so a commit that waits does not end.
    await expect(locks.acquire('k', { waitMs: 0 })).rejects.toMatchObject({
      code: 'OUTCOME_UNKNOWN',
    });
  });
});

test.each([
  ['a pool of pg', () => new pg.Pool({ connectionString: bench.server.url, max: 4 })],
  [
    'an instance of postgres',
    () => postgres(bench.server.url, { max: 4, onnotice: () => undefined }),
  ],
])(
  '%s: 300 callers at once for 300 keys, and for one, all get their turn by 4 connections',
  async (_, make) => {
    const client = make();
    bench.closeLater(() => client.end());
    const { locks } = await bench.open({ source: client, ttlMs: 30_000, connections: 4 });
    let holders = 0;
    const body = async (): Promise<void> => {
      holders += 1;
      expect(holders).toBe(1);
      await Promise.resolve();
      holders -= 1;
    };
    const keys = Array.from({ length: WAITERS }, (__, at) => `k${at}`);

    await Promise.all(keys.map((key) => locks.use(key, () => undefined, { waitMs: 60_000 })));
    await Promise.all(keys.map(() => locks.use('one', body, { waitMs: 60_000 })));

    expect(Number(await sql('SELECT count(*) FROM holdfast.locks_v1 WHERE owner IS NULL'))).toBe(
      WAITERS + 1,
    );
    const open = await sql(
      "SELECT count(*) FROM pg_stat_activity WHERE application_name <> 'psql' AND backend_type = 'client backend'",
    );
    expect(Number(open)).toBeLessThanOrEqual(4);
  },
);

test('a connection that came back to its pool inside a transaction grants nothing', async () => {
  const pool = new pg.Pool({ connectionString: bench.server.url, max: 1 });
  bench.closeLater(() => pool.end());
  const { locks } = await bench.open({ source: pool });
  const careless = await pool.connect();
  await careless.query('BEGIN');
  careless.release();

  await expect(locks.acquire('k', { waitMs: 0 })).rejects.toMatchObject({
    code: 'BACKEND_UNAVAILABLE',
  });
  expect(await sql('SELECT count(*) FROM holdfast.locks_v1')).toBe('0');
});

test('commits that wait for a dead standby take no more connections than the limit, and serve when it is back', async () => {
  const connections =
    "SELECT count(*) FROM pg_stat_activity WHERE application_name <> 'psql' AND backend_type = 'client backend'";
  await bench.server.configure('synchronous_standby_names', 'nobody');
  bench.closeLater(() => bench.server.configure('synchronous_standby_names'));
  const { locks } = await bench.open({ ttlMs: 1_000, connections: 2 });
  for (const key of ['a', 'b', 'c', 'd', 'e'])
    await locks.acquire(key, { waitMs: 0 }).catch(() => undefined);

  expect(Number(await sql(connections))).toBeLessThanOrEqual(2);
  await bench.server.configure('synchronous_standby_names');
  await expect(locks.acquire('f')).resolves.toMatchObject({ key: 'f' });
});

test.each([
  ['English', 'C', 'canceling wait for synchronous replication'],
  ['German, if that is installed', 'C.UTF-8', /canceling wait|storniere Warten/],
])(
  'a commit that was cancelled while it waited for standbys is unknown, not a success: in %s',
  async (_, locale, text) => {
    await bench.server.configure('lc_messages', locale);
    bench.closeLater(() => bench.server.configure('lc_messages', 'C'));
    await bench.server.configure('synchronous_standby_names', 'nobody');
    bench.closeLater(() => bench.server.configure('synchronous_standby_names'));
    const { locks, events } = await bench.open({ synchronous: true, ttlMs: 30_000 });
    const acquiring = locks.acquire('k', { waitMs: 0 }).catch((error: unknown) => error);
    const waits = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
    await expect.poll(() => sql(waits)).not.toBe('');
    await sql(`SELECT pg_cancel_backend(pid) FROM (${waits}) AS waiting`);

    expect(await acquiring).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    const doubt: LockEvent | undefined = events.find(({ type }) => type === 'node');
    expect(doubt).toMatchObject({
      outcome: 'unknown',
      cause: { message: expect.stringMatching(text) },
    });
  },
);

test('synchronous is refused without standbys when it opens, and when they are removed later', async () => {
  await expect(bench.open({ synchronous: true })).rejects.toThrow('synchronous_standby_names');
  await bench.server.configure('synchronous_standby_names', 'nobody');
  const { locks } = await bench.open({ synchronous: true });
  await bench.server.configure('synchronous_standby_names');

  await expect(locks.acquire('k')).rejects.toThrow('synchronous_standby_names');
  expect(await sql('SELECT count(*) FROM holdfast.locks_v1')).toBe('0');
});

test('tokens grow though the clock went back, and though the row was pruned', async () => {
  const { locks } = await bench.open();
  const ahead = 9_000_000_000_000_000n;
  const first = await locks.acquire('k');
  await first.release();
  await sql(`UPDATE holdfast.locks_v1 SET token = ${ahead}`);
  const second = await locks.acquire('k');
  await second.release();
  await sql('DELETE FROM holdfast.locks_v1');
  const third = await locks.acquire('k');

  expect(second.fencingToken).toBe(ahead + 1n);
  expect(third.fencingToken).toBeGreaterThan(first.fencingToken ?? 0n);
});

test('a server that crashes keeps its locks: the holder still holds, another one waits', async () => {
  const { locks } = await bench.open();
  const { locks: others } = await bench.open();
  const lease = await locks.acquire('k');
  await bench.server.restart();

  await expect(others.tryAcquire('k')).resolves.toBeNull();
  await expect(lease.release()).resolves.toMatchObject({ kind: 'released' });
});

test('a backend opens on a server that is down, and locks once it is up', async () => {
  bench.server.kill();
  const { locks, events } = await bench.open();
  expect(events).toContainEqual(expect.objectContaining({ code: 'unchecked-server' }));
  await expect(locks.acquire('k', { waitMs: 0 })).rejects.toMatchObject({
    code: 'BACKEND_UNAVAILABLE',
  });
  await bench.server.restart();

  await expect(locks.acquire('k')).resolves.toMatchObject({ key: 'k' });
});

test('createSchema creates what openPostgres needs, also when two clients run it at once', async () => {
  const schema = 'it "is" fine';
  bench.closeLater(() => sql('DROP SCHEMA "it ""is"" fine" CASCADE'));
  const options = { source: bench.server.url, schema };
  await Promise.all([1, 2, 3].map(() => createSchema(options, createHost())));

  const { locks } = await bench.open({ schema });
  await expect(locks.use('k', () => 'done')).resolves.toBe('done');
});

test('a source that is none is refused before anything connects', async () => {
  const host = createHost();
  const wrong = [
    {},
    { source: bench.server.url, connections: 0 },
    { source: 'postgres://u:p/w@h' },
  ];
  for (const options of wrong)
    await expect(openPostgres(options, host)).rejects.toMatchObject({
      message: expect.not.stringContaining('p/w'),
    });
});
