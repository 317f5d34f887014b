import type { LockEventType, LockListener } from '../events.ts';
import type { Release } from '../port.ts';
import type { Capabilities } from './capabilities.ts';
import type { Lease, MultiLease } from './lease.ts';
import type { Body, Lock, MultiBody, MultiLock, Semaphore, TryUse } from './lock.ts';
import type {
  AcquireOptions,
  CloseOptions,
  ElectOptions,
  HoldOptions,
  TryUseOptions,
} from './options.ts';
import type { CloseReport, Health, Inspection } from './reports.ts';

export type * from './lock.ts';

/**
 * Locks of one backend. The methods that lock take one key, or an array of 1 to 64 keys as one lease: all or none.
 * Duplicates count once. The order in the array means nothing: keys are always taken in one order, sorted by code unit, so
 * that two callers never wait for each other. `waitMs` limits the wait for all of them.
 *
 * A key that cannot be locked is an InvalidKeyError. After `close`, every call that needs the store rejects with a LockError
 * of code `CLOSED`.
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
   * @throws InvalidKeyError, InvalidOptionError
   */
  for(key: string, options?: AcquireOptions): Lock<Token>;
  /**
   * A lock for readers of a key: beside each other, and never beside its writer or any other holder of the key. Readers and
   * writers get the key in order of arrival, so that neither starve.
   * @example
   * ```ts
   * await locks.read('catalogue').use(({ fencingToken }) => log(fencingToken));
   * ```
   * @throws CapabilityError if the backend has no readers; InvalidKeyError, InvalidOptionError
   */
  read(key: string, options?: AcquireOptions): Lock<Token>;
  /**
   * A lock for writers of a key that has readers: alone, and in line with them. A holder of `acquire` excludes them, too, but
   * has no place in their line, and waits until no one else does.
   * @example
   * ```ts
   * await locks.write('catalogue').use(({ signal }) => cleanUp(signal));
   * ```
   * @throws CapabilityError if the backend has no readers; InvalidKeyError, InvalidOptionError
   */
  write(key: string, options?: AcquireOptions): Lock<Token>;
  /**
   * A semaphore: its holders have at most `permits` together. If processes differ in `permits`, as in a rolling upgrade, the
   * smallest number among the holders counts, and a `warning` with the code `PERMITS_DIFFER` says so. Its leases have no
   * fencing token: all of them are valid at once, so a resource could not tell which one is late.
   * @example
   * ```ts
   * const imports = locks.semaphore('imports', 4); // at most four at a time, on all machines together
   * await imports.use(({ signal }) => cleanUp(signal));
   * ```
   * @param permits from 1 to 1 000 000
   * @throws CapabilityError if the backend has no semaphores, or if tokens are required; InvalidKeyError, InvalidOptionError
   */
  semaphore(key: string, permits: number, options?: AcquireOptions): Semaphore;
  /**
   * Another handle on the hold of `lease`, for code that holds and releases on its own: with the same key and token.
   * Sends nothing. The hold is released when the last of its handles is, and is lost for all at once.
   * @example
   * ```ts
   * await locks.use('orders/42', async (lease) => {
   *   await using again = locks.reenter(lease); // for code that releases on its own
   *   await charge(order, { fencingToken: again.fencingToken });
   * });
   * ```
   * @throws LockLostError unless `lease` is held; InvalidOptionError unless these locks made it, on one key
   */
  reenter(lease: Lease<Token>): Lease<Token>;
  /**
   * Makes a writer a reader: nobody writes in between. Ends `lease`, and resolves to a reader's lease with a full ttl and a
   * new, larger token; `renew` and what is left of `maxHoldMs` stay. Readers that wait in front of all writers come in, too.
   * There is no way back: a reader that is to write releases first.
   * @example
   * ```ts
   * const writing = await locks.write('catalogue').acquire();
   * await cleanUp(writing.signal);
   * await using reading = await locks.downgrade(writing); // no one has changed them since
   * ```
   * @throws LockLostError, OutcomeUnknownError, BackendUnavailableError: if `lease` has ended by then, nothing is held, and the
   *   key is free at the end of the ttl; CapabilityError for a reader's lease, or if the backend has no downgrade;
   *   InvalidOptionError unless these locks made it, on one key
   */
  downgrade(lease: Lease<Token>): Promise<Lease<Token>>;
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
   * Leads while it holds the key: waits for it without a limit, runs `body` as the leader, releases, and campaigns again.
   * Of all processes that call this, one leads at a time. The next campaign begins only after the body has settled, also
   * after a loss, or there would be two leaders in one process. A body that returns resigns, and campaigns again after some
   * 100 ms. One that throws is a `warning` with the code `LEADER_THREW`, and the pause grows, up to 30 s.
   *
   * Resolves after `signal` has aborted or `close` was called, once the body has settled.
   * @example
   * ```ts
   * const stop = new AbortController();
   * process.once('SIGTERM', () => stop.abort());
   * const { signal } = stop;
   * await locks.elect('cleaner', (lease) => cleanUp({ signal: lease.signal }), { signal });
   * ```
   * @throws InvalidKeyError, InvalidOptionError, CapabilityError; LockError if the key can never be acquired
   */
  elect(key: string, body: Body<unknown, Token>, options?: ElectOptions): Promise<void>;
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
   * @example
   * ```ts
   * const { ok, nodes } = await locks.health();
   * if (!ok) log(nodes.filter((node) => !node.ok));
   * ```
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
   * @example
   * ```ts
   * const { stillHeld } = await locks.close({ timeoutMs: 10_000 });
   * for (const { key } of stillHeld) log(`${key} stays locked until its lease expires`);
   * ```
   * @throws InvalidOptionError if `timeoutMs` is not a finite number of ms, 0 or more; then nothing is closed
   */
  close(options?: CloseOptions): Promise<CloseReport>;
}
