import { isLockError, type LockErrorCode } from '@holdfast/core';

const OUTCOMES: Partial<Record<LockErrorCode, string>> = {
  LOCK_TIMEOUT: 'busy',
  OUTCOME_UNKNOWN: 'unknown',
  BACKEND_UNAVAILABLE: 'unavailable',
  LOCK_LOST: 'lost',
};

/** The outcome of a call that has failed, from a small set of words. */
export function outcomeOf(error: unknown): string {
  if (isLockError(error)) return OUTCOMES[error.code] ?? 'refused';
  return 'aborted';
}
