import {
  CapabilityError,
  InvalidOptionError,
  LockError,
  type LockErrorDetails,
} from '../errors.ts';
import { shown } from '../options.ts';
import type { Backend } from '../port.ts';

/** The largest fencing epoch: its largest token just fits a signed 64-bit column. */
export const FENCING_EPOCH_MAX = 1_023;
/** The bits of a token that the store counts in; a double holds so many exactly. */
const OWN_BITS = 53n;

/**
 * Returns epoch × 2^53 + the store's own number, so that every token of a later epoch is larger than all of an earlier one.
 * @throws LockError with the code `FENCING_EPOCH` for a number of 2^53 or more: it would reach into the next epoch
 */
export function epochToken(epoch: number, own: bigint, details: LockErrorDetails): bigint {
  if (own >= 0n && own < 1n << OWN_BITS) return (BigInt(epoch) << OWN_BITS) + own;
  const message = `${details.backend}: the store's own token ${own} is not below 2^53, so it fits no fencing epoch`;
  throw new LockError('FENCING_EPOCH', message, details);
}

/** @throws InvalidOptionError unless it is a whole number from 0 to 1 023 */
export function checkFencingEpoch(epoch: unknown, backend: string): number {
  if (typeof epoch === 'number' && Number.isInteger(epoch) && isInRange(epoch)) return epoch;
  const message = `fencingEpoch must be a whole number from 0 to ${FENCING_EPOCH_MAX}, not ${shown(epoch)}`;
  throw new InvalidOptionError(message, { backend });
}

export function isInRange(epoch: number): boolean {
  return epoch >= 0 && epoch <= FENCING_EPOCH_MAX;
}

/** The error for an epoch that a backend cannot keep. */
export function noEpochError({ name, capabilities }: Backend): CapabilityError {
  const why =
    capabilities.fencing === 'none' ? 'it has no fencing tokens' : 'it keeps no marks in its store';
  return new CapabilityError(`${name} has no fencingEpoch: ${why}`, { backend: name });
}
