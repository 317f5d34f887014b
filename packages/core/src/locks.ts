import { Acquirer } from './acquirer.ts';
import type { Requirement, TokenOf } from './api/capabilities.ts';
import type { Lease } from './api/lease.ts';
import type { Lock, Locks, MultiLock, Semaphore } from './api/locks.ts';
import type {
  AcquireOptions,
  CloseOptions,
  ElectOptions,
  HoldOptions,
  LocksOptions,
} from './api/options.ts';
import type { CloseReport, Health, Inspection } from './api/reports.ts';
import { Limit } from './background.ts';
import { boundLock, type LockingCalls } from './bound-lock.ts';
import { elect, type Lead, leadWith } from './election.ts';
import { closedError, noHandOverError, notOurLeaseError } from './error-messages.ts';
import { CapabilityError } from './errors.ts';
import type { LockEventType, LockListener } from './events.ts';
import { parseExported } from './exported-lease.ts';
import type { Holding } from './hold-context.ts';
import type { ListenableHost } from './host.ts';
import { checkKey, checkKeys, type KeyOrKeys } from './key.ts';
import { controllerOf, HeldLease, reenterLease } from './lease.ts';
import { LockCalls } from './lock-calls.ts';
import { checkMode, checkPermits, PERMITS_MAX, SHARED, WRITER } from './modes.ts';
import { checkBody, checkOptions, closeTimeoutMs, OPTION_NAMES, readNames } from './options.ts';
import type { Backend, HoldMode, Release } from './port.ts';
import { checkRequirements, needsToken } from './require.ts';
import { noTokenError, semaphoreOf } from './semaphore.ts';

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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a string gets a Lease, a list a MultiLease; every grant is checked for the token it promises
  return locks as unknown as Locks<TokenOf<R>>;
}

class BackendLocks extends LockCalls implements Omit<Locks, 'for' | keyof LockingCalls> {
  readonly #backend: Backend;
  readonly #host: ListenableHost;
  readonly #acquirer: Acquirer;
  readonly #needsToken: boolean;
  /** Ends elections; created by the first one. */
  #closed: AbortController | undefined;
  #closing: { readonly limit: Limit; readonly done: Promise<CloseReport> } | undefined;

  constructor(backend: Backend, host: ListenableHost, defaults: AcquireOptions, token: boolean) {
    const acquirer = new Acquirer(backend, host, token);
    super(backend, host, defaults, acquirer);
    this.#backend = backend;
    this.#host = host;
    this.#acquirer = acquirer;
    this.#needsToken = token;
    this.checkTtl(defaults.ttlMs);
  }

  for(keyOrKeys: KeyOrKeys, options?: AcquireOptions): Lock | MultiLock {
    const key = checkKeys(keyOrKeys, this.backend);
    const bound = this.checkOptions(options, OPTION_NAMES.acquire, key);
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
    const bound = this.checkOptions(options, OPTION_NAMES.acquire, key);
    return semaphoreOf(this, details, checkPermits(permits, PERMITS_MAX, details), bound);
  }

  reenter(lease: Lease): Lease {
    const held = this.#own(lease);
    if (this.isClosing) throw closedError(this.backend, held.key);
    return reenterLease(held);
  }

  async downgrade(lease: Lease): Promise<Lease> {
    const writer = this.#own(lease);
    const { key } = writer;
    checkMode(this.#backend, 'shared', key);
    if (this.#backend.adopt === undefined)
      throw this.#capabilityError('make a writer a reader; release it, then read', key);
    const frame = this.frameOf(writer);
    const { owner, ttlMs } = parseExported(await lease.export(), this.backend);
    const { watchdog, clock } = controllerOf(writer);
    const limits = { renew: watchdog.renews, maxHoldMs: clock.capMs };
    const kind = { exported: owner, mode: SHARED, ...limits };
    const adopting = this.request('adopt', key, { ttlMs }, OPTION_NAMES.acquire, kind);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one key has one lease
    const shared = (await adopting) as HeldLease;
    frame?.continueUnder(shared, SHARED);
    return shared;
  }

  #inMode(key: string, options: unknown, mode: HoldMode): Lock {
    checkKey(key, this.backend);
    checkMode(this.#backend, 'shared', key);
    const bound = this.checkOptions(options, OPTION_NAMES.acquire, key);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a string gets a Lock
    return boundLock(this, key, bound, mode) as Lock;
  }

  /** @throws InvalidOptionError for a lease of other locks, or on several keys */
  #own(lease: unknown): HeldLease {
    if (lease instanceof HeldLease && this.#acquirer.made(controllerOf(lease))) return lease;
    throw notOurLeaseError(this.backend);
  }

  async adopt(exported: string, options?: AcquireOptions): Promise<Lease> {
    const { backend, isSession } = this;
    if (this.#backend.adopt === undefined) throw noHandOverError({ backend }, isSession);
    const { key, owner, ttlMs } = parseExported(exported, backend);
    const checked = this.checkOptions(options, OPTION_NAMES.acquire, key);
    const held = { ttlMs, ...checked };
    const kind = { exported: owner };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one key has one lease
    return (await this.request('adopt', key, held, OPTION_NAMES.acquire, kind)) as Lease;
  }

  async elect(key: string, body: (lease: Lease) => unknown, options?: ElectOptions): Promise<void> {
    checkBody(body, options, this.details(key));
    this.checkOne(key);
    const held = this.checkOptions(options, OPTION_NAMES.elect, key);
    this.#closed ??= new AbortController();
    const signals = [this.#closed.signal, ...(held.signal === undefined ? [] : [held.signal])];
    const holding = { place: this.place(), leads: true };
    const campaign = (): Promise<Lead> => this.#campaign(key, body, held, holding);
    await elect({ key, backend: this.backend, host: this.#host, signals, campaign });
  }

  async #campaign(
    key: string,
    body: (lease: Lease) => unknown,
    held: HoldOptions,
    holding: Holding,
  ): Promise<Lead> {
    const options = { ...held, renew: true, waitMs: Number.POSITIVE_INFINITY };
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one key has one lease
    const lease = (await this.request('elect', key, options, OPTION_NAMES.acquire)) as HeldLease;
    return leadWith(lease, this.within<Lease, unknown>(lease, holding, body));
  }

  on<T extends LockEventType>(type: T, listener: LockListener<T>): () => void {
    return this.#host.on(type, listener);
  }

  async inspect(key: string): Promise<Inspection> {
    this.checkOne(key);
    if (this.#backend.inspect === undefined) throw this.#capabilityError('inspect a key', key);
    return await this.#backend.inspect(key);
  }

  async forceRelease(key: string): Promise<Release> {
    this.checkOne(key);
    if (this.#backend.forceRelease === undefined)
      throw this.#capabilityError('release by force', key);
    const release = await this.#backend.forceRelease(key);
    this.#host.emit({ type: 'forced', key, backend: this.backend, outcome: release.kind });
    return release;
  }

  async health(): Promise<Health> {
    if (this.isClosing) throw closedError(this.backend);
    if (this.#backend.health === undefined) throw this.#capabilityError('report its health');
    return await this.#backend.health();
  }

  async close(options?: CloseOptions): Promise<CloseReport> {
    const timeoutMs = closeTimeoutMs(options, this.backend);
    if (this.#closing !== undefined && timeoutMs !== undefined)
      this.#closing.limit.shorten(timeoutMs);
    this.isClosing = true;
    this.#closing ??= this.#close(timeoutMs ?? CLOSE_MS_DEFAULT);
    this.#closed?.abort();
    return await this.#closing.done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #close(timeoutMs: number): { limit: Limit; done: Promise<CloseReport> } {
    const limit = new Limit(this.#host.runtime, timeoutMs);
    return { limit, done: this.#closeWithin(limit) };
  }

  async #closeWithin(limit: Limit): Promise<CloseReport> {
    const stillHeld = await this.#acquirer.close(limit);
    const leavesHolds = stillHeld.length > 0;
    await this.#backend.close({ timeoutMs: limit.leftMs, ...(leavesHolds && { leavesHolds }) });
    return { stillHeld };
  }

  #capabilityError(what: string, key?: string): CapabilityError {
    return new CapabilityError(`${this.backend} cannot ${what}`, this.details(key ?? []));
  }
}
