import type { RowValues } from './expressions.ts';
import type { LockMode, LoggedChange, Transaction } from './transaction.ts';
import { SqlError } from './values.ts';

/** Which locks of other transactions on the same row a lock has to wait for. */
const CONFLICTS: Readonly<Record<LockMode, readonly LockMode[]>> = {
  'key share': ['update'],
  share: ['no key update', 'update'],
  'no key update': ['share', 'no key update', 'update'],
  update: ['key share', 'share', 'no key update', 'update'],
};

/** One row: what is committed, what one transaction is about to make of it, and who keeps it locked. */
export class StoredRow {
  readonly table: Table;
  /** Its primary key, as one text. */
  readonly id: string;
  /** Undefined until the transaction that inserts it is committed. */
  committed: RowValues | undefined;
  #pending: { readonly by: Transaction; readonly values: RowValues | undefined } | undefined;
  readonly #locks = new Map<Transaction, Set<LockMode>>();

  constructor(table: Table, id: string, committed?: RowValues) {
    this.table = table;
    this.id = id;
    this.committed = committed;
  }

  /** The row as a transaction sees it; undefined if there is none yet. */
  seenBy(transaction: Transaction | undefined): RowValues | undefined {
    return this.#pending !== undefined && this.#pending.by === transaction
      ? this.#pending.values
      : this.committed;
  }

  /** The transaction that a lock has to wait for; undefined if none. */
  blockerOf(transaction: Transaction, mode: LockMode): Transaction | undefined {
    for (const [other, modes] of this.#locks)
      if (other !== transaction && CONFLICTS[mode].some((each) => modes.has(each))) return other;
    return undefined;
  }

  lock(transaction: Transaction, mode: LockMode): void {
    const modes = this.#locks.get(transaction) ?? new Set();
    this.#locks.set(transaction, modes.add(mode));
    transaction.touches(this);
  }

  /** Undefined deletes it. */
  write(transaction: Transaction, values: RowValues | undefined): void {
    if (values !== undefined) this.table.check(values);
    this.#pending = { by: transaction, values };
    transaction.touches(this);
  }

  /** What a transaction is about to make of it; undefined if nothing. */
  changeBy(transaction: Transaction): LoggedChange | undefined {
    if (this.#pending?.by !== transaction) return undefined;
    const { values } = this.#pending;
    // Inserted, and deleted again.
    if (values === undefined && this.committed === undefined) return undefined;
    return { table: this.table.shape.name, id: this.id, values };
  }

  /** The transaction has ended. */
  end(transaction: Transaction, isCommitted: boolean): void {
    this.#locks.delete(transaction);
    if (this.#pending?.by !== transaction) return;
    if (isCommitted) this.committed = this.#pending.values;
    this.#pending = undefined;
    if (this.committed === undefined && this.#locks.size === 0) this.table.rows.delete(this.id);
  }
}

/** The columns of a table, and of its unique indexes. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly required: ReadonlySet<string>;
  readonly primaryKey: readonly string[];
}

/** A table and its rows. */
export class Table {
  readonly shape: TableShape;
  readonly rows: Map<string, StoredRow> = new Map();
  /** By name, the columns of each unique index besides the primary key. */
  readonly indexes: Map<string, readonly string[]> = new Map();

  constructor(shape: TableShape) {
    this.shape = shape;
  }

  /** True if a change of these columns changes a key that others may refer to, for which a row lock is stronger. */
  isKey(columns: readonly string[]): boolean {
    const keys = new Set([this.shape.primaryKey, ...this.indexes.values()].flat());
    return columns.some((column) => keys.has(column));
  }

  idOf(values: RowValues): string {
    return this.shape.primaryKey.map((column) => String(values[column])).join('\n');
  }

  /** @throws SqlError for a value that the table does not take */
  check(values: RowValues): void {
    const { columns, required, name } = this.shape;
    for (const column of columns)
      if (required.has(column) && (values[column] ?? null) === null)
        throw new SqlError('23502', `null value in column "${column}" of relation "${name}"`);
  }
}
