import { type AcquiredLease, Acquirer } from './acquirer.ts';
import type { Capabilities, Requirement, TokenOf } from './api/capabilities.ts';
import type { Lease } from './api/lease.ts';
import type { Lock, Locks, MultiLock, TryUse } from './api/locks.ts';
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
import { elect, type Lead } from './election.ts';
import { closedError, noHandOverError } from './error-messages.ts';
import { CapabilityError, LockTimeoutError } from './errors.ts';
import type { LockEvent, LockEventType, LockListener } from './events.ts';
import { parseExported } from './exported-lease.ts';
import type { ListenableHost } from './host.ts';
import { checkKey, checkKeys, type KeyOrKeys } from './key.ts';
import { runWithLease } from './lease.ts';
import { type RequestKind, requestOf } from './lease-request.ts';
import { type AcquiredMultiLease, acquireAll } from './multi-acquirer.ts';
import { checkBody, checkOptions, closeTimeoutMs, OPTION_NAMES, readNames } from './options.ts';
import type { Backend, Release } from './port.ts';
import { checkRequirements, needsToken } from './require.ts';

const CLOSE_MS_DEFAULT = 5_000;

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
  /** Ends elections; created by the first one. */
  #closed: AbortController | undefined;
  #closing: { readonly limit: Limit; readonly done: Promise<CloseReport> } | undefined;

  constructor(backend: Backend, host: ListenableHost, defaults: AcquireOptions, token: boolean) {
    this.#backend = backend;
    this.#host = host;
    this.#defaults = defaults;
    this.#acquirer = new Acquirer(backend, host, token);
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
    const bound = checkOptions(options, OPTION_NAMES.acquire, this.#details(key));
    this.checkTtl(bound.ttlMs, key);
    return boundLock(this, key, bound);
  }

  async acquire(key: KeyOrKeys, options?: AcquireOptions): Promise<AnyLease> {
    const { keys, checked } = this.#check(key, options, OPTION_NAMES.acquire);
    return (await this.#acquire(keys, checked)).lease;
  }

  async tryAcquire(key: KeyOrKeys, options?: HoldOptions): Promise<AnyLease | null> {
    const { keys, checked } = this.#check(key, options, OPTION_NAMES.tryAcquire);
    return (await this.#tryAcquire(keys, checked))?.lease ?? null;
  }

  async adopt(exported: string, options?: AcquireOptions): Promise<Lease> {
    const { backend, isSession } = this;
    if (this.#backend.adopt === undefined) throw noHandOverError({ backend }, isSession);
    const { key, owner, ttlMs } = parseExported(exported, backend);
    const { checked } = this.#check(key, options, OPTION_NAMES.acquire);
    const held = { ttlMs, ...checked };
    const adopted = await this.#acquire(key, held, { exported: owner });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one key has one lease
    return adopted.lease as Lease;
  }

  async use<T>(key: KeyOrKeys, body: AnyBody<T>, options?: AcquireOptions): Promise<T> {
    checkBody(body, options, this.#details(key));
    const { keys, checked } = this.#check(key, options, OPTION_NAMES.acquire);
    const { lease, controller } = await this.#acquire(keys, checked);
    return await runWithLease(lease, controller, body, () => lease.release());
  }

  async tryUse<T>(key: KeyOrKeys, body: AnyBody<T>, options?: TryUseOptions): Promise<TryUse<T>> {
    checkBody(body, options, this.#details(key));
    const { keys, checked } = this.#check(key, options, OPTION_NAMES.tryUse);
    const keepMs = checked.keepMs ?? 0;
    const held = await this.#tryAcquire(keys, checked, keepMs > 0);
    if (held === undefined) return { ran: false };
    const { lease, controller } = held;
    const value = await runWithLease(lease, controller, body, () =>
      controller.releaseAfter(keepMs),
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
    const { lease, controller } = await this.#acquire(key, options);
    const run = async (): Promise<void> => {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one key has one lease
      await runWithLease(lease as Lease, controller, body, () => lease.release());
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

  #check(
    key: KeyOrKeys,
    options: unknown,
    names: Parameters<typeof checkOptions>[1],
  ): { readonly keys: KeyOrKeys; readonly checked: AnyOptions } {
    if (this.#closing !== undefined) throw closedError(this.backend, this.#details(key).key);
    const keys = checkKeys(key, this.backend);
    return { keys, checked: checkOptions(options, names, this.#details(key)) };
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
    key: KeyOrKeys,
    options: HoldOptions,
    retains = false,
  ): Promise<AcquiredLease | AcquiredMultiLease | undefined> {
    return this.#acquire(key, { ...options, waitMs: 0 }, { retains }).catch(undefinedIfBusy);
  }

  #acquire(
    key: KeyOrKeys,
    options: AcquireOptions,
    kind: RequestKind = {},
  ): Promise<AcquiredLease | AcquiredMultiLease> {
    this.checkTtl(options.ttlMs, key);
    const request = requestOf(options, this.#defaults, kind);
    const { signal } = options;
    if (typeof key !== 'string') return acquireAll(this.#acquirer, key, request, signal);
    return this.#acquirer.acquire({ key, ...request }, signal);
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

function undefinedIfBusy(error: unknown): undefined {
  if (error instanceof LockTimeoutError) return undefined;
  throw error;
}
