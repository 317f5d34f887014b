import { type Mysql2Transaction, mysql2Guard, StaleTokenError } from '@holdfast/guard';
import {
  CREATE_ORDER,
  CREATE_ROWS,
  checkFirst,
  drawOrder,
  type GuardedDatabase,
  type GuardSubject,
  markThenReads,
  oneTransaction,
  playGuard,
  tokenPerRow,
} from '@holdfast/harness/guards';
import mysql from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasMariaDb, MariaDbServer } from './support/mariadb-server.ts';

type Isolation = 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE';
/** Not from innodb_trx, which is a cache that is not renewed while it is read all the time. */
const WAITING = "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'";
const LATE = { key: 'Orders/42 ', fencingToken: 2n ** 53n };
const NEXT = { key: 'Orders/42 ', fencingToken: 2n ** 53n + 1n };

describe.skipIf(!hasMariaDb)('on MariaDB (skipped where mariadb-server is not installed)', () => {
  let server: MariaDbServer;
  let pool: mysql.Pool;

  beforeAll(async () => {
    server = await MariaDbServer.start();
    const { port } = server;
    pool = mysql.createPool({ host: '127.0.0.1', port, user: 'root', database: 'mysql' });
    await pool.query(CREATE_ROWS);
    await pool.query(CREATE_ORDER);
    await mysql2Guard(pool).createTable();
  });
  afterAll(async () => {
    await pool.end();
    await server.close();
  });

  async function rowsOf(sql: string, tx: Mysql2Transaction = pool) {
    const [rows] = await tx.query(sql);
    return Array.isArray(rows) ? rows : [];
  }

  function through(isolation: Isolation): GuardedDatabase<Mysql2Transaction> {
    return {
      name: `mariadb, ${isolation}`,
      guard: mysql2Guard(pool, { isolation }),
      // MariaDB's function of this name takes a name, not a text.
      run: (sql, tx) => rowsOf(sql.replace("nextval('write_order')", 'NEXTVAL(write_order)'), tx),
      async waiting(signal) {
        while (!signal.aborted) {
          const [found] = await rowsOf(WAITING);
          if (Number(found?.Value) > 0) return;
        }
      },
    };
  }

  test.each<[string, () => GuardSubject]>([
    ['in one transaction', () => oneTransaction(through('REPEATABLE READ'))],
    ['at READ COMMITTED', () => oneTransaction(through('READ COMMITTED'))],
    ['at SERIALIZABLE', () => oneTransaction(through('SERIALIZABLE'))],
    ['with reads after the mark', () => markThenReads(through('REPEATABLE READ'))],
  ])(
    'a late holder changes nothing %s, wherever it and the next one are paused',
    async (_, open) => {
      const { plays, broken } = await playGuard(open());

      expect(broken).toBeUndefined();
      expect(plays.filter((play) => play.isLateRefused).length).toBeGreaterThanOrEqual(5);
      expect(plays.filter((play) => !play.isLateRefused).length).toBeGreaterThanOrEqual(5);
    },
  );

  test.each<[string, () => GuardSubject]>([
    [
      'a token in each row',
      () =>
        tokenPerRow(through('REPEATABLE READ'), async (row, value, token) => {
          const sql = `UPDATE guarded_rows SET n = ${value}, fence = ${token} WHERE id = '${row}' AND fence <= ${token}`;
          const [reply] = await pool.query<mysql.ResultSetHeader>(sql);
          if (reply.affectedRows === 0) return 'refused';
          return drawOrder(through('REPEATABLE READ'));
        }),
    ],
    ['a check before the work', () => checkFirst(through('REPEATABLE READ'))],
  ])('the exhibit falls: %s', async (_, open) => {
    const { broken } = await playGuard(open());

    expect(broken?.verdict.message).toMatch(/^next overwrote 1 of late in [ab] with 1/);
  });

  test.each([
    ['rows that were found', 'FOUND_ROWS'],
    ['rows that have changed', '-FOUND_ROWS'],
  ])(
    'a token is admitted again where the server counts %s, and a smaller one is not',
    async (_, flag) => {
      const { port } = server;
      const options = { host: '127.0.0.1', port, user: 'root', database: 'mysql', flags: [flag] };
      const counting = mysql.createPool(options);
      const guard = mysql2Guard(counting);
      for (const lease of [LATE, LATE, NEXT, NEXT]) await guard.admit(lease);
      const late = guard.admit(LATE);

      await expect(late).rejects.toThrow(StaleTokenError);
      await expect(late).rejects.toMatchObject({ largest: NEXT.fencingToken });
      // Another key to the guard, although most collations take it for the same.
      await guard.admit({ key: 'orders/42', fencingToken: 1n });
      await guard.admit({ key: 'Orders/42', fencingToken: 1n });
      await pool.query('DELETE FROM holdfast_fence');
      await counting.end();
    },
  );
});
