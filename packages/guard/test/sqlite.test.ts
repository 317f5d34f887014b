import { type SqliteDatabase, type SqliteGuard, sqliteGuard } from '@holdfast/guard';
import Libsql from 'libsql';
import { describe, expect, test } from 'vitest';

const LATE = { key: 'orders/42', fencingToken: 2n ** 53n };
const NEXT = { key: 'orders/42', fencingToken: 2n ** 53n + 1n };
const DECREMENT = 'UPDATE stock SET n = n - 1';

/** Node's own, from 22.13 on; an older Node has none. */
const builtIn = process.getBuiltinModule?.('node:sqlite') as
  | { readonly DatabaseSync: new (path: string) => SqliteDatabase }
  | undefined;
const CLIENTS: readonly (readonly [string, (() => SqliteDatabase) | undefined])[] = [
  ['libsql, with the interface of better-sqlite3', () => new Libsql(':memory:')],
  ['node:sqlite', builtIn && (() => new builtIn.DatabaseSync(':memory:'))],
];

const inStock = (db: SqliteDatabase): unknown => db.prepare('SELECT n FROM stock').get();

describe.each(CLIENTS)('through %s', (_, open) => {
  function opened(): { readonly db: SqliteDatabase; readonly guard: SqliteGuard } {
    const db = open?.();
    if (db === undefined) throw new Error('this version of Node has none');
    const guard = sqliteGuard(db);
    guard.createTable();
    db.exec('CREATE TABLE stock (n INTEGER); INSERT INTO stock VALUES (10)');
    return { db, guard };
  }

  test.skipIf(open === undefined)(
    'a token is admitted again and again, a larger one too, and then the first one no more',
    () => {
      const { db, guard } = opened();
      for (const lease of [LATE, LATE, NEXT]) guard.transaction(lease, () => db.exec(DECREMENT));
      const late = (): void => void guard.transaction(LATE, () => db.exec(DECREMENT));

      expect(late).toThrow(
        expect.objectContaining({
          code: 'STALE_TOKEN',
          token: LATE.fencingToken,
          largest: NEXT.fencingToken,
        }),
      );
      expect(inStock(db)).toMatchObject({ n: 7 });
    },
  );

  test.skipIf(open === undefined)('an error of the body rolls back what it wrote', () => {
    const { db, guard } = opened();
    const failing = (): void =>
      guard.transaction(LATE, () => {
        db.exec(DECREMENT);
        throw new Error('no');
      });

    expect(failing).toThrow('no');
    expect(inStock(db)).toMatchObject({ n: 10 });
    expect(() => guard.admit({ ...LATE, fencingToken: 1n })).not.toThrow();
  });

  test.skipIf(open === undefined)(
    'an asynchronous body is refused: other callers would be in its transaction',
    () => {
      const { db, guard } = opened();
      const asynchronous = (): unknown =>
        guard.transaction(LATE, async () => {
          db.exec(DECREMENT);
          await Promise.resolve();
        });

      expect(asynchronous).toThrow(expect.objectContaining({ code: 'CAPABILITY' }));
      expect(inStock(db)).toMatchObject({ n: 10 });
    },
  );

  test.skipIf(open === undefined)('raise() outside of a transaction is refused', () => {
    const { db, guard } = opened();
    const outside = (): void => guard.raise(NEXT);

    expect(outside).toThrow(expect.objectContaining({ code: 'CAPABILITY', key: NEXT.key }));
    db.exec('BEGIN IMMEDIATE');
    guard.raise(NEXT);
    db.exec('COMMIT');
    expect(() => guard.admit(LATE)).toThrow(expect.objectContaining({ code: 'STALE_TOKEN' }));
  });
});
