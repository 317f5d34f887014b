import { formatGeneral } from '../printf.ts';
import { SimUnsupportedError } from '../reply.ts';
import { LuaUserdata, type LuaValue, typeOf } from './values.ts';

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const HEXADECIMAL = /^([+-]?)0x(?=\.?[0-9a-f])([0-9a-f]*)\.?([0-9a-f]*)(?:p([+-]?\d+))?$/i;
const SPECIAL = /^([+-]?)(inf(?:inity)?|nan)$/i;
/** Matches nearly all numbers. */
const WHOLE = /^\d{1,15}$/;
const BLANK = /^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g;

/** Returns the number of a string, as C's strtod reads it; undefined if it is none. */
export function numberOf(text: string): number | undefined {
  if (WHOLE.test(text)) return Number(text);
  const bare = text.replace(BLANK, '');
  if (DECIMAL.test(bare)) return Number(bare);
  return hexadecimal(bare) ?? special(bare);
}

function hexadecimal(text: string): number | undefined {
  const [, sign, whole = '', part = '', power = '0'] = HEXADECIMAL.exec(text) ?? [];
  if (sign === undefined) return undefined;
  const size = Number.parseInt(whole + part, 16) * 2 ** (Number(power) - 4 * part.length);
  return sign === '-' ? -size : size;
}

function special(text: string): number | undefined {
  const [, sign, word = ''] = SPECIAL.exec(text) ?? [];
  if (sign === undefined) return undefined;
  if (/^nan$/i.test(word)) return Number.NaN;
  return sign === '-' ? -Infinity : Infinity;
}

/** Lua reads strings as numbers where it needs numbers. */
export function toNumber(value: LuaValue): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' ? numberOf(value) : undefined;
}

/** Numbers as Lua prints them: 14 digits. */
export function numberText(value: number): string {
  return formatGeneral(value, 14);
}

/** Lua reads numbers as strings where it needs strings. */
export function toStringValue(value: LuaValue): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? numberText(value) : undefined;
}

/**
 * As `tostring`.
 * @throws SimUnsupportedError for values that print as an address, which would differ from run to run
 */
export function textOf(value: LuaValue): string {
  const shown = toStringValue(value);
  if (shown !== undefined) return shown;
  if (value === undefined) return 'nil';
  if (typeof value === 'boolean') return `${value}`;
  if (value instanceof LuaUserdata) return `userdata: ${value.label}`;
  throw new SimUnsupportedError(`address of a ${typeOf(value)} to print`);
}
