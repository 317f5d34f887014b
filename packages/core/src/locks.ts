import { type AcquireContext, Acquisition, closedError } from './acquire.ts';
import { Alarms } from './alarms.ts';
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
import { Background } from './background.ts';
import { CapabilityError, LockError, LockTimeoutError } from './errors.ts';
import type { LockEventOf, LockEventType } from './events.ts';
import type { Won } from './front.ts';
import { Hold, type HoldContext } from './hold.ts';
import type { ListenableHost } from './host.ts';
import { checkKey } from './key.ts';
import { HeldLease } from './lease.ts';
import { checkOptions, OPTION_NAMES } from './options.ts';
import type { Backend, Capabilities, CloseOptions, Health, Inspection, Release } from './port.ts';
import { checkRequirements, needsToken } from './require.ts';
import { TTL_MS_DEFAULT } from './validity.ts';

const WAIT_MS_DEFAULT = 10_000;
const CLOSE_MS_DEFAULT = 5_000;

type AnyOptions = AcquireOptions & TryUseOptions;

/** A lease together with what only core may do with it. */
interface Held {
  readonly lease: Lease;
  readonly hold: Hold;
}

/**
 * Puts `Locks` on an opened backend. Does no I/O.
 * @throws CapabilityError when the backend lacks what `require` asks for, or takes no ttl per call and one is given
 * @throws InvalidOptionError for a default that is wrong or unknown
 */
export function createLocks<const R extends readonly Requirement[] = readonly []>(
  backend: Backend,
  host: ListenableHost,
  options: LocksOptions<R> = {},
): Locks<TokenOf<R>> {
  const { require = [], ...defaults } = options;
  checkOptions(defaults, OPTION_NAMES.defaults, { backend: backend.name });
  checkRequirements(require, backend);
  const locks = new BackendLocks(backend, host, defaults, needsToken(require));
  locks.checkTtl(defaults.ttlMs);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every grant is checked for the token it promises
  return locks as Locks as Locks<TokenOf<R>>;
}

class BackendLocks implements Locks {
  readonly #backend: Backend;
  readonly #host: ListenableHost;
  readonly #defaults: AcquireOptions;
  readonly #needsToken: boolean;
  readonly #acquiring: AcquireContext;
  readonly #holding: HoldContext;
  readonly #holds = new Set<Hold>();
  #closed: Promise<void> | undefined;

  constructor(backend: Backend, host: ListenableHost, defaults: AcquireOptions, token: boolean) {
    this.#backend = backend;
    this.#host = host;
    this.#defaults = defaults;
    this.#needsToken = token;
    this.#acquiring = {
      backend,
      host,
      waits: new Alarms(host.runtime, { awaited: true }),
      lines: new Map(),
      acquisitions: new Set(),
      background: new Background(),
    };
    this.#holding = {
      background: this.#acquiring.background,
      backend: backend.name,
      host,
      isSession: backend.capabilities.lease === 'session',
      alarms: new Alarms(host.runtime, { awaited: false }),
    };
  }

  get backend(): string {
    return this.#backend.name;
  }

  get capabilities(): Capabilities {
    return this.#backend.capabilities;
  }

  for(key: string, options?: AcquireOptions): Lock {
    checkKey(key, this.backend);
    checkOptions(options, OPTION_NAMES.acquire, { key, backend: this.backend });
    this.checkTtl(options?.ttlMs, key);
    const { waitMs: _, ...hold } = { ...options };
    return {
      key,
      acquire: (more) => this.acquire(key, over(options, more)),
      tryAcquire: (more) => this.tryAcquire(key, over(hold, more)),
      use: (body, more) => this.use(key, body, over(options, more)),
      tryUse: (body, more) => this.tryUse(key, body, over(hold, more)),
    };
  }

  async acquire(key: string, options?: AcquireOptions): Promise<Lease> {
    this.#check(key, options, OPTION_NAMES.acquire);
    const { lease } = await this.#acquire(
      key,
      options,
      options?.waitMs ?? this.#defaults.waitMs ?? WAIT_MS_DEFAULT,
    );
    return lease;
  }

  async tryAcquire(key: string, options?: HoldOptions): Promise<Lease | null> {
    this.#check(key, options, OPTION_NAMES.tryAcquire);
    return (await this.#tryAcquire(key, options))?.lease ?? null;
  }

  async use<T>(
    key: string,
    body: Body<T, bigint | undefined>,
    options?: AcquireOptions,
  ): Promise<T> {
    this.#check(key, options, OPTION_NAMES.acquire);
    const waitMs = options?.waitMs ?? this.#defaults.waitMs ?? WAIT_MS_DEFAULT;
    const { lease, hold } = await this.#acquire(key, options, waitMs);
    return await runUnder(lease, hold, body, () => lease.release());
  }

  async tryUse<T>(
    key: string,
    body: Body<T, bigint | undefined>,
    options?: TryUseOptions,
  ): Promise<TryUse<T>> {
    this.#check(key, options, OPTION_NAMES.tryUse);
    const keepMs = options?.keepMs ?? 0;
    const held = await this.#tryAcquire(key, options, keepMs > 0);
    if (held === undefined) return { ran: false };
    const { lease, hold } = held;
    const value = await runUnder(lease, hold, body, () => hold.releaseAfter(keepMs));
    return { ran: true, value };
  }

  on<T extends LockEventType>(type: T, listener: (event: LockEventOf<T>) => void): () => void {
    return this.#host.on(type, listener);
  }

  async inspect(key: string): Promise<Inspection> {
    this.#check(key, undefined, []);
    if (this.#backend.inspect === undefined) throw this.#incapable('inspect a key', key);
    return await this.#backend.inspect(key);
  }

  async forceRelease(key: string): Promise<Release> {
    this.#check(key, undefined, []);
    if (this.#backend.forceRelease === undefined) throw this.#incapable('release by force', key);
    const release = await this.#backend.forceRelease(key);
    this.#host.emit({ type: 'forced', key, backend: this.backend, outcome: release.kind });
    return release;
  }

  async health(): Promise<Health> {
    if (this.#closed !== undefined) throw closedError(this.backend);
    if (this.#backend.health === undefined) throw this.#incapable('tell its health');
    return await this.#backend.health();
  }

  close(options: CloseOptions = {}): Promise<void> {
    this.#closed ??= this.#close(options.timeoutMs ?? CLOSE_MS_DEFAULT);
    return this.#closed;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @throws CapabilityError for a ttl per call where the session has one for all */
  checkTtl(ttlMs: number | undefined, key?: string): void {
    if (ttlMs === undefined || !this.#holding.isSession) return;
    throw new CapabilityError(
      `${this.backend} takes no ttlMs here: its leases last as long as its session`,
      {
        key,
        backend: this.backend,
      },
    );
  }

  #check(
    key: string,
    options: object | undefined,
    names: Parameters<typeof checkOptions>[1],
  ): void {
    if (this.#closed !== undefined) throw closedError(this.backend, key);
    checkKey(key, this.backend);
    checkOptions(options, names, { key, backend: this.backend });
  }

  async #tryAcquire(
    key: string,
    options: HoldOptions | undefined,
    keeps = false,
  ): Promise<Held | undefined> {
    try {
      return await this.#acquire(key, options, 0, keeps);
    } catch (error) {
      if (error instanceof LockTimeoutError) return undefined;
      throw error;
    }
  }

  async #acquire(
    key: string,
    options: HoldOptions | undefined,
    waitMs: number,
    keeps = false,
  ): Promise<Held> {
    this.checkTtl(options?.ttlMs, key);
    const { isSession } = this.#holding;
    if (keeps && isSession)
      throw this.#incapable('keep a key for keepMs: its leases end with their session', key);
    const ttlMs = isSession
      ? undefined
      : (options?.ttlMs ?? this.#defaults.ttlMs ?? TTL_MS_DEFAULT);
    const { runtime } = this.#host;
    const startedMs = runtime.now().monotonicMs;
    const contender = runtime.randomId();
    const acquisition = new Acquisition(this.#acquiring, {
      key,
      contender,
      ttlMs,
      waitMs,
      startedMs,
    });
    const won = await acquisition.run(options?.signal);
    const hold = this.#hold(won, key, options);
    const lease = this.#lease(hold, won, acquisition, startedMs);
    this.#checkStillHeld(hold);
    const complaint = this.#complaint(won, keeps, key);
    if (complaint !== undefined) {
      await lease.release();
      throw complaint;
    }
    return { lease, hold };
  }

  #hold({ grant, contender }: Won, key: string, options: HoldOptions | undefined): Hold {
    const renew = grant.renew !== undefined && (options?.renew ?? this.#defaults.renew ?? true);
    const maxHoldMs = options?.maxHoldMs ?? this.#defaults.maxHoldMs ?? Number.POSITIVE_INFINITY;
    return new Hold(this.#holding, grant, { key, contender, renew, maxHoldMs });
  }

  #lease(hold: Hold, won: Won, acquisition: Acquisition, startedMs: number): Lease {
    const { line } = acquisition;
    const { runtime } = this.#host;
    if (line !== undefined) {
      line.front = undefined;
      line.holder = hold;
    }
    this.#holds.add(hold);
    const lease = new HeldLease(hold);
    this.#host.emit({
      type: 'acquired',
      key: hold.request.key,
      backend: this.backend,
      contender: won.contender,
      waitedMs: runtime.now().monotonicMs - startedMs,
      attempts: won.attempts,
      leaseMs: won.grant.leaseMs,
      fencingToken: won.grant.fencingToken,
    });
    hold.start(lease, () => {
      this.#holds.delete(hold);
      line?.next();
    });
    return lease;
  }

  /** @throws LockError when it ended while the news of the grant was on its way to here */
  #checkStillHeld(hold: Hold): void {
    const { key } = hold.request;
    if (this.#closed !== undefined) {
      hold.close();
      throw closedError(this.backend, key);
    }
    if (hold.state !== 'held') throw hold.lossError();
  }

  #complaint({ grant }: Won, keeps: boolean, key: string): LockError | undefined {
    if (keeps && grant.renew === undefined)
      return this.#incapable('keep a key for keepMs: it cannot renew', key);
    if (!this.#needsToken || grant.fencingToken !== undefined) return undefined;
    return new LockError(
      'NO_TOKEN',
      `${this.backend} promises fencing, but its grant has no token`,
      {
        key,
        backend: this.backend,
      },
    );
  }

  async #close(timeoutMs: number): Promise<void> {
    // Lets `#closed` be set first, since what is cancelled here may call back.
    await Promise.resolve();
    const { runtime } = this.#host;
    const from = runtime.now();
    const { acquisitions, background } = this.#acquiring;
    for (const acquisition of acquisitions) {
      acquisition.cancel('closed', closedError(this.backend, acquisition.request.key));
    }
    for (const hold of this.#holds) hold.close();
    await background.done(timeoutMs, runtime);
    await this.#backend.close({ timeoutMs: Math.max(0, timeoutMs - runtime.elapsedMs(from)) });
  }

  #incapable(what: string, key?: string): CapabilityError {
    return new CapabilityError(`${this.backend} cannot ${what}`, { key, backend: this.backend });
  }
}

/** The options of a call on top of those of its lock; one set to undefined counts as left out. */
function over(bound: AnyOptions | undefined, call: AnyOptions | undefined): AnyOptions | undefined {
  if (call === undefined) return bound;
  // Anything else is none, and refused where options are checked.
  if (typeof call !== 'object' || call === null) return call;
  const given = Object.entries(call).filter(([, value]) => value !== undefined);
  return { ...bound, ...Object.fromEntries(given) };
}

/** Runs the body and then gives the key back. Its own error always wins; a loss is told, with what it returned. */
async function runUnder<T>(
  lease: Lease,
  hold: Hold,
  body: Body<T, bigint | undefined>,
  end: () => Promise<Release>,
): Promise<T> {
  let result: T;
  try {
    result = await body(lease);
  } catch (error) {
    await lease.release();
    throw error;
  }
  const wasLost = hold.state === 'lost';
  const release = await end();
  if (wasLost || release.kind === 'not-held') throw hold.lossError({ result });
  return result;
}
