import type { Lease, MultiLease } from './api/lease.ts';
import type { Lock, MultiLock, TryUse } from './api/locks.ts';
import type { AcquireOptions, HoldOptions, TryUseOptions } from './api/options.ts';
import type { KeyOrKeys } from './key.ts';
import { OPTION_NAMES } from './options.ts';
import type { HoldMode } from './port.ts';

export type AnyOptions = AcquireOptions & TryUseOptions;
export type AnyLease = Lease | MultiLease;
export type AnyBody<T> = (lease: AnyLease) => T | Promise<T>;

/** The calls that lock, each for one key or several. */
export interface LockingCalls {
  acquire(key: KeyOrKeys, options?: AcquireOptions, mode?: HoldMode): Promise<AnyLease>;
  tryAcquire(key: KeyOrKeys, options?: HoldOptions, mode?: HoldMode): Promise<AnyLease | null>;
  use<T>(key: KeyOrKeys, body: AnyBody<T>, options?: AcquireOptions, mode?: HoldMode): Promise<T>;
  tryUse<T>(
    key: KeyOrKeys,
    body: AnyBody<T>,
    options?: TryUseOptions,
    mode?: HoldMode,
  ): Promise<TryUse<T>>;
}

/** Binds the calls of `locks` to a key and to options, over which those of a call go. */
export function boundLock(
  locks: LockingCalls,
  key: KeyOrKeys,
  bound: AcquireOptions,
  mode?: HoldMode,
): Lock | MultiLock {
  const { waitMs: _, ...held } = bound;
  const lock = {
    // Async: a getter among the options may throw.
    acquire: async (more?: AcquireOptions) =>
      await locks.acquire(key, mergeOptions(bound, more), mode),
    tryAcquire: async (more?: HoldOptions) =>
      await locks.tryAcquire(key, mergeOptions(held, more), mode),
    use: async <T>(body: AnyBody<T>, more?: AcquireOptions) =>
      await locks.use(key, body, mergeOptions(bound, more), mode),
    tryUse: async <T>(body: AnyBody<T>, more?: TryUseOptions) =>
      await locks.tryUse(key, body, mergeOptions(held, more), mode),
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a string gets a Lock, a list a MultiLock
  return { ...(typeof key === 'string' ? { key } : { keys: key }), ...lock } as Lock | MultiLock;
}

/** Merges the options of a call over those of its lock; an undefined option counts as absent. */
function mergeOptions(bound: AnyOptions, call: AnyOptions | undefined): AnyOptions {
  if (call === undefined) return bound;
  // Not an object: rejected later, by `checkOptions`.
  if (typeof call !== 'object' || call === null) return call;
  const entries = namesIn(call).map((name) => [name, Reflect.get(call, name)] as const);
  return { ...bound, ...Object.fromEntries(entries.filter(([, value]) => value !== undefined)) };
}

/** All option names that an object may have: enumerable ones, and getters of a class, which are not enumerable. */
function namesIn(options: object): string[] {
  const names = new Set<string>(Object.values(OPTION_NAMES).flat());
  for (const name in options) names.add(name);
  return [...names];
}
