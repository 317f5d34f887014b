import { SimUnsupportedError } from '../../reply.ts';
import { numberOf, textOf, toStringValue } from '../conversions.ts';
import { asLuaError, fault, LuaError, position } from '../errors.ts';
import { isNative, machine, NO_LINE } from '../machine.ts';
import { LuaTable } from '../table.ts';
import {
  isTrue,
  type LuaFunction,
  type LuaResult,
  type LuaValue,
  many,
  NOTHING,
  typeOf,
} from '../values.ts';
import { Arguments } from './arguments.ts';

/** `next`, which compiled loops recognise, so that iterating a table does not search for its position at every step. */
export const next: LuaFunction = (...values) => {
  const args = new Arguments('next', values);
  return args.table(1).next(args.value(2));
};

const stepOfIpairs: LuaFunction = (table, at) => {
  const index = Number(at) + 1;
  const value = table instanceof LuaTable ? table.get(index) : undefined;
  return value === undefined ? undefined : [index, value];
};

/** The basic functions of Lua 5.1 that Redis keeps. */
export const BASE: Readonly<Record<string, LuaValue>> = {
  assert: (...values) => assert(new Arguments('assert', values)),
  error: (...values) => {
    throw raised(new Arguments('error', values));
  },
  ipairs: (...values) => [stepOfIpairs, new Arguments('ipairs', values).table(1), 0],
  next,
  pairs: (...values) => [next, new Arguments('pairs', values).table(1), undefined],
  pcall: (...values) => pcall(new Arguments('pcall', values), values),
  rawequal: (...values) => values[0] === values[1],
  rawget: (...values) => new Arguments('rawget', values).table(1).get(values[1]),
  rawset: (...values) => rawset(new Arguments('rawset', values)),
  select: (...values) => select(new Arguments('select', values), values),
  tonumber: (...values) => tonumber(new Arguments('tonumber', values)),
  tostring: (...values) => textOf(new Arguments('tostring', values).any(1)),
  type: (...values) => typeOf(new Arguments('type', values).any(1)),
  unpack: (...values) => unpack(new Arguments('unpack', values)),
  xpcall: (...values) => xpcall(new Arguments('xpcall', values)),
  _VERSION: 'Lua 5.1',
};

function assert(args: Arguments): LuaResult {
  if (isTrue(args.any(1))) return Array.from({ length: args.count }, (_, at) => args.value(at + 1));
  throw fault(args.stringOr(2, 'assertion failed!'));
}

/** A text gets the position in front, unless the level is 0 or less; other values are raised unchanged. */
function raised(args: Arguments): LuaError {
  const value = args.value(1);
  const message = toStringValue(value);
  const level = args.intOr(2, 1);
  if (message === undefined || level < 1) return new LuaError(value);
  // The lines of callers are not recorded.
  if (level > 1) throw new SimUnsupportedError('error levels above 1');
  return new LuaError(position() + message);
}

function pcall(args: Arguments, values: readonly LuaValue[]): LuaResult {
  const run = args.any(1);
  try {
    return [true, ...guarded(run, values.slice(1))];
  } catch (error) {
    return [false, errorText(asLuaError(error).value)];
  }
}

/** A library function called from here has no script line for its errors. */
function guarded(run: LuaValue, values: readonly LuaValue[]): readonly LuaValue[] {
  if (typeof run !== 'function') throw new LuaError(`attempt to call a ${typeOf(run)} value`);
  const { line } = machine;
  if (isNative(run)) machine.line = NO_LINE;
  try {
    return many(run(...values));
  } finally {
    machine.line = line;
  }
}

/** Redis passes the text of its own errors to the catcher, as before they became tables. */
function errorText(value: LuaValue): LuaValue {
  const message = value instanceof LuaTable ? value.get('err') : undefined;
  return typeof message === 'string' ? message : value;
}

function xpcall(args: Arguments): LuaResult {
  const [run, handler] = [args.any(1), args.any(2)];
  try {
    return [true, ...guarded(run, [])];
  } catch (error) {
    const { value } = asLuaError(error);
    return [false, ...many(typeof handler === 'function' ? handler(value) : undefined)];
  }
}

function rawset(args: Arguments): LuaResult {
  const table = args.table(1);
  table.set(args.any(2), args.any(3));
  return table;
}

function select(args: Arguments, values: readonly LuaValue[]): LuaResult {
  if (args.value(1) === '#') return args.count - 1;
  const from = args.int(1);
  const start = from < 0 ? args.count + from : from;
  if (start < 1) throw args.bad(1, 'index out of range');
  return values.slice(start);
}

function tonumber(args: Arguments): LuaResult {
  const base = args.intOr(2, 10);
  if (base === 10) {
    const value = args.any(1);
    return typeof value === 'string'
      ? numberOf(value)
      : typeof value === 'number'
        ? value
        : undefined;
  }
  const digits = args.string(1).trim().toLowerCase();
  if (base < 2 || base > 36) throw args.bad(2, 'base out of range');
  const bare = base === 16 ? digits.replace(/^(-?)0x/, '$1') : digits;
  const valid =
    /^-?[0-9a-z]+$/.test(bare) &&
    Array.from(bare.replace('-', '')).every((digit) => Number.parseInt(digit, 36) < base);
  if (!valid) return undefined;
  const size = Number.parseInt(bare.replace('-', ''), base);
  // Read as an unsigned 64-bit integer: larger numbers become the largest, negative ones wrap around.
  if (size >= 2 ** 64) return 2 ** 64;
  return bare.startsWith('-') && size > 0 ? 2 ** 64 - size : size;
}

const UNPACK_MAX = 8000;

function unpack(args: Arguments): LuaResult {
  const table = args.table(1);
  const from = args.intOr(2, 1);
  const to = args.intOr(3, table.length());
  if (to - from >= UNPACK_MAX) throw fault('too many results to unpack');
  if (from > to) return NOTHING;
  return Array.from({ length: to - from + 1 }, (_, at) => table.get(from + at));
}
