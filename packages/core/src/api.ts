import type { LockEventType, LockListener } from './events.ts';
import type {
  Capabilities,
  CloseOptions,
  CloseReport,
  Health,
  Inspection,
  Release,
} from './port.ts';

/** A promise that the code relies on, checked when locks are opened. */
export type Requirement = 'fencing' | 'strict-fencing' | 'per-call-ttl' | 'fifo' | 'cp';

/**
 * The type of `lease.fencingToken` under `require: R`. It is `bigint` only when some element of the tuple is
 * certainly one of the fencing requirements; an array whose content the compiler does not know promises nothing.
 */
export type TokenOf<R extends readonly Requirement[]> = R extends readonly [
  infer Head,
  ...infer Rest extends readonly Requirement[],
]
  ? [Head] extends ['fencing' | 'strict-fencing']
    ? bigint
    : TokenOf<Rest>
  : bigint | undefined;

/** How a lease is held. */
export interface HoldOptions {
  /**
   * Crash-to-takeover time in integer ms, 100 to 86 400 000; default 30 000. A CapabilityError on session backends,
   * where it is an option of opening.
   */
  readonly ttlMs?: number | undefined;
  /** false: never renewed, so it ends after `ttlMs`. Default true, where the backend can renew. */
  readonly renew?: boolean | undefined;
  /** The lease ends after this many ms however often it is renewed. Default: no cap. */
  readonly maxHoldMs?: number | undefined;
  /** Aborting it stops the waiting; a lease that is held already is not touched. */
  readonly signal?: AbortSignal | undefined;
}

/** How a caller waits, and then holds. */
export interface AcquireOptions extends HoldOptions {
  /** How long to wait for the lock, in ms; default 10 000. 0 tries once; Infinity has to be written. */
  readonly waitMs?: number | undefined;
}

/** How `tryUse` holds. */
export interface TryUseOptions extends HoldOptions {
  /**
   * The key stays taken at least this many ms from the grant, even if the job is done sooner, so that a late replica
   * finds it taken. A job that ran longer, or threw, releases normally. Needs a backend with per-call ttl and renewal.
   */
  readonly keepMs?: number | undefined;
}

/** The body of `use`: runs while the lease is held. */
export type Body<T, Token> = (lease: Lease<Token>) => T | Promise<T>;

/** What `tryUse` came to. */
export type TryUse<T> = { readonly ran: false } | { readonly ran: true; readonly value: T };

/**
 * What a holder holds. It lasts until it is released or lost, and is renewed for as long as this handle is referred to,
 * the body of `use` runs, or anybody ever asked for its `signal`. A handle that is dropped without either is noticed
 * when it is collected: its renewal stops, the events `leaked` and `lost` tell of it, and its key stays taken until its
 * time is over. With `renew: false` nothing is noticed: the lease runs to its end, whoever refers to it.
 *
 * Methods may be taken out of it: `({ assertHeld }) => assertHeld()`.
 */
export interface Lease<Token = bigint | undefined> extends AsyncDisposable {
  readonly key: string;
  /** The owner value that stands in the store. */
  readonly owner: string;
  /** Grows with every grant of the key; hand it to the resource, which refuses smaller ones. */
  readonly fencingToken: Token;
  /** Reads the clocks: a lease whose time is over says `lost` even if no timer could fire yet. */
  readonly state: 'held' | 'lost' | 'released';
  /**
   * Aborts with a LockLostError when the lease is lost; with a LockError of code `CLOSING` when `Locks.close` is called
   * while it is held: then it is held still, until it is released. Never after a normal release. Asking for it keeps
   * the lease alive and renewed until it is released or lost.
   */
  readonly signal: AbortSignal;
  /** How much longer the holder may believe that it holds, in ms, by whichever clock says less; 0 when it does not. */
  remainingMs(this: void): number;
  /** @throws LockLostError unless the lease is held now, by the clocks */
  assertHeld(this: void): void;
  /**
   * Makes the lease end `ttlMs` from now, and later renewals last that long. Lengthening asks the store; shortening is local and immediate.
   * @throws LockLostError, OutcomeUnknownError (the lease still ends at its old deadline), CapabilityError, InvalidOptionError
   */
  extend(this: void, ttlMs: number): Promise<void>;
  /**
   * Gives the key back. Idempotent, never throws; after a loss it resolves to `not-held`. After `Locks.close` has waited
   * long enough it resolves to `unknown`: nothing is sent any more, and the key stays taken until the lease expires.
   */
  release(this: void): Promise<Release>;
}

/** A key bound to a backend and options; it holds nothing. */
export interface Lock<Token = bigint | undefined> {
  readonly key: string;
  /**
   * Waits for the lock.
   * @throws LockTimeoutError, OutcomeUnknownError, BackendUnavailableError, LockLostError (won, and lost before it could be handed out),
   *   InvalidOptionError, CapabilityError, LockError with code `CLOSED`, or the reason of `signal`
   */
  acquire(options?: AcquireOptions): Promise<Lease<Token>>;
  /**
   * One attempt: null when somebody else holds the key or waits for it here.
   * @throws OutcomeUnknownError, BackendUnavailableError, InvalidOptionError, CapabilityError, or the reason of `signal`
   */
  tryAcquire(options?: HoldOptions): Promise<Lease<Token> | null>;
  /**
   * Acquires, runs `body`, releases. The body's own error always wins.
   * @throws LockLostError with `.result` when the lock was lost while the body succeeded; what `acquire` throws
   */
  use<T>(body: Body<T, Token>, options?: AcquireOptions): Promise<T>;
  /** Like `use`, with one attempt; `{ ran: false }` when the key is taken. */
  tryUse<T>(body: Body<T, Token>, options?: TryUseOptions): Promise<TryUse<T>>;
}

/** Locks of one backend. */
export interface Locks<Token = bigint | undefined> extends AsyncDisposable {
  readonly backend: string;
  readonly capabilities: Capabilities;
  /** A lock bound to its key and options. */
  for(key: string, options?: AcquireOptions): Lock<Token>;
  /** See {@link Lock.acquire}. */
  acquire(key: string, options?: AcquireOptions): Promise<Lease<Token>>;
  /** See {@link Lock.tryAcquire}. */
  tryAcquire(key: string, options?: HoldOptions): Promise<Lease<Token> | null>;
  /** See {@link Lock.use}. */
  use<T>(key: string, body: Body<T, Token>, options?: AcquireOptions): Promise<T>;
  /** See {@link Lock.tryUse}. */
  tryUse<T>(key: string, body: Body<T, Token>, options?: TryUseOptions): Promise<TryUse<T>>;
  /**
   * Listens to events of one type; returns its removal.
   * @throws InvalidOptionError for an event that there is not, or a listener that is no function
   */
  on<T extends LockEventType>(type: T, listener: LockListener<T>): () => void;
  /** What the store shows; for people, never for decisions. @throws CapabilityError where the backend cannot tell */
  inspect(key: string): Promise<Inspection>;
  /** Removes a hold, whoever has it: for operators. The old holder learns of it at its next renewal. @throws CapabilityError */
  forceRelease(key: string): Promise<Release>;
  /** @throws CapabilityError where the backend cannot tell */
  health(): Promise<Health>;
  /**
   * Ends everything: refuses new calls, rejects who waits, aborts the signals of what is held (with a LockError of code
   * `CLOSING`), waits until all of it has been released, bodies of `use` and leases of `acquire` alike, then closes the
   * connections. Meanwhile leases are held and renewed.
   *
   * Settles within `timeoutMs`, default 5 000. What is held by then keeps its key until its lease expires, is not renewed
   * any more, and is told of: in what this resolves to, and by the event `warning` with the code `STILL_HELD`. Nothing
   * that is held is ever taken away. A body that awaits this waits for itself until the time is over. Another call joins
   * the first; its `timeoutMs` can shorten the time.
   * @throws InvalidOptionError when `timeoutMs` is not a finite number of ms, 0 or more; nothing is closed then
   */
  close(options?: CloseOptions): Promise<CloseReport>;
}

/** Defaults and requirements of a `Locks`. */
export interface LocksOptions<R extends readonly Requirement[] = readonly Requirement[]> {
  /** Promises the code relies on. @throws CapabilityError at once when the backend does not make one of them */
  readonly require?: R | undefined;
  readonly ttlMs?: number | undefined;
  readonly waitMs?: number | undefined;
  readonly renew?: boolean | undefined;
  readonly maxHoldMs?: number | undefined;
}
