import type { Expr, From, FromCall, SelectedColumn, SelectFromStatement } from 'pgsql-ast-parser';
import type { Catalogue } from './catalogue.ts';
import {
  aggregates,
  compareAll,
  type Evaluator,
  type RowValues,
  type Scope,
} from './expressions.ts';
import type { StoredRow } from './table.ts';
import type { Transaction } from './transaction.ts';
import { SqlUnsupported } from './unsupported.ts';
import { SqlError, textOf, type Value } from './values.ts';

/** A row that a query is about, and the stored row that it comes from, if it does. */
interface Candidate {
  readonly scope: Scope | undefined;
  readonly stored?: StoredRow;
}

interface QueryContext {
  readonly catalogue: Catalogue;
  readonly transaction: Transaction;
  readonly evaluator: Evaluator;
  /** The rows of `WITH`, by name. */
  readonly named: ReadonlyMap<string, readonly RowValues[]>;
}

/** Finds the rows of queries. */
export class Queries {
  readonly #context: QueryContext;

  constructor(context: QueryContext) {
    this.#context = context;
  }

  /** The rows that a query is about, without locking any. */
  candidates(query: SelectFromStatement, outer: Scope | undefined): readonly Candidate[] {
    const {
      from,
      where,
      columns,
      orderBy,
      limit,
      for: locking,
      skip: _skip,
      type: _type,
      ...more
    } = query;
    const [unknown] = Object.keys(more);
    if (unknown !== undefined) throw new SqlUnsupported(`SELECT with ${unknown}`);
    const all: Candidate[] = [];
    for (const candidate of this.#from(from ?? undefined, outer))
      if (
        this.#context.evaluator.holds(where, candidate.scope) &&
        !this.#isSkipped(query, candidate)
      )
        all.push(candidate);
    if (orderBy == null && limit == null) return all;
    // A limit counts results, and these are rows of a table: the same only where each row is a result of its own.
    if (locking != null || columns?.some(({ expr }) => expr.type !== 'ref') !== false)
      throw new SqlUnsupported('ORDER BY or LIMIT of anything but columns');
    return this.#front(all, query, outer);
  }

  /** True with `SKIP LOCKED`, if another transaction keeps the row locked. */
  #isSkipped({ for: locking, skip }: SelectFromStatement, { stored }: Candidate): boolean {
    if (skip?.type === 'nowait') throw new SqlUnsupported('NOWAIT');
    if (skip === undefined || locking === undefined || stored === undefined) return false;
    return stored.blockerOf(this.#context.transaction, locking.type) !== undefined;
  }

  /** Those rows that come first. */
  #front(
    all: readonly Candidate[],
    { orderBy, limit }: SelectFromStatement,
    outer: Scope | undefined,
  ): readonly Candidate[] {
    const { evaluator } = this.#context;
    const orderOf = ({ scope }: Candidate): readonly Value[] =>
      (orderBy ?? []).map(({ by, order, nulls }) => {
        if (order === 'DESC' || nulls != null) throw new SqlUnsupported('ORDER BY … DESC or NULLS');
        return evaluator.value(by, scope);
      });
    const sorted = all
      .map((candidate) => ({ candidate, order: orderOf(candidate) }))
      .toSorted((one, other) => compareAll(one.order, other.order))
      .map(({ candidate }) => candidate);
    if (limit?.offset != null) throw new SqlUnsupported('OFFSET');
    const most = limit?.limit == null ? null : evaluator.value(limit.limit, outer);
    return most === null ? sorted : sorted.slice(0, Number(most));
  }

  /** The rows of a query that locks none: one if its columns aggregate. */
  rows(query: SelectFromStatement, outer: Scope | undefined): readonly RowValues[] {
    const group = this.candidates(query, outer).map(({ scope }) => scope);
    const { columns } = query;
    if (columns?.some(({ expr }) => aggregates(expr)) === true)
      return [this.row(columns, { alias: '', row: {}, outer, group })];
    return group.map((scope) => this.row(columns, scope && { ...scope, group }));
  }

  /** The value of a query with one column; NULL if it has no row. */
  scalar(query: SelectFromStatement, outer: Scope | undefined): Value {
    const [row, more] = this.rows(query, outer);
    if (more !== undefined) throw new SqlError('21000', 'more than one row returned by a subquery');
    return row === undefined ? null : (Object.values(row)[0] ?? null);
  }

  /** The texts of a query with one column. */
  texts(query: SelectFromStatement, outer: Scope | undefined): readonly string[] {
    return this.rows(query, outer).map((row) => textOf(Object.values(row)[0] ?? null));
  }

  #from(from: readonly From[] | undefined, outer: Scope | undefined): readonly Candidate[] {
    const [first, second, ...more] = from ?? [];
    if (first === undefined) return [{ scope: outer }];
    if (more.length > 0) throw new SqlUnsupported('a join of three');
    const left = this.#rowsOf(first, outer);
    return second === undefined ? left : left.flatMap(({ scope }) => this.#joined(second, scope));
  }

  /** `LEFT JOIN`: the rows that go with this one, or one without values. */
  #joined(from: From, scope: Scope | undefined): readonly Candidate[] {
    if (from.type !== 'table' || from.join?.type !== 'LEFT JOIN')
      throw new SqlUnsupported('a join other than LEFT JOIN');
    const { on } = from.join;
    const found = this.#rowsOf(from, scope).filter((each) =>
      this.#context.evaluator.holds(on, each.scope),
    );
    if (found.length > 0) return found;
    const { columns } = this.#context.catalogue.table(from.name).shape;
    const row = Object.fromEntries(columns.map((column) => [column, null]));
    return [{ scope: { alias: from.name.alias ?? from.name.name, row, outer: scope } }];
  }

  #rowsOf(from: From, outer: Scope | undefined): readonly Candidate[] {
    if (from.type === 'statement') {
      const query = queryIn(from.statement);
      return this.rows(query, outer).map((row) => ({ scope: { alias: from.alias, row, outer } }));
    }
    if (from.type === 'call') return this.#unnested(from, outer);
    const { catalogue, transaction } = this.#context;
    const { name, alias = name } = from.name;
    const rows = this.#context.named.get(name) ?? catalogue.systemRows(from.name);
    if (rows !== undefined) return rows.map((row) => ({ scope: { alias, row, outer } }));
    return Array.from(catalogue.table(from.name).rows.values()).flatMap((stored) => {
      const row = stored.seenBy(transaction);
      return row === undefined ? [] : [{ scope: { alias, row, outer }, stored }];
    });
  }

  /** The elements of an array, and with `WITH ORDINALITY` their numbers. */
  #unnested(from: FromCall, outer: Scope | undefined): readonly Candidate[] {
    const { function: called, args, alias, withOrdinality: isNumbered = false } = from;
    const [column, number] = alias?.columns ?? [];
    const [array] = args.map((arg) => this.#context.evaluator.value(arg, outer));
    if (
      called.name !== 'unnest' ||
      !Array.isArray(array) ||
      alias === undefined ||
      column === undefined
    )
      throw new SqlUnsupported(`FROM ${called.name}`);
    return array.map((value: string | number, at) => {
      const row = {
        [column.name]: value,
        ...(isNumbered && number !== undefined && { [number.name]: BigInt(at + 1) }),
      };
      return { scope: { alias: alias.name, row, outer } };
    });
  }

  /** The values of a query's columns. */
  row(columns: readonly SelectedColumn[] | null | undefined, scope: Scope | undefined): RowValues {
    const row: Record<string, Value> = {};
    for (const { expr, alias } of columns ?? [])
      row[alias?.name ?? nameOf(expr)] = this.#context.evaluator.value(expr, scope);
    return row;
  }
}

/** The name of a column without one of its own. */
function nameOf(expr: Expr): string {
  if (expr.type === 'ref') return expr.name;
  if (expr.type === 'call') return expr.function.name;
  // Of a subquery whose value alone matters.
  if (expr.type === 'binary' || expr.type === 'case') return '?column?';
  throw new SqlUnsupported('a column without a name');
}

export function queryIn(expr: { readonly type: string }): SelectFromStatement {
  if (isQuery(expr)) return expr;
  throw new SqlUnsupported(`a query of type ${expr.type}`);
}

function isQuery(expr: { readonly type: string }): expr is SelectFromStatement {
  return expr.type === 'select';
}
