import { CapabilityError } from '@holdfast/core';
import { staleToken, writeUnknown } from '../errors.ts';
import { type Fence, type FencedLease, type FencedLeases, fencesOf, NAME } from '../fence.ts';
import type { SqlDialect, SqlStatement } from './dialect.ts';
import { isReply, isRetryable } from './failures.ts';

/** A row of a reply. */
export type SqlRow = Readonly<Record<string, unknown>>;

/** What a guard needs of a client of a database. */
export interface SqlClient<Tx> {
  /** Runs `body` in one transaction: commits what it resolves to, rolls back if it rejects. */
  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  /** Runs a statement in it. */
  rows(tx: Tx, statement: SqlStatement): Promise<readonly SqlRow[]>;
  /** A statement to send before the commit, which the client would not report as failed. */
  readonly beforeCommit?: SqlStatement | undefined;
  /** A statement whose row has `id` if a transaction is open. */
  readonly transactionId?: SqlStatement | undefined;
}

/** Options of a transaction. */
export interface TransactionOptions {
  /** How often it is tried in all; default 10. */
  readonly attempts?: number | undefined;
}

const ATTEMPTS = 10;

/**
 * Refuses late holders in a SQL database. For each key of a lock it keeps the largest token that the database has seen, a
 * mark. Every transaction raises the mark first, and so waits for transactions of other holders of the key.
 *
 * It protects what is read and written in such transactions only: let all writers of those rows use it.
 * @example
 * ```ts
 * const guard = pgGuard(pool);
 * await guard.createTable();
 * await locks.use('stock/42', (lease) =>
 *   guard.transaction(lease, async (tx) => {
 *     const { rows } = await tx.query('SELECT n FROM stock WHERE id = 42');
 *     await tx.query('UPDATE stock SET n = $1 WHERE id = 42', [Number(rows[0]?.['n']) - 1]);
 *   }),
 * );
 * ```
 */
export class SqlGuard<Tx> {
  readonly #client: SqlClient<Tx>;
  readonly #dialect: SqlDialect;

  constructor(client: SqlClient<Tx>, dialect: SqlDialect) {
    this.#client = client;
    this.#dialect = dialect;
  }

  /**
   * The statement that creates the table of the marks, for your migrations.
   * @example
   * ```ts
   * log(pgGuard(pool).migration);
   * ```
   */
  get migration(): string {
    return `${this.#dialect.createTable};\n`;
  }

  /**
   * Creates the table of the marks unless it is there.
   * @example
   * ```ts
   * await pgGuard(pool).createTable();
   * ```
   */
  async createTable(): Promise<void> {
    const statement = { sql: this.#dialect.createTable, params: [] };
    await this.#client.transaction((tx) => this.#client.rows(tx, statement));
  }

  /**
   * Runs `body` in a transaction that begins by raising the mark of every key of the lease. Everything that the body reads
   * and writes through `tx` is then safe from late holders. After a serialization failure or a deadlock all of it runs
   * again: the body must have no effects outside of the transaction.
   * @example
   * ```ts
   * await pgGuard(pool).transaction(lease, (tx) => tx.query('UPDATE stock SET n = n - 1'));
   * ```
   * @throws StaleTokenError: nothing was written. WriteUnknownError: the reply to the commit never came. CapabilityError: the
   *   lease has no token. Errors of `body` and of the database
   */
  async transaction<T>(
    lease: FencedLease | FencedLeases,
    body: (tx: Tx) => Promise<T>,
    { attempts = ATTEMPTS }: TransactionOptions = {},
  ): Promise<T> {
    const fences = fencesOf(lease);
    for (let left = attempts; ; left--) {
      try {
        return await this.#attempt(fences, body);
      } catch (error) {
        if (left <= 1 || !isRetryable(error)) throw error;
      }
    }
  }

  /**
   * Raises the mark in a transaction of your own. It must be the first statement: what was read before it may be old. After
   * an error roll back; after a serialization failure repeat the whole transaction.
   * @example
   * ```ts
   * await client.query('BEGIN', []);
   * await pgGuard(pool).raise(client, lease);
   * await client.query('UPDATE stock SET n = n - 1', []);
   * await client.query('COMMIT', []);
   * ```
   * @throws StaleTokenError. CapabilityError: the lease has no token, or `tx` is no transaction, where the database tells.
   *   Errors of the database
   */
  async raise(tx: Tx, lease: FencedLease | FencedLeases): Promise<void> {
    const fences = fencesOf(lease);
    await this.#raiseAll(tx, fences);
    const { transactionId } = this.#client;
    if (transactionId === undefined) return;
    const [open] = await this.#client.rows(tx, transactionId);
    if (open?.['id'] === null || open?.['id'] === undefined)
      throw new CapabilityError(
        `${NAME}: raise() needs an open transaction: pass what has sent BEGIN, not a pool`,
        { key: fences[0]?.key, backend: NAME },
      );
  }

  /**
   * Raises the mark alone, in a transaction of its own: from then on no smaller token is accepted.
   * @example
   * ```ts
   * await pgGuard(pool).admit(lease);
   * ```
   * @throws StaleTokenError, WriteUnknownError, CapabilityError; errors of the database
   */
  admit(lease: FencedLease | FencedLeases): Promise<void> {
    return this.transaction(lease, () => Promise.resolve());
  }

  async #attempt<T>(fences: readonly Fence[], body: (tx: Tx) => Promise<T>): Promise<T> {
    let isCommitting = false;
    try {
      return await this.#client.transaction(async (tx) => {
        isCommitting = false;
        await this.#raiseAll(tx, fences);
        const result = await body(tx);
        const { beforeCommit } = this.#client;
        if (beforeCommit !== undefined) await this.#client.rows(tx, beforeCommit);
        isCommitting = true;
        return result;
      });
    } catch (error) {
      if (isCommitting && !isReply(error) && !isRetryable(error)) throw writeUnknown(fences, error);
      throw error;
    }
  }

  async #raiseAll(tx: Tx, fences: readonly Fence[]): Promise<void> {
    for (const fence of fences) {
      let rows: readonly SqlRow[] = [];
      for (const statement of this.#dialect.raise(fence))
        rows = await this.#client.rows(tx, statement);
      if (rows.length === 0) throw staleToken(fence, await this.#largest(tx, fence));
    }
  }

  async #largest(tx: Tx, { key }: Fence): Promise<bigint | undefined> {
    const [mark] = await this.#client.rows(tx, this.#dialect.largest(key));
    const token = mark?.['token'];
    return typeof token === 'string' ? BigInt(token) : undefined;
  }
}
