import { sha1Hex } from '@holdfast/redis/port';
import { toBytes, toText } from './bytes.ts';
import { SimUnsupportedError } from './unsupported.ts';

/** The SHA-1 of a string of bytes, as hex. */
export function digest(bytes: string): string {
  const text = toText(bytes);
  if (toBytes(text) !== bytes) throw new SimUnsupportedError('SHA-1 of what is not UTF-8');
  return sha1Hex(text);
}
