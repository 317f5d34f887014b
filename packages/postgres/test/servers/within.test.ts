import { LockLostError } from '@holdfast/core';
import { within } from '@holdfast/postgres';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Bench } from '../kit.ts';

const EXPIRE = "UPDATE holdfast.locks_v1 SET expires_at = clock_timestamp() - interval '1 s'";
const UNIQUE = 'CREATE UNIQUE INDEX locks_v1_token ON holdfast.locks_v1 (token, namespace, key)';

let bench: Bench;
let pool: pg.Pool;

beforeAll(async () => {
  bench = await Bench.start();
  await bench.server.sql('CREATE TABLE effects (writer text)');
  pool = new pg.Pool({ connectionString: bench.server.url });
});
afterEach(async () => {
  await bench.clear();
  await bench.server.sql('TRUNCATE effects');
});
afterAll(async () => {
  await pool.end();
  await bench.close();
});

/** A transaction of the user, which ends with the bench if the test does not end it. */
async function begin(isolation = 'READ COMMITTED'): Promise<pg.PoolClient> {
  const client = await pool.connect();
  await client.query(`BEGIN ISOLATION LEVEL ${isolation}`);
  bench.closeLater(async () => {
    await client.query('ROLLBACK');
    client.release();
  });
  return client;
}

const effects = (): Promise<string> => bench.server.sql('SELECT writer FROM effects');

test('a holder whose key was taken over is stopped in its own transaction', async () => {
  const { locks: first } = await bench.open({ label: 'first' });
  const { locks: second } = await bench.open({ label: 'second' });
  const late = await first.acquire('k');
  await bench.server.sql(EXPIRE);
  await second.acquire('k', { waitMs: 0 });

  const tx = await begin();
  await expect(within(late, tx)).rejects.toThrow(LockLostError);
});

test('while the transaction is open, nobody takes over, although the lease has expired; then the next one does', async () => {
  const { locks: first } = await bench.open();
  const { locks: second } = await bench.open({ ttlMs: 1_000 });
  const lease = await first.acquire('k');
  const tx = await begin();
  await within(lease, tx);
  await bench.server.sql(EXPIRE);

  await expect(second.acquire('k', { waitMs: 300 })).rejects.toMatchObject({
    code: 'LOCK_TIMEOUT',
  });
  await tx.query("INSERT INTO effects VALUES ('late')");
  await tx.query('COMMIT');
  const next = await second.acquire('k');

  expect(next.fencingToken).toBeGreaterThan(lease.fencingToken ?? 0n);
  expect(await effects()).toBe('late');
});

test('the mutant: without the unique index on the token, the key is taken over beside the open transaction', async () => {
  const { locks: first } = await bench.open();
  const { locks: second } = await bench.open();
  const lease = await first.acquire('k');
  await bench.server.sql('DROP INDEX holdfast.locks_v1_token');
  bench.closeLater(() => bench.server.sql(UNIQUE));
  const tx = await begin();
  await within(lease, tx);
  await bench.server.sql(EXPIRE);

  const stolen = await second.acquire('k', { waitMs: 0 });

  await tx.query("INSERT INTO effects VALUES ('late')");
  await tx.query('COMMIT');
  expect(stolen.state).toBe('held');
});

describe.each(['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'])('in %s', (isolation) => {
  test('a renewal passes, before the check and after it, also while another client waits', async () => {
    const { locks } = await bench.open();
    const { locks: others } = await bench.open();
    const lease = await locks.acquire('k');
    const tx = await begin(isolation);
    await tx.query('SELECT 1 FROM effects');
    await lease.extend(20_000);
    await within(lease, tx);
    const waiting = others.acquire('k', { waitMs: 5_000 });
    await lease.extend(30_000);
    await tx.query('COMMIT');
    await lease.release();

    await expect(waiting).resolves.toMatchObject({ key: 'k' });
  });

  test('a holder that lost the key before the check is stopped', async () => {
    const { locks } = await bench.open();
    const lease = await locks.acquire('k');
    const tx = await begin(isolation);
    await tx.query('SELECT 1 FROM effects');
    await locks.forceRelease('k');

    await expect(within(lease, tx)).rejects.toThrow(
      isolation === 'READ COMMITTED' ? 'is not held any more' : 'could not serialize access',
    );
  });
});

test('a release inside the transaction is unknown, names the reason, and happens after the commit', async () => {
  const { locks, events } = await bench.open({ ttlMs: 2_000 });
  const lease = await locks.acquire('k');
  const tx = await begin();
  await within(lease, tx);

  const released = await lease.release();
  await tx.query('COMMIT');

  expect(released).toMatchObject({
    kind: 'unknown',
    cause: { name: 'RowLocked', message: expect.stringContaining('is still open') },
  });
  expect(events).toContainEqual(expect.objectContaining({ type: 'node', outcome: '55P03' }));
  await expect.poll(() => locks.inspect('k')).toMatchObject({ held: false });
});

test('through postgres, in a transaction of its begin', async () => {
  const sql = postgres(bench.server.url, { max: 1 });
  bench.closeLater(() => sql.end());
  const { locks } = await bench.open();

  await locks.use('k', (lease) =>
    sql.begin(async (tx) => {
      await within(lease, tx);
      await tx`INSERT INTO effects VALUES ('in time')`;
    }),
  );

  expect(await effects()).toBe('in time');
});

test('outside of a transaction it is refused, because it would protect nothing', async () => {
  const { locks } = await bench.open();
  const lease = await locks.acquire('k');

  await expect(within(lease, pool)).rejects.toMatchObject({ code: 'CAPABILITY' });
});

test('the fencing epoch in the token of the lease is not that of the row', async () => {
  const { locks } = await bench.open();
  const { key, owner, fencingToken = 0n } = await locks.acquire('k');
  const tx = await begin();

  await within({ key, owner, fencingToken: fencingToken + 3n * 2n ** 53n }, tx);
  await expect(within({ key, owner, fencingToken: fencingToken + 1n }, tx)).rejects.toThrow(
    LockLostError,
  );
});

test('a token of 2^53 or more is that of its row, to the last digit', async () => {
  const { locks } = await bench.open();
  await locks.use('k', () => Promise.resolve());
  const last = 2n ** 53n + 1n;
  await pool.query('UPDATE holdfast.locks_v1 SET token = $1', [`${last}`]);
  const lease = await locks.acquire('k');
  const { key, owner, fencingToken } = lease;
  const tx = await begin();

  expect(fencingToken).toBe(last + 1n);
  expect(await locks.inspect('k')).toMatchObject({ fencingToken });
  await within(lease, tx);
  await expect(within({ key, owner, fencingToken: last }, tx)).rejects.toThrow(LockLostError);
});

test('a lease of another namespace, or of another backend, is refused', async () => {
  const { locks } = await bench.open({ namespace: 'other' });
  const lease = await locks.acquire('k');
  const tx = await begin();

  await within(lease, tx, { namespace: 'other' });
  await expect(within(lease, tx)).rejects.toThrow(LockLostError);
  await expect(within({ key: 'k', owner: 'x:1:y' }, tx)).rejects.toMatchObject({
    code: 'CAPABILITY',
  });
});
