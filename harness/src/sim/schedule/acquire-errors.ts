const CAUSES_MAX = 10;

/** What a client that gives up waiting gives as its reason. */
export class AbortedWait extends Error {
  override readonly name = 'GaveUp';
  readonly code = 'GAVE_UP';
}

/** Of whatever a wait ended with. Rethrows what is no error of a lock. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  throw error;
}

/** What the lock's own code threw, where that is at the bottom of it: a mistake, not a fault that was played. */
export function programmingError(error: unknown): string {
  // Causes are the lock's own, and could go round in a circle.
  for (let cause = error, deep = 0; cause instanceof Error && deep < CAUSES_MAX; deep++) {
    const isMistake = cause instanceof TypeError || cause instanceof ReferenceError;
    if (isMistake) return `, for the lock threw: ${cause.message}`;
    ({ cause } = cause);
  }
  return '';
}
