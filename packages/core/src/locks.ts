import { Acquirer } from './acquirer.ts';
import type { Capabilities, Requirement, TokenOf } from './api/capabilities.ts';
import type { Lease } from './api/lease.ts';
import type { Lock, MultiLock, Semaphore, TryUse } from './api/lock.ts';
import type { Locks } from './api/locks.ts';
import type {
  AcquireOptions,
  CloseOptions,
  ElectOptions,
  HoldOptions,
  LocksOptions,
  TryUseOptions,
} from './api/options.ts';
import type { CloseReport, Health, Inspection } from './api/reports.ts';
import { Limit } from './background.ts';
import {
  type AnyBody,
  type AnyLease,
  type AnyOptions,
  boundLock,
  type LockingCalls,
} from './bound-lock.ts';
import { type CallObserver, holdsOf, type LockingMethod, observedBody } from './call-observer.ts';
import { elect, type Lead } from './election.ts';
import { closedError, noHandOverError, notOurLeaseError } from './error-messages.ts';
import { CapabilityError, LockTimeoutError } from './errors.ts';
import type { LockEvent, LockEventType, LockListener } from './events.ts';
import { parseExported } from './exported-lease.ts';
import { HoldContext } from './hold-context.ts';
import type { ListenableHost } from './host.ts';
import { checkKey, checkKeys, type KeyOrKeys } from './key.ts';
import { controllerOf, HeldLease, reenterLease, runWithLease } from './lease.ts';
import type { LeaseController } from './lease-controller.ts';
import { type RequestKind, requestOf } from './lease-request.ts';
import { checkMode, checkPermits, PERMITS_MAX, SHARED, WRITER } from './modes.ts';
import { acquireAll } from './multi-acquirer.ts';
import { HeldMultiLease, type MultiLeaseController, multiControllerOf } from './multi-lease.ts';
import { checkBody, checkOptions, closeTimeoutMs, OPTION_NAMES, readNames } from './options.ts';
import type { Backend, HoldMode, Release } from './port.ts';
import { checkRequirements, needsToken } from './require.ts';
import { semaphoreOf } from './semaphore.ts';

type OptionNames = Parameters<typeof checkOptions>[1];

const CLOSE_MS_DEFAULT = 5_000;
const NO_OPTIONS: AnyOptions = Object.freeze({});
const ONE_ATTEMPT: RequestKind = { waitMs: 0 };
const ONE_ATTEMPT_THAT_RETAINS: RequestKind = { waitMs: 0, retains: true };

/**
 * Creates `Locks` on an opened backend. Does no I/O.
 * @example
 * ```ts
 * const host = createHost({ label: 'billing' });
 * const locks = createLocks(await openMemory({}, host), host, { ttlMs: 10_000 });
 * ```
 * @throws CapabilityError if the backend does not meet `require`, or if `ttlMs` is given for a session backend
 * @throws InvalidOptionError for a default that is wrong or unknown
 * @throws ConfigError for a `require` that is not a list, or that has an unknown name
 */
export function createLocks<const R extends readonly Requirement[] = readonly []>(
  backend: Backend,
  host: ListenableHost,
  options: LocksOptions<R> = {},
): Locks<TokenOf<R>> {
  const details = { backend: backend.name };
  const { require, ...rest } = readNames(options, ['require', ...OPTION_NAMES.defaults], details);
  const defaults = checkOptions(rest, OPTION_NAMES.defaults, details);
  const required = checkRequirements(require, backend);
  const locks = new BackendLocks(backend, host, defaults, needsToken(required));
  locks.checkTtl(defaults.ttlMs);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a string gets a Lease, a list a MultiLease; every grant is checked for the token it promises
  return locks as unknown as Locks<TokenOf<R>>;
}

class BackendLocks implements Omit<Locks, 'for' | keyof LockingCalls>, LockingCalls {
  readonly #backend: Backend;
  readonly #host: ListenableHost;
  readonly #defaults: AcquireOptions;
  readonly #acquirer: Acquirer;
  readonly #needsToken: boolean;
  /** Absent unless the locks are to know what their callers hold. */
  readonly #context: HoldContext | undefined;
  /** Of the calls that somebody observes; created by the first one. */
  #observers: WeakMap<AnyLease, CallObserver> | undefined;
  /** Ends elections; created by the first one. */
  #closed: AbortController | undefined;
  #closing: { readonly limit: Limit; readonly done: Promise<CloseReport> } | undefined;

  constructor(backend: Backend, host: ListenableHost, defaults: AcquireOptions, token: boolean) {
    this.#backend = backend;
    this.#host = host;
    this.#defaults = defaults;
    this.#acquirer = new Acquirer(backend, host, token);
    this.#needsToken = token;
    const { reentry } = host;
    if (reentry !== undefined)
      this.#context = new HoldContext(reentry, backend.name, (event) => host.emit(event));
  }

  get backend(): string {
    return this.#backend.name;
  }

  get capabilities(): Capabilities {
    return this.#backend.capabilities;
  }

  get isSession(): boolean {
    return this.capabilities.lease === 'session';
  }

  for(keyOrKeys: KeyOrKeys, options?: AcquireOptions): Lock | MultiLock {
    const key = checkKeys(keyOrKeys, this.backend);
    const bound = this.#checkOptions(options, OPTION_NAMES.acquire, key);
    this.checkTtl(bound.ttlMs, key);
    return boundLock(this, key, bound);
  }

  read(key: string, options?: AcquireOptions): Lock {
    return this.#inMode(key, options, SHARED);
  }

  write(key: string, options?: AcquireOptions): Lock {
    return this.#inMode(key, options, WRITER);
  }

  semaphore(key: string, permits: number, options?: AcquireOptions): Semaphore {
    const details = { key, backend: this.backend };
    checkKey(key, this.backend);
    checkMode(this.#backend, 'permits', key);
    if (this.#needsToken) throw noTokenError(details);
    const bound = this.#checkOptions(options, OPTION_NAMES.acquire, key);
    this.checkTtl(bound.ttlMs, key);
    return semaphoreOf(this, details, checkPermits(permits, PERMITS_MAX, details), bound);
  }

  reenter(lease: Lease): Lease {
    const held = this.#own(lease);
    if (this.#closing !== undefined) throw closedError(this.backend, held.key);
    return reenterLease(held);
  }

  async downgrade(lease: Lease): Promise<Lease> {
    const { key } = this.#own(lease);
    checkMode(this.#backend, 'shared', key);
    const { owner, ttlMs } = parseExported(await lease.export(), this.backend);
    const kind = { exported: owner, mode: SHARED };
    const shared = await this.#acquire('adopt', key, { ttlMs }, OPTION_NAMES.acquire, kind);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one key has one lease
    return shared as Lease;
  }

  #inMode(key: string, options: unknown, mode: HoldMode): Lock {
    checkKey(key, this.backend);
    checkMode(this.#backend, 'shared', key);
    const bound = this.#checkOptions(options, OPTION_NAMES.acquire, key);
    this.checkTtl(bound.ttlMs, key);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a string gets a Lock
    return boundLock(this, key, bound, mode) as Lock;
  }

  /** @throws InvalidOptionError for a lease of other locks, or on several keys */
  #own(lease: unknown): HeldLease {
    if (lease instanceof HeldLease && this.#acquirer.made(controllerOf(lease))) return lease;
    throw notOurLeaseError(this.backend);
  }

  // Not async, as that adds a promise and a function's state to each call; so what is thrown is turned into a rejection.
  acquire(key: KeyOrKeys, options?: AcquireOptions, mode?: HoldMode): Promise<AnyLease> {
    try {
      const kind = mode && { mode };
      return this.#acquire('acquire', key, options, OPTION_NAMES.acquire, kind);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  tryAcquire(key: KeyOrKeys, options?: HoldOptions, mode?: HoldMode): Promise<AnyLease | null> {
    try {
      const kind = mode === undefined ? ONE_ATTEMPT : { ...ONE_ATTEMPT, mode };
      return this.#tryAcquire('tryAcquire', key, options, OPTION_NAMES.tryAcquire, kind);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async adopt(exported: string, options?: AcquireOptions): Promise<Lease> {
    const { backend, isSession } = this;
    if (this.#backend.adopt === undefined) throw noHandOverError({ backend }, isSession);
    const { key, owner, ttlMs } = parseExported(exported, backend);
    const checked = this.#checkOptions(options, OPTION_NAMES.acquire, key);
    const held = { ttlMs, ...checked };
    const kind = { exported: owner };
    const adopted = await this.#acquire('adopt', key, held, OPTION_NAMES.acquire, kind);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one key has one lease
    return adopted as Lease;
  }

  async use<T>(
    key: KeyOrKeys,
    body: AnyBody<T>,
    options?: AcquireOptions,
    mode?: HoldMode,
  ): Promise<T> {
    checkBody(body, options, this.#details(key));
    const place = this.#context?.place();
    const kind = mode && { mode };
    const lease = await this.#acquire('use', key, options, OPTION_NAMES.acquire, kind);
    const run = this.#within(lease, mode, place, body);
    return await runWithLease<T, AnyLease>(lease, controllerFor(lease), run, () => lease.release());
  }

  async tryUse<T>(
    key: KeyOrKeys,
    body: AnyBody<T>,
    options?: TryUseOptions,
    mode?: HoldMode,
  ): Promise<TryUse<T>> {
    checkBody(body, options, this.#details(key));
    const place = this.#context?.place();
    const checked = this.#checkOptions(options, OPTION_NAMES.tryUse, key);
    const keepMs = checked.keepMs ?? 0;
    const attempt = keepMs > 0 ? ONE_ATTEMPT_THAT_RETAINS : ONE_ATTEMPT;
    const kind = mode === undefined ? attempt : { ...attempt, mode };
    const lease = await this.#tryAcquire('tryUse', key, checked, OPTION_NAMES.tryUse, kind);
    if (lease === null) return { ran: false };
    const controller = controllerFor(lease);
    const run = this.#within(lease, mode, place, body);
    const value = await runWithLease<T, AnyLease>(lease, controller, run, () =>
      hasOtherHandles(controller) ? lease.release() : controller.releaseAfter(keepMs),
    );
    return { ran: true, value };
  }

  async elect(key: string, body: (lease: Lease) => unknown, options?: ElectOptions): Promise<void> {
    checkBody(body, options, this.#details(key));
    this.#checkOne(key);
    const held = checkOptions(options, OPTION_NAMES.elect, this.#details(key));
    this.checkTtl(held.ttlMs, key);
    const { runtime } = this.#host;
    const { backend } = this;
    this.#closed ??= new AbortController();
    const signals = [this.#closed.signal, ...(held.signal === undefined ? [] : [held.signal])];
    const campaign = (): Promise<Lead> => this.#campaign(key, body, held);
    const emit = (event: LockEvent): void => this.#host.emit(event);
    await elect({ key, backend, runtime, signals, emit, campaign });
  }

  async #campaign(key: string, body: (lease: Lease) => unknown, held: HoldOptions): Promise<Lead> {
    const options = { ...held, renew: true, waitMs: Number.POSITIVE_INFINITY };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one key has one lease
    const lease = (await this.#acquire('elect', key, options, OPTION_NAMES.acquire)) as HeldLease;
    const observed = observedBody(this.#observers?.get(lease), body);
    const run = async (): Promise<void> => {
      const release = (): Promise<Release> => lease.release();
      await runWithLease<unknown, Lease>(lease, controllerOf(lease), observed, release);
    };
    return {
      run,
      get isOver() {
        return lease.signal.aborted;
      },
    };
  }

  on<T extends LockEventType>(type: T, listener: LockListener<T>): () => void {
    return this.#host.on(type, listener);
  }

  async inspect(key: string): Promise<Inspection> {
    this.#checkOne(key);
    if (this.#backend.inspect === undefined) throw this.#capabilityError('inspect a key', key);
    return await this.#backend.inspect(key);
  }

  async forceRelease(key: string): Promise<Release> {
    this.#checkOne(key);
    if (this.#backend.forceRelease === undefined)
      throw this.#capabilityError('release by force', key);
    const release = await this.#backend.forceRelease(key);
    this.#host.emit({ type: 'forced', key, backend: this.backend, outcome: release.kind });
    return release;
  }

  async health(): Promise<Health> {
    if (this.#closing !== undefined) throw closedError(this.backend);
    if (this.#backend.health === undefined) throw this.#capabilityError('report its health');
    return await this.#backend.health();
  }

  async close(options?: CloseOptions): Promise<CloseReport> {
    const timeoutMs = closeTimeoutMs(options, this.backend);
    if (this.#closing !== undefined && timeoutMs !== undefined)
      this.#closing.limit.shorten(timeoutMs);
    this.#closing ??= this.#close(timeoutMs ?? CLOSE_MS_DEFAULT);
    this.#closed?.abort();
    return await this.#closing.done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** @throws CapabilityError for a ttl per call on a session backend, where all leases share one ttl */
  checkTtl(ttlMs: number | undefined, key: KeyOrKeys = []): void {
    if (ttlMs === undefined || !this.isSession) return;
    throw new CapabilityError(
      `${this.backend} does not support ttlMs per call: its leases last as long as its session; set the session timeout when you open it`,
      this.#details(key),
    );
  }

  #checkOptions(options: unknown, names: OptionNames, key: KeyOrKeys): AnyOptions {
    if (options === undefined) return NO_OPTIONS;
    return checkOptions(options, names, this.#details(key));
  }

  #checkOne(key: string): void {
    if (this.#closing !== undefined) throw closedError(this.backend, key);
    checkKey(key, this.backend);
  }

  /** The details of an error that concerns the call: of several keys it names none. */
  #details(key: KeyOrKeys): { readonly key: string | undefined; readonly backend: string } {
    return { key: typeof key === 'string' ? key : undefined, backend: this.backend };
  }

  #tryAcquire(
    method: LockingMethod,
    key: KeyOrKeys,
    options: unknown,
    names: OptionNames,
    kind: RequestKind,
  ): Promise<HeldLease | HeldMultiLease | null> {
    return this.#acquire(method, key, options, names, kind).catch(nullIfBusy);
  }

  /** @throws LockError for a wrong call, before anything is sent */
  #acquire(
    method: LockingMethod,
    key: KeyOrKeys,
    options: unknown,
    names: OptionNames,
    kind?: RequestKind,
  ): Promise<HeldLease | HeldMultiLease> {
    if (this.#closing !== undefined) throw closedError(this.backend, this.#details(key).key);
    const keys = checkKeys(key, this.backend);
    const checked = this.#checkOptions(options, names, key);
    this.checkTtl(checked.ttlMs, keys);
    const again = this.#again(method, keys, kind);
    if (again !== undefined) return Promise.resolve(again);
    const { signal } = checked;
    const observer = this.#host.observe?.(method, this.backend, keys);
    const request = requestOf(typeof keys === 'string' ? keys : '', checked, this.#defaults, kind);
    const acquiring =
      typeof keys === 'string'
        ? this.#acquirer.acquire(request, signal)
        : acquireAll(this.#acquirer, keys, request, signal);
    return observer === undefined ? acquiring : this.#observed(observer, acquiring);
  }

  /** What the caller's own context holds already, if the locks know that. */
  #again(method: LockingMethod, keys: KeyOrKeys, kind?: RequestKind): HeldLease | undefined {
    if (this.#context === undefined || typeof keys !== 'string') return undefined;
    if (method === 'elect' || method === 'adopt') return undefined;
    return this.#context.reenter(keys, kind?.mode, kind?.waitMs !== 0);
  }

  /** The body of `use`, run by those who observe it, where the context of its calls knows of the lease. */
  #within<T>(
    lease: HeldLease | HeldMultiLease,
    mode: HoldMode | undefined,
    place: Error | undefined,
    body: AnyBody<T>,
  ): AnyBody<T> {
    const run = observedBody(this.#observers?.get(lease), body);
    if (this.#context === undefined || lease instanceof HeldMultiLease) return run;
    return this.#context.within(lease, mode, place, run);
  }

  async #observed(
    observer: CallObserver,
    acquiring: Promise<HeldLease | HeldMultiLease>,
  ): Promise<HeldLease | HeldMultiLease> {
    let lease: HeldLease | HeldMultiLease;
    try {
      lease = await acquiring;
    } catch (error) {
      observer.failed?.(error);
      throw error;
    }
    observer.acquired?.(holdsOf(controllerFor(lease)));
    this.#observers ??= new WeakMap();
    this.#observers.set(lease, observer);
    return lease;
  }

  #close(timeoutMs: number): { limit: Limit; done: Promise<CloseReport> } {
    const limit = new Limit(this.#host.runtime, timeoutMs);
    return { limit, done: this.#closeWithin(limit) };
  }

  async #closeWithin(limit: Limit): Promise<CloseReport> {
    const stillHeld = await this.#acquirer.close(limit);
    const closeOptions = stillHeld.length > 0 ? { leavesHolds: true } : {};
    await this.#backend.close({ timeoutMs: limit.leftMs, ...closeOptions });
    return { stillHeld };
  }

  #capabilityError(what: string, key?: string): CapabilityError {
    return new CapabilityError(`${this.backend} cannot ${what}`, { key, backend: this.backend });
  }
}

function controllerFor(lease: HeldLease | HeldMultiLease): LeaseController | MultiLeaseController {
  return lease instanceof HeldMultiLease ? multiControllerOf(lease) : controllerOf(lease);
}

function hasOtherHandles(controller: LeaseController | MultiLeaseController): boolean {
  return 'handles' in controller && controller.handles !== undefined;
}

/** The error for a semaphore of locks whose code relies on tokens. */
function noTokenError(details: {
  readonly key: string;
  readonly backend: string;
}): CapabilityError {
  const message = `the semaphore '${details.key}' has no fencing tokens, which the code requires: all its holders are valid at once, so none is the newest`;
  return new CapabilityError(message, details);
}

function nullIfBusy(error: unknown): null {
  if (error instanceof LockTimeoutError) return null;
  throw error;
}
