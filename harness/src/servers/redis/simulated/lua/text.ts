import { SimUnsupportedError } from '../unsupported.ts';
import { toStringValue } from './numbers.ts';
import { LuaUserdata, type LuaValue, typeOf } from './values.ts';

/**
 * As `tostring`.
 * @throws SimUnsupportedError for what has only an address, which would differ from run to run
 */
export function textOf(value: LuaValue): string {
  const shown = toStringValue(value);
  if (shown !== undefined) return shown;
  if (value === undefined) return 'nil';
  if (typeof value === 'boolean') return `${value}`;
  if (value instanceof LuaUserdata) return `userdata: ${value.label}`;
  throw new SimUnsupportedError(`address of a ${typeOf(value)} to print`);
}
