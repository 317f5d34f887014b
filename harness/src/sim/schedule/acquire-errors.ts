const CAUSES_MAX = 10;

/** The abort reason of a client that gives up waiting. */
export class AbortedWait extends Error {
  override readonly name = 'GaveUp';
  readonly code = 'GAVE_UP';
}

/** Returns the code of the error that a wait ended with. Rethrows an error that is not a lock's. */
export function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  throw error;
}

/**
 * Returns the message of a programming error in the lock's own code, if one is among the causes. It is a mistake, not
 * an injected fault.
 */
export function programmingError(error: unknown): string {
  // Causes are the lock's own, and could form a circle.
  for (let cause = error, deep = 0; cause instanceof Error && deep < CAUSES_MAX; deep++) {
    const isMistake = cause instanceof TypeError || cause instanceof ReferenceError;
    if (isMistake) return `; the lock threw: ${cause.message}`;
    ({ cause } = cause);
  }
  return '';
}
