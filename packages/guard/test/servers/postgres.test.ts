import {
  drizzleGuard,
  kyselyGuard,
  pgGuard,
  postgresJsGuard,
  prismaGuard,
  type RunSql,
  StaleTokenError,
  WriteUnknownError,
  writeRow,
} from '@holdfast/guard';
import { sql as drizzleSql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import postgres from 'postgres';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PostgresServer } from '../../../../harness/test/kit/real-servers.ts';
import { FakePrisma } from '../support/fake-prisma.ts';

const LATE = { key: 'orders/42', fencingToken: 2n ** 53n };
const NEXT = { key: 'orders/42', fencingToken: 2n ** 53n + 1n };
const DECREMENT = 'UPDATE stock SET n = n - 1';

let server: PostgresServer;
let pool: pg.Pool;
let sql: postgres.Sql;

beforeAll(async () => {
  server = await PostgresServer.start();
  pool = new pg.Pool({ connectionString: server.url });
  sql = postgres(server.url, { max: 2, onnotice: () => undefined });
  await pgGuard(pool).createTable();
  await pool.query('CREATE TABLE stock (id text PRIMARY KEY, n int, fence bigint, deleted text)');
});
beforeEach(async () => {
  await pool.query('TRUNCATE holdfast_fence, stock');
  await pool.query("INSERT INTO stock VALUES ('42', 10, 0)");
});
afterAll(async () => {
  await Promise.all([pool.end(), sql.end()]);
  await server.close();
});

async function inStock(): Promise<number> {
  const { rows } = await pool.query('SELECT n FROM stock');
  return rows[0].n;
}

/** A transaction of one client with one statement, behind the guard; the last one fails inside, and hides it. */
interface Client {
  readonly decrement: (lease: typeof LATE) => Promise<unknown>;
  readonly hideFailure: () => Promise<unknown>;
}

const FAILS = 'SELECT 1 / 0';
const CONFLICT = "DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$";
const hidden = (work: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(work).catch(() => undefined);

const clients: Readonly<Record<string, () => Client>> = {
  pg: () => {
    const guard = pgGuard(pool);
    return {
      decrement: (lease) => guard.transaction(lease, (tx) => tx.query(DECREMENT)),
      hideFailure: () => guard.transaction(LATE, (tx) => hidden(tx.query(FAILS))),
    };
  },
  postgres: () => {
    const guard = postgresJsGuard<postgres.TransactionSql>(sql);
    return {
      decrement: (lease) => guard.transaction(lease, async (tx) => tx`UPDATE stock SET n = n - 1`),
      hideFailure: () => guard.transaction(LATE, (tx) => hidden(tx`SELECT 1 / 0`)),
    };
  },
  Kysely: () => {
    const dialect = new PostgresDialect({ pool });
    const database = new Kysely<{ stock: { n: number } }>({ dialect });
    const guard = kyselyGuard(database, { dialect: 'postgres', raw: CompiledQuery.raw });
    return {
      decrement: (lease) =>
        guard.transaction(lease, (tx) =>
          tx
            .updateTable('stock')
            .set((row) => ({ n: row('n', '-', 1) }))
            .execute(),
        ),
      hideFailure: () =>
        guard.transaction(LATE, (tx) => hidden(tx.executeQuery(CompiledQuery.raw(FAILS)))),
    };
  },
  Drizzle: () => {
    const guard = drizzleGuard(drizzle(pool), { dialect: 'postgres', sql: drizzleSql });
    return {
      decrement: (lease) => guard.transaction(lease, (tx) => tx.execute(DECREMENT)),
      hideFailure: () => guard.transaction(LATE, (tx) => hidden(tx.execute(FAILS))),
    };
  },
  'the raw queries of Prisma, played by pg': () => {
    const guard = prismaGuard(new FakePrisma(pool), { dialect: 'postgres' });
    return {
      decrement: (lease) => guard.transaction(lease, (tx) => tx.$executeRawUnsafe(DECREMENT)),
      hideFailure: () => guard.transaction(LATE, (tx) => hidden(tx.$executeRawUnsafe(FAILS))),
    };
  },
};

describe.each(Object.entries(clients))('through %s', (_, client) => {
  test('a token is admitted again and again, a larger one too, and then the first one no more', async () => {
    const { decrement } = client();
    await decrement(LATE);
    await decrement(LATE);
    await decrement(NEXT);
    const refused = await decrement(LATE).catch((error: unknown) => error);

    expect(refused).toBeInstanceOf(StaleTokenError);
    expect(refused).toMatchObject({
      code: 'STALE_TOKEN',
      key: 'orders/42',
      token: LATE.fencingToken,
      largest: NEXT.fencingToken,
    });
    expect(await inStock()).toBe(7);
  });

  test('a transaction whose body has hidden a failed statement is not reported as committed', async () => {
    await expect(client().hideFailure()).rejects.toThrow(
      /aborted|rolled back|division|Failed query: SELECT 1\b/,
    );
    expect(await server.sql('SELECT count(*) FROM holdfast_fence')).toBe('0');
  });
});

test('a serialization failure repeats all of the transaction, with fresh reads', async () => {
  const guard = pgGuard(pool, { isolation: 'REPEATABLE READ' });
  let attempts = 0;
  await guard.transaction(LATE, async (tx) => {
    attempts++;
    const { rows } = await tx.query('SELECT n FROM stock');
    // Once, another transaction changes what this one has read.
    if (attempts === 1) await pool.query(DECREMENT);
    await tx.query('UPDATE stock SET n = $1', [Number(rows[0]?.['n']) - 1]);
  });

  expect(attempts).toBe(2);
  expect(await inStock()).toBe(8);
});

test('so does one that Prisma reports inside of its own error', async () => {
  let attempts = 0;
  await prismaGuard(new FakePrisma(pool), { dialect: 'postgres' }).transaction(LATE, async (tx) => {
    attempts++;
    if (attempts === 1) await tx.$executeRawUnsafe(CONFLICT);
  });

  expect(attempts).toBe(2);
});

test('it is given up after the attempts that the caller allows, with the error of the server', async () => {
  let attempts = 0;
  const failing = pgGuard(pool).transaction(
    LATE,
    async (tx) => {
      attempts++;
      await tx.query(CONFLICT);
    },
    { attempts: 3 },
  );

  await expect(failing).rejects.toMatchObject({ code: '40001' });
  expect(attempts).toBe(3);
});

test('a connection that ends at the commit leaves the write unknown, and the transaction is not repeated', async () => {
  await server.sql(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER dies AFTER UPDATE ON stock DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION die()`);
  let attempts = 0;
  const write = pgGuard(pool).transaction(LATE, async (tx) => {
    attempts++;
    await tx.query(DECREMENT);
  });

  await expect(write).rejects.toThrow(WriteUnknownError);
  await expect(write).rejects.toMatchObject({ key: 'orders/42', cause: { code: '57P01' } });
  expect(attempts).toBe(1);
  await server.sql('DROP TRIGGER dies ON stock');
});

test('a connection that ends before the commit is a plain error: nothing was written', async () => {
  const write = pgGuard(pool).transaction(LATE, async (tx) => {
    await tx.query(DECREMENT);
    await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
  });

  await expect(write).rejects.not.toThrow(WriteUnknownError);
  expect(await inStock()).toBe(10);
});

test('with several keys, one that is stale refuses all', async () => {
  const guard = pgGuard(pool);
  await guard.admit(NEXT);
  const fencingTokens = new Map([
    ['orders/7', 1n],
    ['orders/42', LATE.fencingToken],
  ]);

  const both = guard.transaction({ fencingTokens }, (tx) => tx.query(DECREMENT));

  await expect(both).rejects.toMatchObject({ code: 'STALE_TOKEN', key: 'orders/42' });
  expect(await server.sql('SELECT key FROM holdfast_fence')).toBe('orders/42');
});

test('raise() works in a transaction of the caller, and says when there is none', async () => {
  const guard = pgGuard(pool);
  const client = await pool.connect();
  await client.query('BEGIN');
  await guard.raise(client, NEXT);
  await client.query('COMMIT');
  const outside = guard.raise(client, NEXT);

  await expect(outside).rejects.toMatchObject({ code: 'CAPABILITY', key: 'orders/42' });
  client.release();
  await expect(guard.admit(LATE)).rejects.toThrow(StaleTokenError);
});

const run: RunSql = async ({ sql: text, params }) => (await pool.query(text, [...params])).rows;

test('a blind write of one row tells a refusal from a missing row', async () => {
  const write = (lease: typeof LATE, id: string) =>
    writeRow(run, lease, { table: 'stock', where: { id }, set: { deleted: 'yes' } });

  expect(await write(NEXT, '42')).toBe('written');
  expect(await write(NEXT, '42')).toBe('written');
  expect(await write(LATE, '42')).toBe('refused');
  expect(await write(NEXT, '43')).toBe('no-row');
  expect(await server.sql('SELECT deleted, fence FROM stock')).toBe(`yes|${NEXT.fencingToken}`);
});
