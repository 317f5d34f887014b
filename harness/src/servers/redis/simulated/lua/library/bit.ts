import type { LuaValue } from '../values.ts';
import { Arguments } from './arguments.ts';

/** Bit operations on 32-bit integers, as in LuaBitOp. */
export const BIT: Readonly<Record<string, LuaValue>> = {
  tobit: (...values) => word(new Arguments('tobit', values), 1),
  bnot: (...values) => ~word(new Arguments('bnot', values), 1),
  band: fold('band', (a, b) => a & b),
  bor: fold('bor', (a, b) => a | b),
  bxor: fold('bxor', (a, b) => a ^ b),
  lshift: shift('lshift', (a, by) => a << by),
  rshift: shift('rshift', (a, by) => (a >>> by) | 0),
  arshift: shift('arshift', (a, by) => a >> by),
  rol: shift('rol', (a, by) => (by === 0 ? a : (a << by) | (a >>> (32 - by)))),
  ror: shift('ror', (a, by) => (by === 0 ? a : (a >>> by) | (a << (32 - by)))),
  bswap: (...values) => swapped(word(new Arguments('bswap', values), 1)),
  tohex: (...values) => hexadecimal(new Arguments('tohex', values)),
};

/** Adding it moves the lower 32 bits of a number's integer to the lower end of the double. */
const MAGIC = 6755399441055744;

const view = new DataView(new ArrayBuffer(8));

/** The number modulo 2^32, rounded to even; beyond 2^51 the result of LuaBitOp's addition. */
function word(args: Arguments, at: number): number {
  view.setFloat64(0, args.number(at) + MAGIC);
  return view.getInt32(4);
}

function fold(name: string, of: (a: number, b: number) => number): LuaValue {
  return (...values) => {
    const args = new Arguments(name, values);
    let result = word(args, 1);
    for (let at = 2; at <= args.count; at++) result = of(result, word(args, at));
    return result;
  };
}

function shift(name: string, of: (a: number, by: number) => number): LuaValue {
  return (...values) => {
    const args = new Arguments(name, values);
    return of(word(args, 1), word(args, 2) & 31);
  };
}

function swapped(value: number): number {
  return (value >>> 24) | ((value >>> 8) & 0xff00) | ((value << 8) & 0xff0000) | (value << 24);
}

function hexadecimal(args: Arguments): string {
  const value = word(args, 1) >>> 0;
  const digits = args.value(2) === undefined ? 8 : word(args, 2);
  const text = value
    .toString(16)
    .padStart(8, '0')
    .slice(-Math.min(8, Math.abs(digits)) || 8);
  const shown = digits === 0 ? '' : text;
  return digits < 0 ? shown.toUpperCase() : shown;
}
