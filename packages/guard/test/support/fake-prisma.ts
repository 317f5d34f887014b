import type { PrismaTransaction } from '@holdfast/guard';
import type pg from 'pg';

/**
 * The raw queries of Prisma on a pool of `pg`, with its errors. Prisma itself needs generated code, and takes 306 MB:
 * `test/deep/servers/guard-prisma.test.ts` has it.
 */
export class FakePrisma {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  async $transaction<T>(body: (tx: PrismaTransaction) => Promise<T>): Promise<T> {
    const client = await this.#pool.connect();
    try {
      await client.query('BEGIN');
      const result = await body({
        $queryRawUnsafe: async (sql, ...params) => (await rawQuery(client, sql, params)).rows,
        $executeRawUnsafe: async (sql, ...params) => (await rawQuery(client, sql, params)).rowCount,
      });
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  }
}

/** @throws an error as Prisma 7.10 does, with the SQLSTATE deep inside */
async function rawQuery(
  client: pg.PoolClient,
  sql: string,
  params: unknown[],
): Promise<pg.QueryResult> {
  try {
    return await client.query(sql, params);
  } catch (error) {
    const { code, message } = error as pg.DatabaseError;
    const cause = { originalCode: code, originalMessage: message, kind: 'postgres' };
    const driverAdapterError = new Error(message, { cause });
    throw Object.assign(new Error(`Raw query failed. Code: \`${code}\`. Message: \`${message}\``), {
      code: 'P2010',
      meta: { driverAdapterError },
    });
  }
}
