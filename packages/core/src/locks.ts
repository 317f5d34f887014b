import { type AcquiredLease, Acquirer } from './acquirer.ts';
import type {
  AcquireOptions,
  Body,
  HoldOptions,
  Lease,
  Lock,
  Locks,
  LocksOptions,
  Requirement,
  TokenOf,
  TryUse,
  TryUseOptions,
} from './api.ts';
import { closedError, noHandOverError } from './error-messages.ts';
import { CapabilityError, InvalidOptionError, LockTimeoutError } from './errors.ts';
import type { LockEventType, LockListener } from './events.ts';
import type { ListenableHost } from './host.ts';
import { checkKey } from './key.ts';
import { runWithLease } from './lease.ts';
import { Limit } from './limit.ts';
import { checkOptions, closeTimeoutMs, mergeOptions, OPTION_NAMES, readNames } from './options.ts';
import { parseExported } from './owner.ts';
import type {
  Backend,
  Capabilities,
  CloseOptions,
  CloseReport,
  Health,
  Inspection,
  Release,
} from './port.ts';
import { checkRequirements, needsToken } from './require.ts';
import { TTL_MS_DEFAULT } from './validity.ts';

const WAIT_MS_DEFAULT = 10_000;
const CLOSE_MS_DEFAULT = 5_000;

type AnyOptions = AcquireOptions & TryUseOptions;

/**
 * Creates `Locks` on an opened backend. Does no I/O.
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
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every grant is checked for the token it promises
  return locks as Locks as Locks<TokenOf<R>>;
}

class BackendLocks implements Locks {
  readonly #backend: Backend;
  readonly #host: ListenableHost;
  readonly #defaults: AcquireOptions;
  readonly #acquirer: Acquirer;
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

  for(key: string, options?: AcquireOptions): Lock {
    checkKey(key, this.backend);
    const bound = checkOptions(options, OPTION_NAMES.acquire, { key, backend: this.backend });
    this.checkTtl(bound.ttlMs, key);
    const { waitMs: _, ...controller } = bound;
    return {
      key,
      acquire: (more) => this.acquire(key, mergeOptions(bound, more)),
      tryAcquire: (more) => this.tryAcquire(key, mergeOptions(controller, more)),
      use: (body, more) => this.use(key, body, mergeOptions(bound, more)),
      tryUse: (body, more) => this.tryUse(key, body, mergeOptions(controller, more)),
    };
  }

  async acquire(key: string, options?: AcquireOptions): Promise<Lease> {
    const checked = this.#check(key, options, OPTION_NAMES.acquire);
    return (await this.#acquire(key, checked, this.#waitMs(checked))).lease;
  }

  async tryAcquire(key: string, options?: HoldOptions): Promise<Lease | null> {
    const checked = this.#check(key, options, OPTION_NAMES.tryAcquire);
    return (await this.#tryAcquire(key, checked))?.lease ?? null;
  }

  async adopt(exported: string, options?: AcquireOptions): Promise<Lease> {
    const { backend, isSession } = this;
    if (this.#backend.adopt === undefined) throw noHandOverError({ backend }, isSession);
    const { key, owner, ttlMs } = parseExported(exported, backend);
    const checked = this.#check(key, options, OPTION_NAMES.acquire);
    const held = { ttlMs, ...checked };
    return (await this.#acquire(key, held, this.#waitMs(checked), { exported: owner })).lease;
  }

  async use<T>(
    key: string,
    body: Body<T, bigint | undefined>,
    options?: AcquireOptions,
  ): Promise<T> {
    this.#checkBody(key, body, options);
    const checked = this.#check(key, options, OPTION_NAMES.acquire);
    const { lease, controller } = await this.#acquire(key, checked, this.#waitMs(checked));
    return await runWithLease(lease, controller, body, () => lease.release());
  }

  async tryUse<T>(
    key: string,
    body: Body<T, bigint | undefined>,
    options?: TryUseOptions,
  ): Promise<TryUse<T>> {
    this.#checkBody(key, body, options);
    const checked = this.#check(key, options, OPTION_NAMES.tryUse);
    const keepMs = checked.keepMs ?? 0;
    const held = await this.#tryAcquire(key, checked, keepMs > 0);
    if (held === undefined) return { ran: false };
    const { lease, controller } = held;
    const value = await runWithLease(lease, controller, body, () =>
      controller.releaseAfter(keepMs),
    );
    return { ran: true, value };
  }

  on<T extends LockEventType>(type: T, listener: LockListener<T>): () => void {
    return this.#host.on(type, listener);
  }

  async inspect(key: string): Promise<Inspection> {
    this.#check(key, undefined, []);
    if (this.#backend.inspect === undefined) throw this.#capabilityError('inspect a key', key);
    return await this.#backend.inspect(key);
  }

  async forceRelease(key: string): Promise<Release> {
    this.#check(key, undefined, []);
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
    return await this.#closing.done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** @throws CapabilityError for a ttl per call on a session backend, where all leases share one ttl */
  checkTtl(ttlMs: number | undefined, key?: string): void {
    if (ttlMs === undefined || !this.isSession) return;
    throw new CapabilityError(
      `${this.backend} does not support ttlMs per call: its leases last as long as its session; set the session timeout when you open it`,
      {
        key,
        backend: this.backend,
      },
    );
  }

  #check(key: string, options: unknown, names: Parameters<typeof checkOptions>[1]): AnyOptions {
    if (this.#closing !== undefined) throw closedError(this.backend, key);
    checkKey(key, this.backend);
    return checkOptions(options, names, { key, backend: this.backend });
  }

  #checkBody(key: string, body: unknown, options: unknown): void {
    if (typeof body === 'function') return;
    const message =
      typeof options === 'function'
        ? 'use and tryUse take the body before the options: use(key, body, options)'
        : `the body of use and tryUse must be a function, not ${body === null ? 'null' : typeof body}`;
    throw new InvalidOptionError(message, { key, backend: this.backend });
  }

  #waitMs({ waitMs }: AcquireOptions): number {
    return waitMs ?? this.#defaults.waitMs ?? WAIT_MS_DEFAULT;
  }

  async #tryAcquire(
    key: string,
    options: HoldOptions,
    retains = false,
  ): Promise<AcquiredLease | undefined> {
    try {
      return await this.#acquire(key, options, 0, { retains });
    } catch (error) {
      if (error instanceof LockTimeoutError) return undefined;
      throw error;
    }
  }

  async #acquire(
    key: string,
    options: HoldOptions,
    waitMs: number,
    how: { readonly retains?: boolean; readonly exported?: string } = {},
  ): Promise<AcquiredLease> {
    this.checkTtl(options.ttlMs, key);
    const { ttlMs, renew, maxHoldMs } = this.#defaults;
    const request = {
      key,
      waitMs,
      retains: how.retains ?? false,
      exported: how.exported,
      ttlMs: options.ttlMs ?? ttlMs ?? TTL_MS_DEFAULT,
      renew: options.renew ?? renew ?? true,
      maxHoldMs: options.maxHoldMs ?? maxHoldMs ?? Number.POSITIVE_INFINITY,
    };
    return await this.#acquirer.acquire(request, options.signal);
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
