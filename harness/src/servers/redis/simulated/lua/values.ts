import type { LuaTable } from './table.ts';

/** A Lua value: nil is undefined, numbers are doubles in both languages, and strings hold a byte per character. */
export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction | LuaUserdata;

/** One value as it is; any other number of values as an array, which is no Lua value itself. */
export type LuaResult = LuaValue | readonly LuaValue[];

export type LuaFunction = (...args: LuaValue[]) => LuaResult;

/** A value that Lua can only pass on and compare: `cjson.null`. */
export class LuaUserdata {
  readonly label: string;

  constructor(label: string) {
    this.label = label;
  }
}

export const NOTHING: readonly LuaValue[] = Object.freeze([]);

export function first(result: LuaResult): LuaValue {
  return isMany(result) ? result[0] : result;
}

export function many(result: LuaResult): readonly LuaValue[] {
  return isMany(result) ? result : [result];
}

function isMany(result: LuaResult): result is readonly LuaValue[] {
  return Array.isArray(result);
}

export function isTrue(value: LuaValue): boolean {
  return value !== undefined && value !== false;
}

export function typeOf(value: LuaValue): string {
  if (value === undefined) return 'nil';
  if (typeof value !== 'object') return typeof value;
  return value instanceof LuaUserdata ? 'userdata' : 'table';
}
