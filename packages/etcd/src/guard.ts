import { InvalidOptionError, type Lease } from '@holdfast/core';
import { parseOwner } from '@holdfast/core/backend';
import { NAME } from './identity.ts';
import { layoutOf, prefixOf } from './keys.ts';
import { nameOf } from './queue-entry.ts';

/** A comparison of an etcd transaction: `create_revision(key) = createRevision`. */
export interface Guard {
  /** The holder's key in the store. */
  readonly key: string;
  /** The revision that created it. It is not there any more once the lock is gone. */
  readonly createRevision: bigint;
}

/** Tokens of one fencing epoch; the store's own number is the rest. */
const OWN_BITS = 53;

/**
 * Returns the comparison that holds exactly as long as the lock of `lease` is held. A transaction of your own that compares so
 * cannot write once the lock is gone, however late it arrives. `namespace` is that of the locks. Of a revision of 2^53 or more
 * the comparison never holds: it would be taken for a fencing epoch.
 * @example
 * ```ts
 * const { key, createRevision } = guard(lease);
 * // By etcd's gateway for JSON, which every server has.
 * const compare = { key: btoa(key), target: 'CREATE', create_revision: `${createRevision}` };
 * const requestPut = { key: btoa('stock/42'), value: btoa('7') };
 * const body = JSON.stringify({ compare: [compare], success: [{ requestPut }] });
 * await fetch('http://etcd1:2379/v3/kv/txn', { method: 'POST', body });
 * ```
 * @throws InvalidOptionError for a lease of another backend, or of several keys
 */
export function guard(
  lease: Pick<Lease, 'key' | 'owner' | 'fencingToken'>,
  { namespace = 'holdfast' }: { readonly namespace?: string | undefined } = {},
): Guard {
  const { key, owner, fencingToken } = lease;
  const parsed = parseOwner(owner);
  if (parsed === undefined || fencingToken === undefined) {
    const message = `${NAME}: no comparison for a lease of another backend`;
    throw new InvalidOptionError(message, { key, backend: NAME });
  }
  return {
    key: `${prefixOf(layoutOf(namespace), key)}${nameOf(parsed)}`,
    createRevision: BigInt.asUintN(OWN_BITS, fencingToken),
  };
}
