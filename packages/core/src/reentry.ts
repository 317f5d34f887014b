import { HoldContext, type Reentry, type ReentryOptions } from './hold-context.ts';

export type { ContextStorage, Reentry, ReentryOptions } from './hold-context.ts';

/**
 * What a host gives to `createLocks` so that the locks follow their callers.
 * @example
 * ```ts
 * const { AsyncLocalStorage } = await import('node:async_hooks');
 * const reentry = reentryBy({ storage: new AsyncLocalStorage(), reenters: true });
 * const host = { ...createHost(), reentry };
 * const locks = createLocks(await openMemory({}, host), host);
 * ```
 */
export function reentryBy(options: ReentryOptions): Reentry {
  return (backend, emit) => new HoldContext(options, backend, emit);
}
