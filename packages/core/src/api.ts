import type { LockEventType, LockListener } from './events.ts';
import type {
  Capabilities,
  CloseOptions,
  CloseReport,
  Health,
  Inspection,
  Release,
} from './port.ts';

/** A promise that the caller's code relies on, checked when locks are opened. */
export type Requirement = NamedRequirement | SurvivalRequirement;

/**
 * A promise by its name. `fencing`: every lease has a token. `strict-fencing`: tokens grow, whatever happens. `per-call-ttl`:
 * calls may set `ttlMs`. `fifo`: the store serves waiters in order. `cp`: never two holders, at the price of availability.
 * `no-eviction`: the store says that it drops no lock to free memory.
 */
export type NamedRequirement =
  | 'fencing'
  | 'strict-fencing'
  | 'per-call-ttl'
  | 'fifo'
  | 'cp'
  | 'no-eviction';

/** Mutual exclusion under a fault, by its id: `{ survives: 'failover' }`. See docs/evidence/matrix.md for the ids. */
export interface SurvivalRequirement {
  /** The id of a fault, for example `failover`. */
  readonly survives: string;
}

/**
 * The type of `lease.fencingToken` under `require: R`. It is `bigint` only if an element of the tuple is certainly one
 * of the fencing requirements. An array whose content the compiler does not know promises nothing.
 */
export type TokenOf<R extends readonly Requirement[]> = R extends readonly [
  infer Head,
  ...infer Rest extends readonly Requirement[],
]
  ? [Head] extends ['fencing' | 'strict-fencing']
    ? bigint
    : TokenOf<Rest>
  : bigint | undefined;

/** Options of a lease. */
export interface HoldOptions {
  /**
   * Crash-to-takeover time in integer ms, 100 to 86 400 000; default 30 000. On session backends it causes a
   * CapabilityError: there it is an option of opening.
   */
  readonly ttlMs?: number | undefined;
  /** False: the lease is never renewed, so it ends after `ttlMs`. Default: true, if the backend can renew. */
  readonly renew?: boolean | undefined;
  /** The lease ends after this many ms, however often it is renewed. Default: no cap. */
  readonly maxHoldMs?: number | undefined;
  /** Its abort ends the wait. It does not affect a lease that is held already. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a call that waits, and of its lease. */
export interface AcquireOptions extends HoldOptions {
  /** Limit of the wait, in ms; default 10 000. 0 makes one attempt; Infinity must be written explicitly. */
  readonly waitMs?: number | undefined;
}

/** Options of `tryUse`. */
export interface TryUseOptions extends HoldOptions {
  /**
   * The key stays taken for at least this many ms from the grant, even if the job ends sooner. So a late replica finds
   * it taken. A job that ran longer, or threw, releases normally. Needs a backend with a ttl per call and renewal.
   */
  readonly keepMs?: number | undefined;
}

/** The body of `use`; it runs while the lease is held. */
export type Body<T, Token> = (lease: Lease<Token>) => T | Promise<T>;

/** The body of `use` for several keys; it runs while all of them are held. */
export type MultiBody<T, Token> = (lease: MultiLease<Token>) => T | Promise<T>;

/** The result of `tryUse`. */
export type TryUse<T> = { readonly ran: false } | { readonly ran: true; readonly value: T };

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
  /** Remaining validity in ms, by the clock that says less; 0 if the lease is not held. */
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
  /** Remaining validity in ms of the key that has the least; 0 if the lease is not held. */
  remainingMs(this: void): number;
  /** @throws LockLostError unless all keys are held now, by both clocks */
  assertHeld(this: void): void;
  /**
   * Makes every key end `ttlMs` from now. See {@link Lease.extend}. If it rejects, some keys may have been extended:
   * `remainingMs()` says how long all are held.
   */
  extend(this: void, ttlMs: number): Promise<void>;
  /**
   * Releases all keys. Idempotent, never throws. Resolves to the worst outcome of a key: `unknown`, else `not-held`, else
   * `released`.
   */
  release(this: void): Promise<Release>;
}

/** Several keys bound to a backend and options; it holds nothing. Its methods are those of a {@link Lock}. */
export interface MultiLock<Token = bigint | undefined> {
  /** The keys, each once, sorted by code unit. */
  readonly keys: readonly string[];
  /** Waits for all keys. See {@link Lock.acquire}. */
  acquire(options?: AcquireOptions): Promise<MultiLease<Token>>;
  /** Makes one attempt for each key; null if one is taken. See {@link Lock.tryAcquire}. */
  tryAcquire(options?: HoldOptions): Promise<MultiLease<Token> | null>;
  /** Acquires all, runs `body`, releases. See {@link Lock.use}. */
  use<T>(body: MultiBody<T, Token>, options?: AcquireOptions): Promise<T>;
  /** Like `use`, with one attempt for each key. See {@link Lock.tryUse}. */
  tryUse<T>(body: MultiBody<T, Token>, options?: TryUseOptions): Promise<TryUse<T>>;
}

/** A key bound to a backend and options; it holds nothing. */
export interface Lock<Token = bigint | undefined> {
  /** The key that its calls acquire. */
  readonly key: string;
  /**
   * Waits for the lock.
   * @throws LockTimeoutError, OutcomeUnknownError, BackendUnavailableError, LockLostError (granted, but lost before it could be handed out),
   *   InvalidOptionError, CapabilityError, LockError with code `CLOSED`, or the reason of `signal`
   */
  acquire(options?: AcquireOptions): Promise<Lease<Token>>;
  /**
   * Makes one attempt; null if another client holds the key, or another caller of this process waits for it.
   * @throws OutcomeUnknownError, BackendUnavailableError, InvalidOptionError, CapabilityError, or the reason of `signal`
   */
  tryAcquire(options?: HoldOptions): Promise<Lease<Token> | null>;
  /**
   * Acquires, runs `body`, releases. The body's own error always wins.
   * @throws LockLostError with `.result` if the lock was lost while the body succeeded; all errors of `acquire`
   */
  use<T>(body: Body<T, Token>, options?: AcquireOptions): Promise<T>;
  /** Like `use`, with one attempt; `{ ran: false }` if the key is taken. */
  tryUse<T>(body: Body<T, Token>, options?: TryUseOptions): Promise<TryUse<T>>;
}

/**
 * Locks of one backend. The methods that lock take one key, or an array of 1 to 64 keys as one lease: all or none.
 * Duplicates count once. The order in the array means nothing: keys are always taken in one order, sorted by code unit, so
 * that two callers never wait for each other. `waitMs` limits the wait for all of them.
 */
export interface Locks<Token = bigint | undefined> extends AsyncDisposable {
  /** The name of the backend, as in errors and events. */
  readonly backend: string;
  /** What the backend promises; `require` checks it. */
  readonly capabilities: Capabilities;
  /** A lock bound to its keys and options. */
  for(keys: readonly string[], options?: AcquireOptions): MultiLock<Token>;
  /**
   * A lock bound to its key and options.
   * @example
   * ```ts
   * const nightly = locks.for('nightly', { ttlMs: 10_000, waitMs: 60_000 });
   * await nightly.use(cleanUp);
   * ```
   */
  for(key: string, options?: AcquireOptions): Lock<Token>;
  /** Acquires all keys, or none. See {@link Lock.acquire}; the error names the key that could not be acquired. */
  acquire(keys: readonly string[], options?: AcquireOptions): Promise<MultiLease<Token>>;
  /**
   * Waits for the lock. See {@link Lock.acquire} for the errors.
   * @example
   * ```ts
   * await using lease = await locks.acquire('leader', { waitMs: 60_000 });
   * ```
   */
  acquire(key: string, options?: AcquireOptions): Promise<Lease<Token>>;
  /** Makes one attempt for each key; null if one of them is taken. See {@link Lock.tryAcquire}. */
  tryAcquire(keys: readonly string[], options?: HoldOptions): Promise<MultiLease<Token> | null>;
  /**
   * Makes one attempt; null if the key is taken. See {@link Lock.tryAcquire} for the errors.
   * @example
   * ```ts
   * const lease = await locks.tryAcquire('orders/42');
   * if (lease === null) return;
   * ```
   */
  tryAcquire(key: string, options?: HoldOptions): Promise<Lease<Token> | null>;
  /**
   * Acquires all keys, runs `body`, releases. See {@link Lock.use}.
   * @example
   * ```ts
   * await locks.use(['accounts/1', 'accounts/2'], ({ fencingTokens }) => move(10, fencingTokens));
   * ```
   */
  use<T>(keys: readonly string[], body: MultiBody<T, Token>, options?: AcquireOptions): Promise<T>;
  /**
   * Acquires, runs `body`, releases. See {@link Lock.use} for the errors.
   * @example
   * ```ts
   * await locks.use('orders/42', async ({ signal, fencingToken }) => {
   *   await charge(order, { signal, fencingToken });
   * });
   * ```
   */
  use<T>(key: string, body: Body<T, Token>, options?: AcquireOptions): Promise<T>;
  /** See {@link Lock.tryUse}; `keepMs` keeps every key. */
  tryUse<T>(
    keys: readonly string[],
    body: MultiBody<T, Token>,
    options?: TryUseOptions,
  ): Promise<TryUse<T>>;
  /**
   * Makes one attempt, and runs `body` if it wins. See {@link Lock.tryUse} for the errors.
   * @example
   * ```ts
   * const run = await locks.tryUse('nightly-report', send, { keepMs: 60_000 });
   * if (!run.ran) console.log('another replica runs it');
   * ```
   */
  tryUse<T>(key: string, body: Body<T, Token>, options?: TryUseOptions): Promise<TryUse<T>>;
  /**
   * Takes over a lease that another process exported, instead of acquiring the key: with a full ttl, by default that of
   * the exported lease, and a new, larger fencing token. Waits for no holder: `waitMs` limits the retries while the store
   * does not reply.
   * @example
   * ```ts
   * const { order, lease } = await queue.receive();
   * await using held = await locks.adopt(lease);
   * ```
   * @throws LockLostError: it has expired, was released, or was adopted already; OutcomeUnknownError: it may have been
   *   adopted by this call, and is then released; BackendUnavailableError: the text is still good;
   *   CapabilityError; InvalidOptionError: the text is no exported lease of this backend
   */
  adopt(exported: string, options?: AcquireOptions): Promise<Lease<Token>>;
  /**
   * Adds a listener to events of one type; returns its removal.
   * @example
   * ```ts
   * const stop = locks.on('lost', ({ key, reason }) => console.warn(key, reason));
   * ```
   * @throws InvalidOptionError for an unknown event, or a listener that is not a function
   */
  on<T extends LockEventType>(type: T, listener: LockListener<T>): () => void;
  /**
   * Reads what is stored under the key; for people, never for decisions.
   * @example
   * ```ts
   * const { held, holder, remainingMs } = await locks.inspect('orders/42');
   * ```
   * @throws BackendUnavailableError; LockError if the key holds no lock; CapabilityError if the backend cannot inspect
   */
  inspect(key: string): Promise<Inspection>;
  /**
   * Removes the hold of any client: for operators. The old holder learns of it at its next renewal.
   * @example
   * ```ts
   * const { kind } = await locks.forceRelease('orders/42'); // 'not-held' if it was free
   * ```
   * @throws BackendUnavailableError: nothing was done; LockError: the key holds no lock, and is left alone; CapabilityError
   */
  forceRelease(key: string): Promise<Release>;
  /**
   * Asks every node of the store whether it serves.
   * @throws CapabilityError if the backend cannot report its health
   */
  health(): Promise<Health>;
  /**
   * Shuts down. Rejects new calls and all waiters, and aborts the signals of held leases with a LockError of code
   * `CLOSING`. Waits until all leases, of `use` and of `acquire`, have been released, then closes the connections.
   * Meanwhile leases stay held and are renewed.
   *
   * Settles within `timeoutMs`, default 5 000. A lease that is held by then keeps its key until it expires, and is not
   * renewed any more. It is reported in the result, and by the event `warning` with the code `STILL_HELD`. No lease is
   * ever taken from its holder. A body that awaits this waits for itself until the limit. A second call joins the
   * first, and its `timeoutMs` can shorten the limit.
   * @throws InvalidOptionError if `timeoutMs` is not a finite number of ms, 0 or more; then nothing is closed
   */
  close(options?: CloseOptions): Promise<CloseReport>;
}

/** Defaults and requirements of a `Locks`. */
export interface LocksOptions<R extends readonly Requirement[] = readonly Requirement[]> {
  /** Promises that the code relies on. @throws CapabilityError at once if the backend does not make one of them */
  readonly require?: R | undefined;
  /** The default of {@link HoldOptions.ttlMs}. */
  readonly ttlMs?: number | undefined;
  /** The default of {@link AcquireOptions.waitMs}. */
  readonly waitMs?: number | undefined;
  /** The default of {@link HoldOptions.renew}. */
  readonly renew?: boolean | undefined;
  /** The default of {@link HoldOptions.maxHoldMs}. */
  readonly maxHoldMs?: number | undefined;
}
