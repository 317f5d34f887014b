import { toNumber, toStringValue } from './conversions.ts';
import { fault } from './errors.ts';
import { LuaTable } from './table.ts';
import { type LuaFunction, type LuaValue, typeOf } from './values.ts';

/**
 * The operations that compiled scripts call. `what` names the operand in errors as Lua does: "local 'x'", "field 'y'",
 * or nothing.
 */

export function add(a: LuaValue, b: LuaValue, whatA: string, whatB: string): number {
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  return numeric(a, whatA) + numeric(b, whatB);
}

export function subtract(a: LuaValue, b: LuaValue, whatA: string, whatB: string): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return numeric(a, whatA) - numeric(b, whatB);
}

export function multiply(a: LuaValue, b: LuaValue, whatA: string, whatB: string): number {
  if (typeof a === 'number' && typeof b === 'number') return a * b;
  return numeric(a, whatA) * numeric(b, whatB);
}

export function divide(a: LuaValue, b: LuaValue, whatA: string, whatB: string): number {
  return numeric(a, whatA) / numeric(b, whatB);
}

/** The remainder has the sign of the divisor. */
export function modulo(a: LuaValue, b: LuaValue, whatA: string, whatB: string): number {
  const [x, y] = [numeric(a, whatA), numeric(b, whatB)];
  return x - Math.floor(x / y) * y;
}

export function power(a: LuaValue, b: LuaValue, whatA: string, whatB: string): number {
  return numeric(a, whatA) ** numeric(b, whatB);
}

export function negate(a: LuaValue, what: string): number {
  return -numeric(a, what);
}

/** Lua reports the first operand that is no number. */
function numeric(value: LuaValue, what: string): number {
  const number = toNumber(value);
  if (number === undefined) throw fault(`attempt to perform arithmetic on ${named(value, what)}`);
  return number;
}

export function concatenate(a: LuaValue, b: LuaValue, whatA: string, whatB: string): string {
  const right = toStringValue(b);
  const left = toStringValue(a);
  if (left === undefined) throw fault(`attempt to concatenate ${named(a, whatA)}`);
  if (right === undefined) throw fault(`attempt to concatenate ${named(b, whatB)}`);
  return left + right;
}

export function length(value: LuaValue, what: string): number {
  if (typeof value === 'string') return value.length;
  if (value instanceof LuaTable) return value.length();
  throw fault(`attempt to get length of ${named(value, what)}`);
}

export function isLess(a: LuaValue, b: LuaValue): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a < b;
  if (typeof a === 'string' && typeof b === 'string') return a < b;
  throw incomparable(a, b);
}

export function isAtMost(a: LuaValue, b: LuaValue): boolean {
  if (typeof a === 'number' && typeof b === 'number') return a <= b;
  if (typeof a === 'string' && typeof b === 'string') return a <= b;
  throw incomparable(a, b);
}

function incomparable(a: LuaValue, b: LuaValue): Error {
  return fault(comparisonOf(a, b));
}

export function comparisonOf(a: LuaValue, b: LuaValue): string {
  const [left, right] = [typeOf(a), typeOf(b)];
  return `attempt to compare ${left === right ? `two ${left} values` : `${left} with ${right}`}`;
}

export function callable(value: LuaValue, what: string): LuaFunction {
  if (typeof value === 'function') return value;
  throw fault(`attempt to call ${named(value, what)}`);
}

export function setIndex(table: LuaValue, key: LuaValue, value: LuaValue, what: string): void {
  if (!(table instanceof LuaTable)) throw fault(`attempt to index ${named(table, what)}`);
  table.set(key, value);
}

/** The three numbers of a `for`; Lua checks them in this order. */
export function forNumber(value: LuaValue, role: 'initial' | 'limit' | 'step'): number {
  const number = toNumber(value);
  if (number === undefined)
    throw fault(`'for' ${role === 'initial' ? 'initial value' : role} must be a number`);
  return number;
}

export function named(value: LuaValue, what: string): string {
  const type = `a ${typeOf(value)} value`;
  return what === '' ? type : `${what} (${type})`;
}
