import { CapabilityError } from '@holdfast/core';
import { staleToken } from '../errors.ts';
import { type Fence, type FencedLease, type FencedLeases, fencesOf, NAME } from '../fence.ts';
import type { SqlStatement } from '../sql/dialect.ts';
import { dialectOf } from '../sql/dialects.ts';

/** A database of `node:sqlite`, `better-sqlite3`, `libsql` or `bun:sqlite`. */
export interface SqliteDatabase {
  /** Runs statements without parameters. */
  exec(sql: string): unknown;
  /** Prepares a statement. */
  prepare(sql: string): {
    /** Runs it, and returns its first row. */
    get(...params: string[]): unknown;
  };
  /** True in a transaction; `node:sqlite`. */
  readonly isTransaction?: boolean;
  /** True in a transaction; the others. */
  readonly inTransaction?: boolean;
}

/** Options of a guard on SQLite. */
export interface SqliteOptions {
  /** Of the marks; default `holdfast_fence`. */
  readonly table?: string | undefined;
}

/**
 * Refuses late holders in a SQLite database; see {@link SqlGuard}. Its clients are synchronous, so its transactions are:
 * with an `await` inside, other callers of the connection would be in the same transaction. Set a busy timeout on the
 * connection: another process that writes makes the first statement wait, or fail with SQLITE_BUSY.
 * @example
 * ```ts
 * const guard = sqliteGuard(sqlite);
 * guard.createTable();
 * await locks.use('stock/42', (lease) =>
 *   guard.transaction(lease, () => sqlite.exec('UPDATE stock SET n = n - 1 WHERE id = 42')),
 * );
 * ```
 */
export class SqliteGuard {
  readonly #database: SqliteDatabase;
  readonly #table: string | undefined;

  constructor(database: SqliteDatabase, { table }: SqliteOptions = {}) {
    this.#database = database;
    this.#table = table;
  }

  /**
   * The statement that creates the table of the marks, for your migrations.
   * @example
   * ```ts
   * log(sqliteGuard(sqlite).migration);
   * ```
   */
  get migration(): string {
    return `${dialectOf('sqlite', this.#table).createTable};\n`;
  }

  /**
   * Creates the table of the marks unless it is there.
   * @example
   * ```ts
   * sqliteGuard(sqlite).createTable();
   * ```
   */
  createTable(): void {
    this.#database.exec(this.migration);
  }

  /**
   * Runs `body` in a transaction that begins by raising the mark of every key of the lease.
   * @example
   * ```ts
   * sqliteGuard(sqlite).transaction(lease, () => sqlite.exec('UPDATE stock SET n = n - 1'));
   * ```
   * @throws StaleTokenError: nothing was written. CapabilityError: the lease has no token, or `body` is asynchronous. Errors
   *   of `body` and of the database
   */
  transaction<T>(lease: FencedLease | FencedLeases, body: () => T): T {
    const fences = fencesOf(lease);
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const fence of fences) this.#raise(fence);
      const result = body();
      rejectPromise(result, fences);
      this.#database.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite has rolled back by itself after some errors, such as a full disk.
      if (this.#isOpen() !== false) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  /**
   * Raises the mark in a transaction of your own. It must be the first statement.
   * @example
   * ```ts
   * sqlite.exec('BEGIN IMMEDIATE');
   * sqliteGuard(sqlite).raise(lease);
   * sqlite.exec('UPDATE stock SET n = n - 1');
   * sqlite.exec('COMMIT');
   * ```
   * @throws StaleTokenError: roll back. CapabilityError: the lease has no token, or no transaction is open, where the client
   *   tells. Errors of the database
   */
  raise(lease: FencedLease | FencedLeases): void {
    const fences = fencesOf(lease);
    if (this.#isOpen() === false)
      throw new CapabilityError(
        `${NAME}: raise() needs an open transaction: BEGIN IMMEDIATE first`,
        {
          key: fences[0]?.key,
          backend: NAME,
        },
      );
    for (const fence of fences) this.#raise(fence);
  }

  /**
   * Raises the mark alone, in a transaction of its own.
   * @example
   * ```ts
   * sqliteGuard(sqlite).admit(lease);
   * ```
   * @throws as {@link SqliteGuard.transaction}
   */
  admit(lease: FencedLease | FencedLeases): void {
    this.transaction(lease, () => undefined);
  }

  #isOpen(): boolean | undefined {
    return this.#database.isTransaction ?? this.#database.inTransaction;
  }

  #raise(fence: Fence): void {
    const dialect = dialectOf('sqlite', this.#table);
    const [raise] = dialect.raise(fence);
    if (raise !== undefined && this.#first(raise) !== undefined) return;
    const largest = this.#first(dialect.largest(fence.key));
    throw staleToken(fence, largest);
  }

  /** The token of the first row; `node:sqlite` has undefined for no row, `bun:sqlite` null. */
  #first({ sql, params }: SqlStatement): bigint | undefined {
    const row = this.#database.prepare(sql).get(...params);
    const token: unknown = Object(row)['token'];
    return typeof token === 'string' ? BigInt(token) : undefined;
  }
}

/**
 * A guard on SQLite.
 * @example
 * ```ts
 * const guard = sqliteGuard(sqlite);
 * guard.createTable();
 * ```
 */
export function sqliteGuard(database: SqliteDatabase, options: SqliteOptions = {}): SqliteGuard {
  return new SqliteGuard(database, options);
}

function rejectPromise(result: unknown, [first]: readonly Fence[]): void {
  if (typeof Object(result)['then'] !== 'function') return;
  // Its rejection, if any, is of no interest: all of it is refused.
  Promise.resolve(result).catch(() => undefined);
  const message = `${NAME}: the body of a SQLite transaction must not be asynchronous; read and write in it without await`;
  throw new CapabilityError(message, { key: first?.key, backend: NAME });
}
