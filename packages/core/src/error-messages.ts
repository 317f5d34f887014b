import {
  BackendUnavailableError,
  CapabilityError,
  InvalidOptionError,
  LockError,
  LockLostError,
  LockTimeoutError,
  OutcomeUnknownError,
} from './errors.ts';
import type { LossReason } from './events.ts';

interface KeyOnBackend {
  readonly key: string;
  readonly backend: string;
}

const LOSS_TEXT: Record<LossReason, string> = {
  deadline: 'its time ran out before it could be renewed',
  renewal: 'the store no longer has it',
  pushed: 'the backend reported its loss',
  'max-hold': 'maxHoldMs was reached',
  closed: 'the locks were closed, and its time ran out before it was released',
  leaked: 'it was dropped without release',
};

/** The error for a caller that relies on a lease that has ended. Without a reason, only the store knows of the loss. */
export function lossError(
  where: KeyOnBackend,
  reason: LossReason | 'released' | 'exported' | undefined,
  details: { readonly result?: unknown },
): LockLostError {
  const what = `the lock on '${where.key}'`;
  const isEnded = reason === 'released' || reason === 'exported';
  const why = reason === undefined || isEnded ? 'the store no longer has it' : LOSS_TEXT[reason];
  const message = isEnded ? `${what} has been ${reason}` : `${what} was lost: ${why}`;
  return new LockLostError(message, { ...where, ...details });
}

/** The error for an extension of unknown outcome. */
export function extendUnknownError(where: KeyOnBackend, cause: unknown): OutcomeUnknownError {
  const message = `outcome unknown: the lock on '${where.key}' may not have been extended, and may expire at its old deadline`;
  return new OutcomeUnknownError(message, { ...where, cause });
}

/** The error for several keys that were not all taken, where it is not known whether what was taken is free again. */
export function givenBackError(
  where: KeyOnBackend,
  untilMs: number | undefined,
  cause: unknown,
): OutcomeUnknownError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  const message = `outcome unknown: '${where.key}' was taken on ${where.backend} and may not have been released again${why}`;
  return new OutcomeUnknownError(message, { ...where, cause, untilMs });
}

/** The error for an export whose renewal has an unknown outcome. */
export function exportUnknownError(where: KeyOnBackend, cause: unknown): OutcomeUnknownError {
  const message = `outcome unknown: the lock on '${where.key}' may not have been renewed, so it was not exported; it is still held`;
  return new OutcomeUnknownError(message, { ...where, cause });
}

/**
 * The error for an adoption that can never succeed, by a definite reply of the store.
 * @example
 * ```ts
 * const reply = store.adopt(key, exported, owner, ttlMs);
 * if (reply === undefined)
 *   return { kind: 'refused', error: adoptionError({ key, backend: 'my-lock' }) };
 * ```
 */
export function adoptionError(where: KeyOnBackend): LockLostError {
  const message = `the exported lock on '${where.key}' cannot be adopted: it has expired, was released, or was adopted already`;
  return new LockLostError(message, where);
}

/** The error for an export or an adoption on a backend that has neither. */
export function noHandOverError(
  { backend, ...rest }: { readonly backend: string; readonly key?: string },
  isSession: boolean,
): CapabilityError {
  const why = isSession
    ? 'it ends with the session of the process that acquired it'
    : 'the backend cannot replace its owner';
  return new CapabilityError(`${backend} cannot hand a lease over: ${why}`, { backend, ...rest });
}

/** The error for an export of a hold that is not one holder's alone. */
export function notAloneError(where: KeyOnBackend): CapabilityError {
  const message = `the hold on '${where.key}' cannot be exported or downgraded: it is a reader's, one of permits, or has other handles that are not released`;
  return new CapabilityError(message, where);
}

/** The error for a lease that these locks did not make, or that is on several keys. */
export function notOurLeaseError(backend: string): InvalidOptionError {
  const message = 'this needs a lease on one key that these locks have made';
  return new InvalidOptionError(message, { backend });
}

/** The error for calls after `close`. */
export function closedError(backend: string, key?: string): LockError {
  return new LockError('CLOSED', `these locks on ${backend} are closed`, { key, backend });
}

/** The reason with which `close` aborts the signal of a lease, which stays held while `close` waits for its release. */
export function closingError({ key, backend }: KeyOnBackend): LockError {
  const message = `the locks on ${backend} are closing: finish, and release '${key}'`;
  return new LockError('CLOSING', message, { key, backend });
}

/** The error for a wait that ended while another client held the key, by the latest definite reply. */
export function timeoutError(
  key: string,
  backend: string,
  waitedMs: number,
  holderRemainingMs: number | undefined,
): LockTimeoutError {
  const rest =
    holderRemainingMs === undefined
      ? ''
      : `; the holder's lease has ${Math.ceil(holderRemainingMs)} ms left`;
  const message = `could not acquire '${key}' on ${backend} within ${Math.round(waitedMs)} ms: it is locked${rest}`;
  return new LockTimeoutError(message, { key, backend, holderRemainingMs });
}

/** The error for a store that could not serve, and that has nothing of this caller stored. */
export function unavailableError(
  key: string,
  backend: string,
  waitedMs: number,
  cause: unknown,
): LockError {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  const message = `${backend} could not serve '${key}' within ${Math.round(waitedMs)} ms${why}`;
  return new BackendUnavailableError(message, { key, backend, cause });
}
