import { SqlUnsupported } from './unsupported.ts';

/**
 * A value of SQL. Times and intervals are whole µs, times since 1970. A bigint stays one, because tokens do not fit into a
 * double. Arrays are only those of the catalogue.
 */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | null
  | readonly number[]
  | readonly string[];

/** The error of a statement, with its SQLSTATE. */
export class SqlError extends Error {
  override readonly name = 'SqlError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

const US_IN_SECOND = 1_000_000;

/** Compares two values that are not NULL: negative, 0 or positive. */
export function compare(left: Value, right: Value): number {
  if (left === right) return 0;
  if (isNumber(left) && isNumber(right)) {
    if (left < right) return -1;
    return left > right ? 1 : 0;
  }
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : 1;
  if (typeof left === 'boolean' && typeof right === 'boolean') return left ? 1 : -1;
  throw new SqlUnsupported(`comparing ${typeof left} with ${typeof right}`);
}

/** `+`, `-`, `*` or `/` of two numbers. */
export function arithmetic(op: string, left: Value, right: Value): Value {
  if (!isNumber(left) || !isNumber(right))
    throw new SqlUnsupported(`${typeof left} ${op} ${typeof right}`);
  if (op === '/' && Number(right) === 0) throw new SqlError('22012', 'division by zero');
  if (typeof left === 'number' && typeof right === 'number') return ofNumbers(op, left, right);
  return ofBigints(op, BigInt(left), BigInt(right));
}

function ofNumbers(op: string, left: number, right: number): number {
  if (op === '+') return left + right;
  if (op === '-') return left - right;
  if (op === '*') return left * right;
  if (op === '/' && Number.isInteger(left) && Number.isInteger(right))
    return Math.trunc(left / right);
  throw new SqlUnsupported(`the operator ${op}`);
}

function ofBigints(op: string, left: bigint, right: bigint): bigint {
  if (op === '+') return left + right;
  if (op === '-') return left - right;
  throw new SqlUnsupported(`the operator ${op} of bigint`);
}

/** The largest of the values that are not NULL. */
export function greatest(values: readonly Value[]): Value {
  let largest: Value = null;
  for (const value of values)
    if (value !== null && (largest === null || compare(value, largest) > 0)) largest = value;
  return largest;
}

/** The smallest of the values that are not NULL. */
export function least(values: readonly Value[]): Value {
  let smallest: Value = null;
  for (const value of values)
    if (value !== null && (smallest === null || compare(value, smallest) < 0)) smallest = value;
  return smallest;
}

/** The seconds of a time or an interval. */
export function epochOf(value: Value): Value {
  if (value === null) return null;
  if (typeof value !== 'number') throw new SqlUnsupported(`epoch of ${typeof value}`);
  return value / US_IN_SECOND;
}

const INTERVALS: Readonly<Record<string, number>> = { millisecond: 1_000, second: US_IN_SECOND };

/** `value::type` */
export function cast(value: Value, type: string): Value {
  if (value === null) return null;
  if (type === 'text') return textOf(value);
  if (type === 'bigint') return bigintOf(value);
  if (type === 'numeric') return numericOf(value);
  if (type === 'interval') return intervalOf(value);
  if (type === 'regclass' && typeof value === 'string') return value.replaceAll('"', '');
  throw new SqlUnsupported(`a cast to ${type}`);
}

/** `value::text` */
export function textOf(value: Value): string {
  if (typeof value === 'object') throw new SqlUnsupported('an array as text');
  return `${value}`;
}

function bigintOf(value: Value): bigint {
  if (typeof value === 'number') return BigInt(Math.round(value));
  if (typeof value === 'bigint') return value;
  if (typeof value === 'string' && /^-?\d+$/.test(value)) return BigInt(value);
  throw new SqlUnsupported(`${typeof value} as bigint`);
}

function numericOf(value: Value): Value {
  if (typeof value === 'string' && /^\d+$/.test(value)) return BigInt(value);
  if (isNumber(value)) return value;
  throw new SqlUnsupported(`${typeof value} as numeric`);
}

function intervalOf(value: Value): number {
  const [, count = '', unit = ''] = /^(\d+) (\w+?)s?$/.exec(String(value)) ?? [];
  const us = INTERVALS[unit];
  if (us === undefined) throw new SqlUnsupported(`the interval ${String(value)}`);
  return Number(count) * us;
}

function isNumber(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

const patterns = new Map<string, RegExp>();

/** `value ~ pattern` */
export function matches(value: Value, pattern: Value): boolean {
  return patternOf(pattern).test(String(value));
}

/** `substring(value FROM pattern)`: its first group, or all that matches; NULL if nothing does. */
export function substring(value: Value, pattern: Value): Value {
  if (value === null) return null;
  const found = patternOf(pattern).exec(String(value));
  return found?.[1] ?? found?.[0] ?? null;
}

/** What the patterns of the recipe use means the same in both languages. */
function patternOf(pattern: Value): RegExp {
  const text = String(pattern);
  if (/[\\{}*?|]/.test(text)) throw new SqlUnsupported(`the pattern ${text}`);
  const before = patterns.get(text);
  if (before !== undefined) return before;
  const made = new RegExp(text);
  patterns.set(text, made);
  return made;
}
