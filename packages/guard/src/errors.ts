import { LockError, type LockErrorDetails } from '@holdfast/core';
import { type Fence, NAME } from './fence.ts';

/** Further details of a {@link StaleTokenError}. */
export interface StaleTokenDetails extends LockErrorDetails {
  /** The refused token. */
  readonly token: bigint;
  /** The largest token that the resource has seen, if it is known. */
  readonly largest?: bigint | undefined;
}

/**
 * The resource has seen a larger token of this key: the caller holds the lock no more, and nothing was written. Do not try
 * again with this lease.
 * @example
 * ```ts
 * const guard = pgGuard(pool);
 * try {
 *   await guard.transaction(lease, (tx) => tx.query('UPDATE stock SET n = n - 1'));
 * } catch (error) {
 *   if (!(error instanceof StaleTokenError)) throw error;
 *   log(`late by ${error.largest ?? 0n} over ${error.token}`);
 * }
 * ```
 */
export class StaleTokenError extends LockError {
  override readonly name: string = 'StaleTokenError';
  /** The refused token. */
  readonly token: bigint;
  /** The largest token that the resource has seen; undefined if it is not known. */
  readonly largest: bigint | undefined;

  constructor(message: string, details: StaleTokenDetails) {
    super('STALE_TOKEN', message, details);
    this.token = details.token;
    this.largest = details.largest;
  }
}

/**
 * The reply to the commit, or to the script that writes, never came: the write may have been made. Read the resource
 * before you do anything again.
 * @example
 * ```ts
 * const guard = pgGuard(pool);
 * try {
 *   await guard.transaction(lease, (tx) => tx.query('UPDATE stock SET n = n - 1'));
 * } catch (error) {
 *   if (error instanceof WriteUnknownError) await verify(order);
 *   else throw error;
 * }
 * ```
 */
export class WriteUnknownError extends LockError {
  override readonly name: string = 'WriteUnknownError';

  constructor(message: string, details: LockErrorDetails) {
    super('WRITE_UNKNOWN', message, details);
  }
}

/** Has `publish` where Node's module is; a browser has none. */
const REFUSED = globalThis.process
  ?.getBuiltinModule?.('node:diagnostics_channel')
  ?.channel('holdfast:refused');

/** Names the store in place of a backend. Published on the diagnostics channel `holdfast:refused`, too. */
export function staleToken({ key, token }: Fence, largest: bigint | undefined): StaleTokenError {
  if (REFUSED?.hasSubscribers) REFUSED.publish({ key, token, largest });
  const seen = largest === undefined ? 'a larger one' : `token ${largest}`;
  const message = `${NAME}: token ${token} of ${JSON.stringify(key)} is refused, because the resource has seen ${seen}; the lock was lost, so start again with a new lease`;
  return new StaleTokenError(message, { key, backend: NAME, token, largest });
}

export function writeUnknown(keys: readonly Fence[], cause: unknown): WriteUnknownError {
  const [first] = keys;
  const names = keys.map(({ key }) => JSON.stringify(key)).join(', ');
  const message = `${NAME}: a write under ${names} may have been made, because its reply never came; read the resource before you write again`;
  return new WriteUnknownError(message, { key: first?.key, backend: NAME, cause });
}
