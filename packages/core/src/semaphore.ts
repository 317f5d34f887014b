import type { Lock, Semaphore } from './api/locks.ts';
import type { AcquireOptions, HoldOptions } from './api/options.ts';
import { boundLock, type LockingCalls } from './bound-lock.ts';
import { CapabilityError } from './errors.ts';
import { permitsMode } from './modes.ts';

/** Binds the calls of `locks` to a semaphore of `permits`, which are checked. */
export function semaphoreOf(
  locks: LockingCalls,
  details: { readonly key: string; readonly backend: string },
  permits: number,
  bound: AcquireOptions,
): Semaphore {
  const { key } = details;
  const take = (count: number): Lock<undefined> => {
    const mode = permitsMode(count, permits, details);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one key has one lease, and permits have no token
    return boundLock(locks, key, bound, mode) as Lock<undefined>;
  };
  const one = take(1);
  return {
    key,
    permits,
    take,
    acquire: async (count = 1, options?: AcquireOptions) => await take(count).acquire(options),
    tryAcquire: async (count = 1, options?: HoldOptions) => await take(count).tryAcquire(options),
    use: (body, options) => one.use(body, options),
    tryUse: (body, options) => one.tryUse(body, options),
  };
}

/** The error for a semaphore of locks whose code relies on tokens. */
export function noTokenError(details: {
  readonly key: string;
  readonly backend: string;
}): CapabilityError {
  const message = `the semaphore '${details.key}' has no fencing tokens, which the code requires: all its holders are valid at once, so none is the newest`;
  return new CapabilityError(message, details);
}
