import type { Arguments } from '../arguments.ts';
import { UsageError } from '../usage-error.ts';

/** The one key of a command. @throws UsageError */
export function oneKey({ operands }: Arguments): string {
  const [key, ...more] = operands;
  if (key === undefined || more.length > 0) throw new UsageError('name one key');
  return key;
}

/** The beginning of the keys that a command is about; empty for all. @throws UsageError */
export function prefixOf({ operands }: Arguments): string {
  const [prefix = '', ...more] = operands;
  if (more.length > 0) throw new UsageError('name one prefix, or none', "Quote a *: 'orders/*'");
  return prefix.replace(/\*$/, '');
}

/** True for an operand that names many keys: it ends with `/` or `*`, or is absent. */
export function isPrefix(operand: string | undefined): boolean {
  return operand === undefined || /[/*]$/.test(operand);
}
