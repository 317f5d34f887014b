import { NOT_A_FLOAT, NOT_AN_INTEGER, RedisError } from './reply.ts';

const INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;
const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/** Returns the exact 64-bit integer in the form that Redis requires: no plus, no blanks, no leading zeros. */
export function exactInteger(text: string): bigint | undefined {
  if (!INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return isInt64(value) ? value : undefined;
}

export function isInt64(value: bigint): boolean {
  return value >= MIN && value <= MAX;
}

/** @throws RedisError if the text is no 64-bit integer; beyond 2^53 the number is the nearest double */
export function integer(text: string | undefined, refusal: string = NOT_AN_INTEGER): number {
  if (text !== undefined && INTEGER.test(text)) {
    if (text.length < 16) return Number(text);
    const value = exactInteger(text);
    if (value !== undefined) return Number(value);
  }
  throw new RedisError(refusal);
}

/** Returns a count. @throws RedisError if it is negative or no integer */
export function count(text: string): number {
  const refusal = 'ERR value is out of range, must be positive';
  const value = integer(text, refusal);
  if (value < 0) throw new RedisError(refusal);
  return value;
}

const FLOAT = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?)$/i;

/** @throws RedisError if the text is no finite or infinite decimal number */
export function float(text: string | undefined, refusal: string = NOT_A_FLOAT): number {
  const value = text === undefined ? undefined : parseFloatText(text);
  if (value === undefined) throw new RedisError(refusal);
  return value;
}

export function parseFloatText(text: string): number | undefined {
  if (!FLOAT.test(text)) return undefined;
  if (/inf/i.test(text)) return text.startsWith('-') ? -Infinity : Infinity;
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}
