import type { FencedLease, SqlGuard } from '@holdfast/guard';
import { type CheckedStore, checkedWrites, refuseAll } from './checked-writes.ts';
import { isAdmitted, unlessRefused } from './refused.ts';
import {
  addOne,
  type GuardSubject,
  KEY,
  ROWS,
  type RowAccess,
  type WriteOutcome,
} from './subject.ts';

/** A database with a guard. */
export interface GuardedDatabase<Tx> {
  /** For people, such as `postgres through pg`. */
  readonly name: string;
  readonly guard: SqlGuard<Tx>;
  /** Runs a statement without parameters, in a transaction or by itself. Resolves to its rows. */
  run(sql: string, tx?: Tx): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** As of {@link GuardSubject}. */
  waiting?(this: void, signal: AbortSignal): Promise<void>;
}

/** The table of the rows, for each database to create. */
export const CREATE_ROWS =
  'CREATE TABLE IF NOT EXISTS guarded_rows (id CHAR(1) PRIMARY KEY, n INTEGER NOT NULL, fence BIGINT NOT NULL)';
/** The sequence of the positions of writes, for each database to create. */
export const CREATE_ORDER = 'CREATE SEQUENCE write_order';
/** The statements that put the rows back, and forget all tokens. */
export const CLEAR_ROWS: readonly string[] = [
  'DELETE FROM holdfast_fence',
  'DELETE FROM guarded_rows',
  `INSERT INTO guarded_rows (id, n, fence) VALUES ${ROWS.map((row) => `('${row}', 0, 0)`).join(', ')}`,
];
/** Reads the values of all rows. */
export const SELECT_ROWS = 'SELECT n FROM guarded_rows ORDER BY id';

/** All of the work in one transaction of the guard. */
export function oneTransaction<Tx>(database: GuardedDatabase<Tx>): GuardSubject {
  return {
    ...storeOf(database, 'in one transaction', 'guard'),
    async addToAll(holder, wrote) {
      await holder.step('begin');
      const writes = await unlessRefused(() =>
        database.guard.transaction(leaseOf(holder.token), async (tx) => {
          const done = await addOne(holder, accessOf(database, tx));
          await holder.step('commit');
          return done;
        }),
      );
      if (writes === 'refused') refuseAll(wrote);
      else for (const write of writes) wrote(write);
    },
  };
}

/** The mark is raised first. Then the reads need no transaction, and the writes have one each. */
export function markThenReads<Tx>(database: GuardedDatabase<Tx>): GuardSubject {
  const { guard } = database;
  return checkedWrites({
    ...storeOf(database, 'reads after the mark', 'guard'),
    ...accessOf(database),
    admit: (token) => isAdmitted(() => guard.admit(leaseOf(token))),
    write: (row, value, token) =>
      unlessRefused(() =>
        guard.transaction(leaseOf(token), (tx) => accessOf(database, tx).write(row, value)),
      ),
  });
}

/** DO NOT USE. The check of a middleware, and then work that no guard protects. */
export function checkFirst<Tx>(database: GuardedDatabase<Tx>): GuardSubject {
  return checkedWrites({
    ...storeOf(database, 'checked once, then unguarded', 'exhibit'),
    ...accessOf(database),
    admit: (token) => isAdmitted(() => database.guard.admit(leaseOf(token))),
  });
}

/** DO NOT USE. A token in each row, and none for the key: the mistake that most pages about fencing recommend. */
export function tokenPerRow<Tx>(
  database: GuardedDatabase<Tx>,
  write: CheckedStore['write'],
): GuardSubject {
  return checkedWrites({
    ...storeOf(database, 'a token in each row', 'exhibit'),
    ...accessOf(database),
    write,
  });
}

/** DO NOT USE. Raises the mark, but has read before. */
export function readsBeforeMark<Tx>(database: GuardedDatabase<Tx>): GuardSubject {
  return {
    ...storeOf(database, 'reads before the mark', 'exhibit'),
    async addToAll(holder, wrote) {
      const before: number[] = [];
      for (const row of ROWS) {
        await holder.step(`read ${row}`);
        before.push(await accessOf(database).read(row));
      }
      await holder.step('begin');
      const outcomes = await unlessRefused(() =>
        database.guard.transaction(leaseOf(holder.token), async (tx) => {
          const access = accessOf(database, tx);
          const done: WriteOutcome[] = [];
          for (const [at, row] of ROWS.entries())
            done.push(await access.write(row, (before[at] ?? 0) + 1));
          return done;
        }),
      );
      for (const [at, row] of ROWS.entries()) {
        const outcome = outcomes === 'refused' ? outcomes : (outcomes[at] ?? 'refused');
        wrote({ row, readValue: before[at] ?? 0, outcome });
      }
    },
  };
}

type Store = Pick<GuardSubject, 'name' | 'kind' | 'reset' | 'values' | 'waiting'>;

function storeOf<Tx>(
  database: GuardedDatabase<Tx>,
  how: string,
  kind: GuardSubject['kind'],
): Store {
  const { waiting } = database;
  return {
    name: `${database.name}, ${how}`,
    kind,
    async reset() {
      for (const sql of CLEAR_ROWS) await database.run(sql);
    },
    async values() {
      return (await database.run(SELECT_ROWS)).map(({ n }) => Number(n));
    },
    ...(waiting === undefined ? {} : { waiting }),
  };
}

function accessOf<Tx>(database: GuardedDatabase<Tx>, tx?: Tx): RowAccess {
  return {
    async read(row) {
      const [found] = await database.run(`SELECT n FROM guarded_rows WHERE id = '${row}'`, tx);
      return Number(found?.['n']);
    },
    async write(row, value) {
      await database.run(`UPDATE guarded_rows SET n = ${value} WHERE id = '${row}'`, tx);
      return drawOrder(database, tx);
    },
  };
}

/** The next position among all writes. Drawn by any transaction at once, and kept if that is rolled back. */
export async function drawOrder<Tx>(database: GuardedDatabase<Tx>, tx?: Tx): Promise<number> {
  const [drawn] = await database.run("SELECT nextval('write_order') AS position", tx);
  return Number(drawn?.['position']);
}

function leaseOf(fencingToken: bigint): FencedLease {
  return { key: KEY, fencingToken };
}
