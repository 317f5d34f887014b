import { toNumber, toStringValue } from '../conversions.ts';
import { fault, LuaError } from '../errors.ts';
import { machine, NO_LINE } from '../machine.ts';
import { LuaTable } from '../table.ts';
import { type LuaFunction, type LuaValue, typeOf } from '../values.ts';

/** The arguments of a library function, checked and named in errors as in Lua's own library. */
export class Arguments {
  readonly #name: string;
  readonly #values: readonly LuaValue[];

  constructor(name: string, values: readonly LuaValue[]) {
    this.#name = name;
    this.#values = values;
  }

  get count(): number {
    return this.#values.length;
  }

  /** `at` counts from 1. */
  value(at: number): LuaValue {
    return this.#values[at - 1];
  }

  any(at: number): LuaValue {
    if (at > this.count) throw this.bad(at, 'value expected');
    return this.value(at);
  }

  number(at: number): number {
    const number = toNumber(this.value(at));
    if (number === undefined) throw this.#wrong(at, 'number');
    return number;
  }

  /** Truncates towards zero, as a cast to 64 bits on x86: values out of range become the smallest integer. */
  integer(at: number): number {
    const number = this.number(at);
    return Math.abs(number) < 2 ** 63 ? Math.trunc(number) : -(2 ** 63);
  }

  integerOr(at: number, otherwise: number): number {
    return this.value(at) === undefined ? otherwise : this.integer(at);
  }

  /** The lower 32 bits of {@link integer}, where the library has an `int`. */
  int(at: number): number {
    return this.integer(at) | 0;
  }

  intOr(at: number, otherwise: number): number {
    return this.value(at) === undefined ? otherwise : this.int(at);
  }

  string(at: number): string {
    const text = toStringValue(this.value(at));
    if (text === undefined) throw this.#wrong(at, 'string');
    return text;
  }

  stringOr(at: number, otherwise: string): string {
    return this.value(at) === undefined ? otherwise : this.string(at);
  }

  table(at: number): LuaTable {
    const value = this.value(at);
    if (value instanceof LuaTable) return value;
    throw this.#wrong(at, 'table');
  }

  function(at: number): LuaFunction {
    const value = this.value(at);
    if (typeof value === 'function') return value;
    throw this.#wrong(at, 'function');
  }

  bad(at: number, reason: string): LuaError {
    const name = machine.line === NO_LINE ? '?' : this.#name;
    return fault(`bad argument #${at} to '${name}' (${reason})`);
  }

  #wrong(at: number, expected: string): LuaError {
    const got = at > this.count ? 'no value' : typeOf(this.value(at));
    return this.bad(at, `${expected} expected, got ${got}`);
  }
}
