import type { Inspection } from '@holdfast/core';
import { parseOwner } from '@holdfast/core/backend';

/**
 * A hold as a line of JSON, with the contender id by which events name it. The owner value is left out: who reads it can
 * release the key.
 */
export function jsonOf({ owner, fencingToken, ...rest }: Inspection, more: object = {}): string {
  const contender = parseOwner(owner ?? '')?.contender;
  const token = fencingToken === undefined ? {} : { fencingToken: `${fencingToken}` };
  return `${JSON.stringify({ ...more, ...rest, contender, ...token })}\n`;
}
