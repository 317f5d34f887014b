import type {
  DeleteStatement,
  InsertStatement,
  SelectFromStatement,
  SetStatement,
  Statement,
  UpdateStatement,
  WithStatement,
} from 'pgsql-ast-parser';
import type { Catalogue } from './catalogue.ts';
import { Evaluator, type RowValues, type Scope } from './expressions.ts';
import { Queries, queryIn } from './queries.ts';
import { StoredRow, type Table } from './table.ts';
import type { LockMode, Transaction } from './transaction.ts';
import { SqlUnsupported } from './unsupported.ts';
import { SqlError, type Value } from './values.ts';

/** A statement that runs. Each transaction that it yields has to end before it can go on. */
export type Running = Generator<Transaction, readonly RowValues[], void>;

/** What a statement runs in. */
export interface StatementContext {
  readonly catalogue: Catalogue;
  readonly transaction: Transaction;
  readonly args: readonly Value[];
  call(name: string, args: readonly Value[]): Value;
}

/**
 * Runs the statements of the recipe and some like them, in READ COMMITTED: a statement sees what is committed when it begins.
 * A row that another transaction keeps locked is waited for, and looked at once more. Anything else throws.
 */
export class Executor {
  readonly #context: StatementContext;
  readonly #evaluator: Evaluator;
  readonly #named = new Map<string, readonly RowValues[]>();
  readonly #queries: Queries;

  constructor(context: StatementContext) {
    this.#context = context;
    this.#evaluator = new Evaluator({
      args: context.args,
      call: (name, args) => context.call(name, args),
      exists: (query, scope) => this.#queries.candidates(queryIn(query), scope).length > 0,
      scalar: (query, scope) => this.#queries.scalar(queryIn(query), scope),
      texts: (query, scope) => this.#queries.texts(queryIn(query), scope),
    });
    const { catalogue, transaction } = context;
    const evaluator = this.#evaluator;
    this.#queries = new Queries({ catalogue, transaction, evaluator, named: this.#named });
  }

  *run(statement: Statement): Running {
    const { type } = statement;
    if (type === 'select') return yield* this.#select(statement);
    if (type === 'with') return yield* this.#with(statement);
    if (type === 'insert') return yield* this.#insert(statement);
    if (type === 'update') return yield* this.#update(statement);
    if (type === 'delete') return yield* this.#delete(statement);
    const { catalogue } = this.#context;
    if (type === 'create table') catalogue.createTable(statement);
    else if (type === 'create index') catalogue.createIndex(statement);
    else if (type !== 'create schema') throw new SqlUnsupported(`the statement ${type}`);
    return [];
  }

  *#with({ bind, in: query }: WithStatement): Running {
    for (const { alias, statement } of bind)
      this.#named.set(alias.name, yield* this.run(statement));
    return yield* this.run(query);
  }

  *#select(query: SelectFromStatement): Running {
    if (query.for == null) return this.#queries.rows(query, undefined);
    const rows: RowValues[] = [];
    for (const { scope, stored } of this.#queries.candidates(query, undefined)) {
      if (stored === undefined) rows.push(this.#queries.row(query.columns, scope));
      else {
        yield* this.#lock(stored, query.for.type);
        const seen = this.#scopeOf(stored, scope?.alias ?? '');
        if (seen !== undefined && this.#evaluator.holds(query.where, seen))
          rows.push(this.#queries.row(query.columns, seen));
      }
    }
    return rows;
  }

  *#update({ table: name, sets, where, from, returning }: UpdateStatement): Running {
    if (from !== undefined) throw new SqlUnsupported('UPDATE … FROM');
    const table = this.#context.catalogue.table(name);
    const alias = name.alias ?? name.name;
    const rows: RowValues[] = [];
    for (const stored of Array.from(table.rows.values())) {
      const first = this.#scopeOf(stored, alias);
      if (first === undefined || !this.#evaluator.holds(where, first)) continue;
      // What it would make of the row decides how strongly it locks it.
      yield* this.#lock(stored, this.#modeOf(table, first.row, this.#changed(sets, first)));
      const seen = this.#scopeOf(stored, alias);
      if (seen === undefined || !this.#evaluator.holds(where, seen)) continue;
      const values = this.#changed(sets, seen);
      yield* this.#lock(stored, this.#modeOf(table, seen.row, values));
      stored.write(this.#context.transaction, values);
      if (returning != null) rows.push(this.#queries.row(returning, { alias, row: values }));
    }
    return rows;
  }

  *#delete({ from: name, where, returning }: DeleteStatement): Running {
    const table = this.#context.catalogue.table(name);
    const alias = name.alias ?? name.name;
    const rows: RowValues[] = [];
    for (const stored of Array.from(table.rows.values())) {
      const first = this.#scopeOf(stored, alias);
      if (first === undefined || !this.#evaluator.holds(where, first)) continue;
      yield* this.#lock(stored, 'update');
      const seen = this.#scopeOf(stored, alias);
      if (seen === undefined || !this.#evaluator.holds(where, seen)) continue;
      stored.write(this.#context.transaction, undefined);
      if (returning != null) rows.push(this.#queries.row(returning, seen));
    }
    return rows;
  }

  *#insert({ into, insert, columns, onConflict, returning }: InsertStatement): Running {
    const table = this.#context.catalogue.table(into);
    const alias = into.alias ?? into.name;
    const rows: RowValues[] = [];
    for (const source of this.#sources(insert)) {
      const values: Record<string, Value> = {};
      for (const column of table.shape.columns) values[column] = null;
      for (const [at, { name }] of (columns ?? []).entries()) values[name] = source[at] ?? null;
      const stored = yield* this.#rowFor(table, values);
      let written: RowValues | undefined = values;
      if (stored.seenBy(this.#context.transaction) !== undefined)
        written = yield* this.#conflict(stored, { alias, excluded: values, onConflict });
      else stored.lock(this.#context.transaction, 'update');
      if (written === undefined) continue;
      stored.write(this.#context.transaction, written);
      if (returning != null) rows.push(this.#queries.row(returning, { alias, row: written }));
    }
    return rows;
  }

  /** The row with this key, or a new one; another that is about to be inserted is waited for. */
  *#rowFor(table: Table, values: RowValues): Generator<Transaction, StoredRow, void> {
    const id = table.idOf(values);
    for (;;) {
      const stored = table.rows.get(id);
      if (stored === undefined) {
        const made = new StoredRow(table, id);
        table.rows.set(id, made);
        return made;
      }
      const inserting =
        stored.committed === undefined && stored.blockerOf(this.#context.transaction, 'update');
      if (!inserting) return stored;
      yield inserting;
    }
  }

  /** What `ON CONFLICT` makes of a row that is there; undefined: nothing. */
  *#conflict(
    stored: StoredRow,
    {
      alias,
      excluded,
      onConflict,
    }: {
      readonly alias: string;
      readonly excluded: RowValues;
      readonly onConflict: InsertStatement['onConflict'];
    },
  ): Generator<Transaction, RowValues | undefined, void> {
    const { table } = stored;
    if (onConflict == null)
      throw new SqlError('23505', `duplicate key value in ${table.shape.name}`);
    if (onConflict.do === 'do nothing') return undefined;
    const { sets } = onConflict.do;
    const isKey = table.isKey(sets.map(({ column }) => column.name));
    yield* this.#lock(stored, isKey ? 'update' : 'no key update');
    const outer: Scope = { alias: 'excluded', row: excluded };
    const seen = this.#scopeOf(stored, alias, outer);
    if (seen === undefined || !this.#evaluator.holds(onConflict.where, seen)) return undefined;
    return this.#changed(sets, seen);
  }

  *#lock(stored: StoredRow, mode: LockMode): Generator<Transaction, void, void> {
    const { transaction } = this.#context;
    for (;;) {
      const blocker = stored.blockerOf(transaction, mode);
      if (blocker === undefined) break;
      yield blocker;
    }
    stored.lock(transaction, mode);
  }

  #modeOf(table: Table, before: RowValues, after: RowValues): LockMode {
    const changed = table.shape.columns.filter((column) => before[column] !== after[column]);
    return table.isKey(changed) ? 'update' : 'no key update';
  }

  #changed(sets: readonly SetStatement[], scope: Scope): RowValues {
    const values = { ...scope.row };
    for (const { column, value } of sets) {
      if (!(column.name in values))
        throw new SqlError('42703', `column "${column.name}" does not exist`);
      values[column.name] = this.#evaluator.value(value, scope);
    }
    return values;
  }

  #scopeOf(stored: StoredRow, alias: string, outer?: Scope): Scope | undefined {
    const row = stored.seenBy(this.#context.transaction);
    return row && { alias, row, outer };
  }

  #sources(insert: InsertStatement['insert']): readonly (readonly Value[])[] {
    if (insert.type === 'values')
      return insert.values.map((row) => row.map((each) => this.#evaluator.value(each, undefined)));
    const query = queryIn(insert);
    return this.#queries
      .candidates(query, undefined)
      .map(({ scope }) =>
        (query.columns ?? []).map(({ expr }) => this.#evaluator.value(expr, scope)),
      );
  }
}
