import { toStringValue } from '../conversions.ts';
import { fault, LuaError } from '../errors.ts';
import { machine } from '../machine.ts';
import { comparisonOf, isLess } from '../operations.ts';
import type { LuaTable } from '../table.ts';
import { first, isTrue, type LuaResult, type LuaValue, NOTHING, typeOf } from '../values.ts';
import { Arguments } from './arguments.ts';

/** The table library of Lua 5.1. */
export const TABLE: Readonly<Record<string, LuaValue>> = {
  concat: (...values) => concat(new Arguments('concat', values)),
  insert: (...values) => insert(new Arguments('insert', values)),
  remove: (...values) => remove(new Arguments('remove', values)),
  sort: (...values) => sort(new Arguments('sort', values)),
  getn: (...values) => new Arguments('getn', values).table(1).length(),
  maxn: (...values) => maxn(new Arguments('maxn', values).table(1)),
  foreach: (...values) => foreach(new Arguments('foreach', values)),
  foreachi: (...values) => foreachi(new Arguments('foreachi', values)),
  setn: () => {
    throw fault("'setn' is obsolete");
  },
};

function concat(args: Arguments): string {
  const table = args.table(1);
  const between = args.stringOr(2, '');
  const parts: string[] = [];
  const last = args.intOr(4, table.length());
  for (let at = args.intOr(3, 1); at <= last; at++) {
    machine.spend(1);
    const value = table.get(at);
    const text = toStringValue(value);
    if (text === undefined)
      throw fault(`invalid value (${typeOf(value)}) at index ${at} in table for 'concat'`);
    parts.push(text);
  }
  return parts.join(between);
}

function insert(args: Arguments): LuaResult {
  const table = args.table(1);
  const end = table.length() + 1;
  if (args.count === 2) table.set(end, args.value(2));
  else if (args.count === 3) {
    const at = args.int(2);
    for (let to = Math.max(end, at); to > at; to--) table.set(to, table.get(to - 1));
    table.set(at, args.value(3));
  } else throw fault("wrong number of arguments to 'insert'");
  return NOTHING;
}

function remove(args: Arguments): LuaResult {
  const table = args.table(1);
  const end = table.length();
  const at = args.intOr(2, end);
  if (at < 1 || at > end) return NOTHING;
  const removed = table.get(at);
  for (let to = at; to < end; to++) table.set(to, table.get(to + 1));
  table.set(end, undefined);
  return removed;
}

function sort(args: Arguments): LuaResult {
  const table = args.table(1);
  const order = args.value(2) === undefined ? natural : custom(args);
  const values = Array.from({ length: table.length() }, (_, at) => table.get(at + 1));
  values.sort((a, b) => (order(a, b) ? -1 : order(b, a) ? 1 : 0));
  for (const [at, value] of values.entries()) table.set(at + 1, value);
  return NOTHING;
}

/** As `<`. The error for incomparable values has no line, because the library compares. */
function natural(a: LuaValue, b: LuaValue): boolean {
  const comparable = typeof a === typeof b && (typeof a === 'number' || typeof a === 'string');
  if (!comparable) throw new LuaError(comparisonOf(a, b));
  return isLess(a, b);
}

function custom(args: Arguments): (a: LuaValue, b: LuaValue) => boolean {
  const compare = args.function(2);
  return (a, b) => isTrue(first(compare(a, b)));
}

function maxn(table: LuaTable): number {
  let most = 0;
  for (const [key] of table.entries()) if (typeof key === 'number' && key > most) most = key;
  return most;
}

function foreach(args: Arguments): LuaResult {
  const run = args.function(2);
  for (const [key, value] of args.table(1).entries()) {
    const result = first(run(key, value));
    if (result !== undefined) return result;
  }
  return NOTHING;
}

function foreachi(args: Arguments): LuaResult {
  const [table, run] = [args.table(1), args.function(2)];
  for (let at = 1; at <= table.length(); at++) {
    const result = first(run(at, table.get(at)));
    if (result !== undefined) return result;
  }
  return NOTHING;
}
