import { prismaGuard, StaleTokenError, WriteUnknownError } from '@holdfast/guard';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PostgresServer } from '../../../harness/test/kit/real-servers.ts';
import { openPrisma, type Prisma } from './support/prisma.ts';

const LATE = { key: 'orders/42', fencingToken: 2n ** 53n };
const NEXT = { key: 'orders/42', fencingToken: 2n ** 53n + 1n };
const DECREMENT = 'UPDATE stock SET n = n - 1';

let server: PostgresServer;
let prisma: Prisma;

beforeAll(async () => {
  server = await PostgresServer.start();
  prisma = await openPrisma(server.url);
  await prismaGuard(prisma, { dialect: 'postgres' }).createTable();
  await server.sql('CREATE TABLE stock (id text PRIMARY KEY, n int)');
}, 600_000);
beforeEach(async () => {
  await server.sql("TRUNCATE holdfast_fence, stock; INSERT INTO stock VALUES ('42', 10)");
});
afterAll(async () => {
  await prisma.$disconnect();
  await server.close();
});

const inStock = (): Promise<string> => server.sql('SELECT n FROM stock');

test('a token is admitted again and again, a larger one too, and then the first one no more', async () => {
  const guard = prismaGuard(prisma, { dialect: 'postgres' });
  for (const lease of [LATE, LATE, NEXT])
    await guard.transaction(lease, (tx) => tx.$executeRawUnsafe(DECREMENT));
  const late = guard.transaction(LATE, (tx) => tx.$executeRawUnsafe(DECREMENT));

  await expect(late).rejects.toThrow(StaleTokenError);
  await expect(late).rejects.toMatchObject({
    token: LATE.fencingToken,
    largest: NEXT.fencingToken,
  });
  expect(await inStock()).toBe('7');
});

test('a transaction whose body has hidden a failed statement is not reported as committed', async () => {
  const guard = prismaGuard(prisma, { dialect: 'postgres' });
  const hidden = guard.transaction(LATE, (tx) =>
    tx.$queryRawUnsafe('SELECT 1 / 0').catch(() => undefined),
  );

  await expect(hidden).rejects.toThrow(/aborted/);
  expect(await server.sql('SELECT count(*) FROM holdfast_fence')).toBe('0');
});

test.each(['40001', '40P01'])('all of the transaction is repeated after %s', async (state) => {
  let attempts = 0;
  await prismaGuard(prisma, { dialect: 'postgres' }).transaction(LATE, async (tx) => {
    attempts++;
    await tx.$executeRawUnsafe(DECREMENT);
    if (attempts === 1)
      await tx.$executeRawUnsafe(
        `DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '${state}'; END $$`,
      );
  });

  expect(attempts).toBe(2);
  expect(await inStock()).toBe('9');
});

test('a constraint that fails at the commit is a plain error: nothing was written', async () => {
  await server.sql('ALTER TABLE stock ADD CONSTRAINT one UNIQUE (n) DEFERRABLE INITIALLY DEFERRED');
  const write = prismaGuard(prisma, { dialect: 'postgres' }).transaction(LATE, (tx) =>
    tx.$executeRawUnsafe("INSERT INTO stock VALUES ('43', 10)"),
  );

  await expect(write).rejects.toThrow('UniqueConstraintViolation');
  await expect(write).rejects.not.toThrow(WriteUnknownError);
  expect(await inStock()).toBe('10');
  await server.sql('ALTER TABLE stock DROP CONSTRAINT one');
});

test('a connection that ends at the commit leaves the write unknown, and the transaction is not repeated', async () => {
  await server.sql(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END';
    CREATE CONSTRAINT TRIGGER dies AFTER UPDATE ON stock DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION die()`);
  let attempts = 0;
  const write = prismaGuard(prisma, { dialect: 'postgres' }).transaction(LATE, async (tx) => {
    attempts++;
    await tx.$executeRawUnsafe(DECREMENT);
  });

  await expect(write).rejects.toThrow(WriteUnknownError);
  expect(attempts).toBe(1);
  await server.sql('DROP TRIGGER dies ON stock; DROP FUNCTION die');
});
