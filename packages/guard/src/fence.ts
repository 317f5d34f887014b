import { CapabilityError } from '@holdfast/core';
import { checkKey } from '@holdfast/core/backend';

/** Names this package in errors. */
export const NAME = 'guard';
/** Every token fits a signed 64-bit column. */
const TOKEN_MAX = 2n ** 63n - 1n;

/** A lease on one key, or its key and token alone, as a message of another process may have them. */
export interface FencedLease {
  /** As the lease has it. */
  readonly key: string;
  /** As the lease has it. */
  readonly fencingToken: bigint | undefined;
}

/** A lease on several keys, or its keys and tokens alone. */
export interface FencedLeases {
  /** As the lease has them. */
  readonly fencingTokens: ReadonlyMap<string, bigint | undefined>;
}

/** A key, and the token with which a holder of it writes. */
export interface Fence {
  /** The key of the lock. */
  readonly key: string;
  /** The fencing token. */
  readonly token: bigint;
}

/**
 * Returns keys and tokens of a lease, sorted by key, so that no two transactions wait for each other.
 * @throws CapabilityError if a key has no token; InvalidKeyError
 */
export function fencesOf(lease: FencedLease | FencedLeases): readonly Fence[] {
  if ('key' in lease) return [fenceOf(lease.key, lease.fencingToken)];
  const fences = Array.from(lease.fencingTokens, ([key, token]) => fenceOf(key, token));
  if (fences.length === 0)
    throw new CapabilityError(`${NAME}: the lease has no fencing token`, { backend: NAME });
  return fences.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/**
 * Returns key and token of a lease on one key.
 * @throws CapabilityError without a token; InvalidKeyError
 */
export function fenceOf(key: string, token: bigint | undefined): Fence {
  checkKey(key, NAME);
  if (typeof token !== 'bigint' || token < 0n || token > TOKEN_MAX) {
    const message = `${NAME}: the lease of ${JSON.stringify(key)} has no fencing token from 0 to 2^63 − 1; open the locks with require: ['fencing']`;
    throw new CapabilityError(message, { key, backend: NAME });
  }
  return { key, token };
}
