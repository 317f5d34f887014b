import type { Release } from '../port.ts';

/**
 * A holder's right to a key, until it is released or lost. It is renewed as long as this handle is referenced, the body
 * of `use` runs, or its `signal` has been read once. If the handle is dropped and collected instead, renewal stops,
 * the events `leaked` and `lost` are emitted, and the key stays taken until the lease expires. With `renew: false`
 * a dropped handle is not detected: the lease runs to its end.
 *
 * Its methods may be destructured: `({ assertHeld }) => assertHeld()`.
 */
export interface Lease<Token = bigint | undefined> extends AsyncDisposable {
  /** The key that it holds. */
  readonly key: string;
  /** The owner value that is stored. */
  readonly owner: string;
  /** Grows with every grant of the key. Pass it to the resource, which rejects smaller tokens. */
  readonly fencingToken: Token;
  /** Reads the clocks: an expired lease is `lost` even if no timer could fire yet. An exported one is `released`. */
  readonly state: 'held' | 'lost' | 'released';
  /**
   * Aborts with a LockLostError when the lease is lost. Aborts with a LockError of code `CLOSING` when `Locks.close` is
   * called while it is held: the lease then stays held until it is released. Never aborts after a normal release.
   * Reading this property keeps the lease alive and renewed until it is released or lost.
   */
  readonly signal: AbortSignal;
  /**
   * Remaining validity in ms, by the clock that says less; 0 if the lease is not held.
   * @example
   * ```ts
   * if (lease.remainingMs() < 5_000) await lease.extend(30_000);
   * ```
   */
  remainingMs(this: void): number;
  /**
   * Checks the lease right before a step that cannot be taken back.
   * @example
   * ```ts
   * lease.assertHeld();
   * await bank.transfer(payment);
   * ```
   * @throws LockLostError unless the lease is held now, by both clocks
   */
  assertHeld(this: void): void;
  /**
   * Makes the lease end `ttlMs` from now, and makes later renewals last that long. To lengthen it sends a request to
   * the store; to shorten it is local and immediate.
   * @example
   * ```ts
   * await lease.extend(120_000); // the rest may take two minutes
   * ```
   * @throws LockLostError, OutcomeUnknownError (the lease still ends at its old deadline), CapabilityError, InvalidOptionError
   */
  extend(this: void, ttlMs: number): Promise<void>;
  /**
   * Hands the lease over: renews it once, ends this handle without a release, and resolves to a text with which one
   * process can take it over by {@link Locks.adopt}. The key stays taken, for one ttl from the renewal. From then on
   * `state` is `released`, `assertHeld` throws, and `release` sends nothing and resolves to `not-held`. `use` and `tryUse`
   * do not release a lease that their body exported.
   *
   * The text is a secret: who has it can take the lease, once. Send it where only the new holder reads it, and never log
   * it. It contains no time.
   * @example
   * ```ts
   * await queue.send({ order, lease: await lease.export() });
   * ```
   * @throws LockLostError, OutcomeUnknownError (the lease stays as it is), CapabilityError: a fixed lease, or one that
   *   ends with a session, cannot be handed over
   */
  export(this: void): Promise<string>;
  /**
   * Releases the key. Idempotent, never throws. After a loss it resolves to `not-held`. After the time limit of
   * `Locks.close` it resolves to `unknown`: nothing is sent, and the key stays taken until the lease expires.
   * @example
   * ```ts
   * const { kind } = await lease.release();
   * if (kind !== 'released') console.warn(`release: ${kind}`);
   * ```
   */
  release(this: void): Promise<Release>;
}

/**
 * One lease on several keys: all of them are held, or none. If one is lost, all are: the signal aborts, and the others are
 * released at once. Each key has its own events, and is shown on its own by `inspect`.
 *
 * It is renewed, and noticed when it is dropped, as a {@link Lease} is; its methods may be destructured, too.
 */
export interface MultiLease<Token = bigint | undefined> extends AsyncDisposable {
  /** The keys, each once, sorted by code unit: the order in which they were taken. */
  readonly keys: readonly string[];
  /** The token of each key. A resource that is locked by one of the keys compares the token of that key. */
  readonly fencingTokens: ReadonlyMap<string, Token>;
  /** Reads the clocks. `lost` as soon as one key is. */
  readonly state: 'held' | 'lost' | 'released';
  /** Aborts with the LockLostError of the first key that is lost, which names it. Otherwise as {@link Lease.signal}. */
  readonly signal: AbortSignal;
  /**
   * Remaining validity in ms of the key that has the least; 0 if the lease is not held.
   * @example
   * ```ts
   * await locks.use(['accounts/1', 'accounts/2'], ({ remainingMs }) => {
   *   log(`all keys are held for ${remainingMs()} ms`);
   * });
   * ```
   */
  remainingMs(this: void): number;
  /**
   * Checks all keys right before a step that cannot be taken back.
   * @example
   * ```ts
   * await locks.use(['accounts/1', 'accounts/2'], async ({ assertHeld }) => {
   *   assertHeld();
   *   await bank.transfer(payment);
   * });
   * ```
   * @throws LockLostError unless all keys are held now, by both clocks
   */
  assertHeld(this: void): void;
  /**
   * Makes every key end `ttlMs` from now. See {@link Lease.extend}. If it rejects, some keys may have been extended:
   * `remainingMs()` says how long all are held.
   * @example
   * ```ts
   * await using lease = await locks.acquire(['accounts/1', 'accounts/2']);
   * await lease.extend(120_000); // both, for two minutes from now
   * ```
   */
  extend(this: void, ttlMs: number): Promise<void>;
  /**
   * Releases all keys. Idempotent, never throws. Resolves to the worst outcome of a key: `unknown`, else `not-held`, else
   * `released`.
   * @example
   * ```ts
   * const lease = await locks.acquire(['accounts/1', 'accounts/2']);
   * const { kind } = await lease.release();
   * if (kind !== 'released') log(`at least one key: ${kind}`);
   * ```
   */
  release(this: void): Promise<Release>;
}
