import { isLockError } from '@holdfast/core';
import { type SqliteDatabase, sqliteGuard } from '@holdfast/guard';
import { refuseAll } from './checked-writes.ts';
import { CLEAR_ROWS, SELECT_ROWS } from './sql-subjects.ts';
import { addOne, type GuardSubject, type Holder, KEY, type RowWrite } from './subject.ts';

/** A database of SQLite, and connections to it that do not wait for each other: their busy timeout is 0. */
export interface SqliteUnderTest {
  /** For people. */
  readonly name: string;
  /** Returns a connection for a holder, or for the judge. */
  connection(of: string): SqliteDatabase;
  /** The values that {@link SELECT_ROWS} returns. */
  values(sql: string): readonly number[];
  /** True for SQLITE_BUSY. */
  isBusy(error: unknown): boolean;
}

/** The mark raised as the first statement of a transaction, in which the holder may be paused. */
export function sqliteTransaction(store: SqliteUnderTest): GuardSubject {
  // Its transactions take turns in one process, so the order of the calls is that of the writes.
  let positions = 0;
  const nextPosition = (): number => ++positions;
  return {
    name: `${store.name}, in one transaction`,
    kind: 'guard',
    reset: () =>
      Promise.resolve(store.connection('judge').exec(CLEAR_ROWS.join(';'))).then(() => undefined),
    values: () => Promise.resolve(store.values(SELECT_ROWS)),
    async addToAll(holder, wrote) {
      const database = store.connection(holder.name);
      await holder.step('begin');
      await begin(store, database, holder);
      const writes = await inTransaction(database, holder, nextPosition);
      if (writes === 'refused') refuseAll(wrote);
      else for (const write of writes) wrote(write);
    },
  };
}

/** Waits for the other holder outside of the database, and so sees every pause. */
async function begin(
  store: SqliteUnderTest,
  database: SqliteDatabase,
  holder: Holder,
): Promise<void> {
  for (;;) {
    try {
      database.exec('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!store.isBusy(error)) throw error;
      await holder.blocked();
    }
  }
}

async function inTransaction(
  database: SqliteDatabase,
  holder: Holder,
  nextPosition: () => number,
): Promise<readonly RowWrite[] | 'refused'> {
  try {
    sqliteGuard(database).raise({ key: KEY, fencingToken: holder.token });
    const writes = await addOne(holder, {
      read(row) {
        const found = database.prepare('SELECT n FROM guarded_rows WHERE id = ?').get(row);
        return Promise.resolve(Number(Object(found)['n']));
      },
      write(row, value) {
        database.exec(`UPDATE guarded_rows SET n = ${value} WHERE id = '${row}'`);
        return Promise.resolve(nextPosition());
      },
    });
    await holder.step('commit');
    database.exec('COMMIT');
    return writes;
  } catch (error) {
    database.exec('ROLLBACK');
    if (isLockError(error, 'STALE_TOKEN')) return 'refused';
    throw error;
  }
}
