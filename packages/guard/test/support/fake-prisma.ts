import type { PrismaTransaction } from '@holdfast/guard';
import type pg from 'pg';

/** The raw queries of Prisma on a pool of `pg`. Prisma itself needs generated code. */
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
        $queryRawUnsafe: async (sql, ...params) => (await client.query(sql, params)).rows,
        $executeRawUnsafe: async (sql, ...params) => (await client.query(sql, params)).rowCount,
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
