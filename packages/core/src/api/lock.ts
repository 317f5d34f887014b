import type { Lease, MultiLease } from './lease.ts';
import type { AcquireOptions, HoldOptions, TryUseOptions } from './options.ts';

/** The body of `use`; it runs while the lease is held. */
export type Body<T, Token> = (lease: Lease<Token>) => T | Promise<T>;

/** The body of `use` for several keys; it runs while all of them are held. */
export type MultiBody<T, Token> = (lease: MultiLease<Token>) => T | Promise<T>;

/** The result of `tryUse`. */
export type TryUse<T> = { readonly ran: false } | { readonly ran: true; readonly value: T };

/** Several keys bound to a backend and options; it holds nothing. Its methods are those of a {@link Lock}. */
export interface MultiLock<Token = bigint | undefined> {
  /** The keys, each once, sorted by code unit. */
  readonly keys: readonly string[];
  /**
   * Waits for all keys. See {@link Lock.acquire}.
   * @example
   * ```ts
   * await using lease = await locks.for(['accounts/1', 'accounts/2']).acquire({ waitMs: 2_000 });
   * log(lease.fencingTokens.get('accounts/1'));
   * ```
   */
  acquire(options?: AcquireOptions): Promise<MultiLease<Token>>;
  /**
   * Makes one attempt for each key; null if one is taken. See {@link Lock.tryAcquire}.
   * @example
   * ```ts
   * const lease = await locks.for(['accounts/1', 'accounts/2']).tryAcquire();
   * if (lease === null) return; // one of them is taken
   * ```
   */
  tryAcquire(options?: HoldOptions): Promise<MultiLease<Token> | null>;
  /**
   * Acquires all, runs `body`, releases. See {@link Lock.use}.
   * @example
   * ```ts
   * const accounts = locks.for(['accounts/1', 'accounts/2']);
   * await accounts.use(({ fencingTokens }) => move(10, fencingTokens));
   * ```
   */
  use<T>(body: MultiBody<T, Token>, options?: AcquireOptions): Promise<T>;
  /**
   * Like `use`, with one attempt for each key. See {@link Lock.tryUse}.
   * @example
   * ```ts
   * const accounts = locks.for(['accounts/1', 'accounts/2']);
   * const run = await accounts.tryUse(({ fencingTokens }) => move(10, fencingTokens));
   * if (!run.ran) log('one of them is taken');
   * ```
   */
  tryUse<T>(body: MultiBody<T, Token>, options?: TryUseOptions): Promise<TryUse<T>>;
}

/** A key bound to a backend and options; it holds nothing. */
export interface Lock<Token = bigint | undefined> {
  /** The key that its calls acquire. */
  readonly key: string;
  /**
   * Waits for the lock.
   * @example
   * ```ts
   * const nightly = locks.for('nightly');
   * await using lease = await nightly.acquire({ waitMs: 60_000, signal });
   * ```
   * @throws LockTimeoutError, OutcomeUnknownError, BackendUnavailableError, LockLostError (granted, but lost before it could be handed out),
   *   InvalidOptionError, CapabilityError, LockError with code `CLOSED`, or the reason of `signal`
   */
  acquire(options?: AcquireOptions): Promise<Lease<Token>>;
  /**
   * Makes one attempt; null if another client holds the key, or another caller of this process waits for it.
   * @example
   * ```ts
   * const lease = await locks.for('nightly').tryAcquire();
   * if (lease === null) return; // another replica runs it
   * ```
   * @throws OutcomeUnknownError, BackendUnavailableError, InvalidOptionError, CapabilityError, or the reason of `signal`
   */
  tryAcquire(options?: HoldOptions): Promise<Lease<Token> | null>;
  /**
   * Acquires, runs `body`, releases. The body's own error always wins.
   * @example
   * ```ts
   * const nightly = locks.for('nightly', { ttlMs: 10_000 });
   * const count = await nightly.use(({ signal }) => cleanUp(signal));
   * ```
   * @throws LockLostError with `.result` if the lock was lost while the body succeeded; all errors of `acquire`
   */
  use<T>(body: Body<T, Token>, options?: AcquireOptions): Promise<T>;
  /**
   * Like `use`, with one attempt; `{ ran: false }` if the key is taken.
   * @example
   * ```ts
   * const run = await locks.for('nightly').tryUse(({ signal }) => cleanUp(signal));
   * if (run.ran) log(run.value);
   * ```
   * @throws LockLostError as `use` does; all errors of `tryAcquire`
   */
  tryUse<T>(body: Body<T, Token>, options?: TryUseOptions): Promise<TryUse<T>>;
}

/** At most so many permits at once, of all holders together; it holds nothing. */
export interface Semaphore {
  /** The key that its calls acquire. */
  readonly key: string;
  /** How many there are. */
  readonly permits: number;
  /**
   * A lock on `count` permits at once: all or none of them. Who waits for many is not passed by those who want few, so that
   * it gets its turn.
   * @example
   * ```ts
   * const imports = locks.semaphore('imports', 4);
   * await imports.take(2).use(({ signal }) => cleanUp(signal));
   * ```
   * @throws InvalidOptionError unless it is a whole number from 1 to `permits`
   */
  take(count: number): Lock<undefined>;
  /**
   * Waits for `count` permits, by default one. See {@link Lock.acquire}.
   * @example
   * ```ts
   * await using lease = await locks.semaphore('imports', 4).acquire(2, { waitMs: 60_000 });
   * ```
   */
  acquire(count?: number, options?: AcquireOptions): Promise<Lease<undefined>>;
  /**
   * Makes one attempt for `count` permits, by default one; null if too few are free. See {@link Lock.tryAcquire}.
   * @example
   * ```ts
   * const lease = await locks.semaphore('imports', 4).tryAcquire();
   * if (lease === null) return; // four imports run already
   * ```
   */
  tryAcquire(count?: number, options?: HoldOptions): Promise<Lease<undefined> | null>;
  /**
   * Acquires one permit, runs `body`, releases. See {@link Lock.use}.
   * @example
   * ```ts
   * await locks.semaphore('imports', 4).use(({ signal }) => cleanUp(signal));
   * ```
   */
  use<T>(body: Body<T, undefined>, options?: AcquireOptions): Promise<T>;
  /**
   * Like `use`, with one attempt. See {@link Lock.tryUse}.
   * @example
   * ```ts
   * const run = await locks.semaphore('imports', 4).tryUse(({ signal }) => cleanUp(signal));
   * if (!run.ran) log('all permits are taken');
   * ```
   */
  tryUse<T>(body: Body<T, undefined>, options?: TryUseOptions): Promise<TryUse<T>>;
}
