import type { Expr, ExprBinary, ExprCall, ExprCase, ExprRef, ExprUnary } from 'pgsql-ast-parser';
import { SqlUnsupported } from './unsupported.ts';
import {
  arithmetic,
  cast,
  compare,
  epochOf,
  greatest,
  least,
  matches,
  SqlError,
  substring,
  textOf,
  type Value,
} from './values.ts';

/** The values of a row, by column. */
export type RowValues = Readonly<Record<string, Value>>;

/** A row under a name, and those around it: the scope of a name. */
export interface Scope {
  readonly alias: string;
  readonly row: RowValues;
  readonly outer?: Scope | undefined;
  /** All rows of the query, for aggregates. */
  readonly group?: readonly (Scope | undefined)[];
}

/** By name: what they make of the values of a group that are not NULL; of none, NULL. */
const AGGREGATES: Readonly<Record<string, (values: readonly Value[]) => Value>> = {
  max: greatest,
  min: least,
  array_agg: (values) => values.map(textOf),
  sum: (values) => values.reduce((sum, value) => arithmetic('+', sum, value)),
};

/** True if the expression makes one value of all rows. */
export function aggregates(expr: Expr): boolean {
  if (expr.type === 'binary') return aggregates(expr.left) || aggregates(expr.right);
  if (expr.type === 'cast') return aggregates(expr.operand);
  if (expr.type === 'case')
    return expr.whens.some(({ when, value }) => aggregates(when) || aggregates(value));
  if (expr.type !== 'call') return false;
  if (expr.over == null && Object.hasOwn(AGGREGATES, expr.function.name)) return true;
  return expr.args.some(aggregates);
}

/** What expressions need of their statement. */
export interface Context {
  /** Of `$1`, `$2`, … */
  readonly args: readonly Value[];
  /** @throws SqlUnsupported for an unknown function */
  call(name: string, args: readonly Value[]): Value;
  /** True if the query has a row. */
  exists(query: Expr, scope: Scope | undefined): boolean;
  /** The value of a query that has one column, and one row or none. */
  scalar(query: Expr, scope: Scope | undefined): Value;
  /** The texts of a query with one column. */
  texts(query: Expr, scope: Scope | undefined): readonly string[];
}

/** Computes expressions of one statement. NULL is neither true nor false. */
export class Evaluator {
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  /** True if a condition is true, and not if it is NULL; absent: true. */
  holds(condition: Expr | null | undefined, scope: Scope | undefined): boolean {
    return condition == null || this.value(condition, scope) === true;
  }

  value(expr: Expr, scope: Scope | undefined): Value {
    const { type } = expr;
    if (type === 'integer' || type === 'string' || type === 'boolean') return expr.value;
    if (type === 'null') return null;
    if (type === 'parameter') return this.#argument(expr.name);
    if (type === 'ref') return find(expr, scope);
    if (type === 'binary') return this.#binary(expr, scope);
    if (type === 'unary') return this.#unary(expr, scope);
    if (type === 'call') return this.#call(expr, scope);
    if (type === 'select') return this.#context.scalar(expr, scope);
    if (type === 'case') return this.#case(expr, scope);
    if (type === 'array select') return this.#context.texts(expr.select, scope);
    if (type === 'cast')
      return cast(this.value(expr.operand, scope), 'name' in expr.to ? expr.to.name : 'array');
    if (type === 'extract' && expr.field.name === 'epoch')
      return epochOf(this.value(expr.from, scope));
    if (type === 'substring' && expr.from != null && expr.for == null)
      return substring(this.value(expr.value, scope), this.value(expr.from, scope));
    throw new SqlUnsupported(`an expression of type ${type}`);
  }

  #case({ whens, else: otherwise }: ExprCase, scope: Scope | undefined): Value {
    for (const { when, value } of whens)
      if (this.holds(when, scope)) return this.value(value, scope);
    return otherwise == null ? null : this.value(otherwise, scope);
  }

  #argument(name: string): Value {
    const value = this.#context.args[Number(name.slice(1)) - 1];
    if (value === undefined) throw new SqlError('42P02', `there is no parameter ${name}`);
    return value;
  }

  #binary({ op, left, right }: ExprBinary, scope: Scope | undefined): Value {
    const first = this.value(left, scope);
    if (op === 'AND') return and(first, () => this.value(right, scope));
    if (op === 'OR') return negated(and(negated(first), () => negated(this.value(right, scope))));
    if (op === 'IN' && right.type === 'select')
      return first === null ? null : this.#context.texts(right, scope).includes(textOf(first));
    if (op === '=' && right.type === 'call' && right.function.name === 'any')
      return this.#isAny(first, right, scope);
    const second = this.value(right, scope);
    if (first === null || second === null) return null;
    if (op === '||') return textOf(first) + textOf(second);
    if (op === '~') return matches(first, second);
    if (op === '=') return compare(first, second) === 0;
    if (op === '!=') return compare(first, second) !== 0;
    if (op === '<') return compare(first, second) < 0;
    if (op === '<=') return compare(first, second) <= 0;
    if (op === '>') return compare(first, second) > 0;
    if (op === '>=') return compare(first, second) >= 0;
    return arithmetic(op, first, second);
  }

  #isAny(value: Value, { args }: ExprCall, scope: Scope | undefined): boolean {
    const list = args[0] === undefined ? null : this.value(args[0], scope);
    if (!Array.isArray(list)) throw new SqlUnsupported('ANY of no array');
    return list.includes(value);
  }

  #unary({ op, operand }: ExprUnary, scope: Scope | undefined): Value {
    const value = this.value(operand, scope);
    if (op === 'NOT') return negated(value);
    if (op === 'IS NULL') return value === null;
    if (op === 'IS NOT NULL') return value !== null;
    if (op === 'IS TRUE') return value === true;
    if (op === 'IS NOT TRUE') return value !== true;
    throw new SqlUnsupported(`the operator ${op}`);
  }

  #coalesce(args: readonly Expr[], scope: Scope | undefined): Value {
    for (const arg of args) {
      const value = this.value(arg, scope);
      if (value !== null) return value;
    }
    return null;
  }

  /** Of all rows, or with `OVER (ORDER BY …)` of those up to this one. */
  #aggregate(
    aggregate: (values: readonly Value[]) => Value,
    { args: [arg], over }: ExprCall,
    scope: Scope | undefined,
  ): Value {
    if (arg === undefined || scope?.group === undefined)
      throw new SqlUnsupported('an aggregate without rows');
    const { group } = scope;
    const orderOf = (row: Scope | undefined): readonly Value[] =>
      (over?.orderBy ?? []).map(({ by }) => this.value(by, row));
    const own = orderOf(over == null ? undefined : scope);
    const values = group
      .filter((row) => over == null || compareAll(orderOf(row), own) <= 0)
      .map((row) => this.value(arg, row))
      .filter((value) => value !== null);
    return values.length === 0 ? null : aggregate(values);
  }

  #call(expr: ExprCall, scope: Scope | undefined): Value {
    const {
      function: { name },
      args,
    } = expr;
    const aggregate = Object.hasOwn(AGGREGATES, name) ? AGGREGATES[name] : undefined;
    if (aggregate !== undefined) return this.#aggregate(aggregate, expr, scope);
    if (name === 'coalesce') return this.#coalesce(args, scope);
    if (name === 'exists' && args[0] !== undefined) return this.#context.exists(args[0], scope);
    const values = args.map((arg) => this.value(arg, scope));
    return name === 'greatest' ? greatest(values) : this.#context.call(name, values);
  }
}

/** Negative if the first comes before the other, by the first value that differs. */
export function compareAll(one: readonly Value[], other: readonly Value[]): number {
  for (const [at, value] of one.entries()) {
    const order = compare(value, other[at] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function and(first: Value, second: () => Value): Value {
  if (first === false) return false;
  const other = second();
  if (other === false) return false;
  return first === null || other === null ? null : true;
}

function negated(value: Value): Value {
  return value === null ? null : value !== true;
}

function find({ name, table }: ExprRef, scope: Scope | undefined): Value {
  for (let each = scope; each !== undefined; each = each.outer) {
    if (table !== undefined && table.name !== each.alias) continue;
    const value = each.row[name];
    if (value !== undefined) return value;
  }
  throw new SqlError('42703', `column "${name}" does not exist`);
}
