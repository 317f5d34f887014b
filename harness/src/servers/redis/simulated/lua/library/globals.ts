import { SimUnsupportedError } from '../../reply.ts';
import { fault } from '../errors.ts';
import { native } from '../machine.ts';
import { named } from '../operations.ts';
import { LuaTable, ReadOnlyTable } from '../table.ts';
import type { LuaValue } from '../values.ts';
import { BASE } from './base.ts';
import { BIT } from './bit.ts';
import { CJSON } from './cjson.ts';
import { MATH } from './math.ts';
import { REDIS } from './redis.ts';
import { STRING } from './string.ts';
import { TABLE } from './table.ts';

const strings = new ReadOnlyTable(STRING);

const library: Readonly<Record<string, LuaValue>> = {
  ...BASE,
  bit: new ReadOnlyTable(BIT),
  cjson: new ReadOnlyTable(CJSON),
  math: new ReadOnlyTable(MATH),
  redis: new ReadOnlyTable(REDIS),
  string: strings,
  table: new ReadOnlyTable(TABLE),
};

/**
 * All globals except KEYS and ARGV, by their names in compiled code: `global$tonumber`, and `redis$call` for a function
 * inside a table. Scripts cannot change them, so one lookup is enough.
 */
export const LIBRARY: ReadonlyMap<string, LuaValue> = new Map(
  Object.entries(library).flatMap(([name, value]) => [
    [`global$${name}`, value] as const,
    ...(value instanceof LuaTable ? functionsOf(name, value) : []),
  ]),
);

for (const value of LIBRARY.values()) if (typeof value === 'function') native(value);

function* functionsOf(name: string, table: LuaTable): Generator<readonly [string, LuaValue]> {
  for (const [field, value] of table.entries())
    if (typeof field === 'string' && typeof value === 'function') yield [`${name}$${field}`, value];
}

/** Globals of Redis that the simulator does not have; using one throws. */
const MISSING: ReadonlySet<string> = new Set([
  '_G',
  'cmsgpack',
  'collectgarbage',
  'coroutine',
  'gcinfo',
  'getmetatable',
  'load',
  'loadstring',
  'setmetatable',
  'struct',
]);

/** @throws LuaError as Redis does for an undefined global */
export function missingGlobal(name: string): never {
  if (MISSING.has(name)) throw new SimUnsupportedError(`Lua global ${name}`);
  throw fault(`Script attempted to access nonexistent global variable '${name}'`);
}

/** Scripts may not create or replace a global. */
export function globalWrite(): never {
  throw fault('Attempt to modify a readonly table');
}

/** Strings have the string library as their methods. */
export function index(value: LuaValue, key: LuaValue, what: string): LuaValue {
  if (value instanceof LuaTable) return value.get(key);
  if (typeof value === 'string') return strings.get(key);
  throw fault(`attempt to index ${named(value, what)}`);
}
