import type { Acquirer } from './acquirer.ts';
import type { Capabilities } from './api/capabilities.ts';
import type { TryUse } from './api/locks.ts';
import type { AcquireOptions, HoldOptions, TryUseOptions } from './api/options.ts';
import type { AnyBody, AnyLease, AnyOptions, LockingCalls } from './bound-lock.ts';
import { type CallObserver, holdsOf, type LockingMethod, observedBody } from './call-observer.ts';
import { closedError } from './error-messages.ts';
import { CapabilityError, LockTimeoutError } from './errors.ts';
import type { HoldContext, HoldFrame, Holding } from './hold-context.ts';
import type { ListenableHost } from './host.ts';
import { checkKey, checkKeys, type KeyOrKeys } from './key.ts';
import { controllerOf, type HeldLease, runWithLease } from './lease.ts';
import type { LeaseController } from './lease-controller.ts';
import { type RequestKind, requestOf } from './lease-request.ts';
import { acquireAll } from './multi-acquirer.ts';
import { HeldMultiLease, type MultiLeaseController, multiControllerOf } from './multi-lease.ts';
import { checkBody, checkOptions, OPTION_NAMES } from './options.ts';
import type { Backend, HoldMode } from './port.ts';

type OptionNames = Parameters<typeof checkOptions>[1];

const NO_OPTIONS: AnyOptions = Object.freeze({});
const ONE_ATTEMPT: RequestKind = { waitMs: 0 };
const ONE_ATTEMPT_THAT_RETAINS: RequestKind = { waitMs: 0, retains: true };

/** The calls that lock. They check what their caller gives before anything is sent, and let others observe them. */
export abstract class LockCalls implements LockingCalls {
  readonly backend: string;
  readonly capabilities: Capabilities;
  /** Set once no more calls are taken. */
  protected isClosing = false;
  readonly #host: ListenableHost;
  readonly #defaults: AcquireOptions;
  readonly #acquirer: Acquirer;
  /** Absent unless the locks are to know what their callers hold. */
  readonly #context: HoldContext | undefined;
  /** Of the calls that somebody observes; created by the first one. */
  #observers: WeakMap<AnyLease, CallObserver> | undefined;

  constructor(
    { name, capabilities }: Backend,
    host: ListenableHost,
    defaults: AcquireOptions,
    acquirer: Acquirer,
  ) {
    this.backend = name;
    this.capabilities = capabilities;
    this.#host = host;
    this.#defaults = defaults;
    this.#acquirer = acquirer;
    this.#context = host.reentry?.(name, (event) => host.emit(event));
  }

  get isSession(): boolean {
    return this.capabilities.lease === 'session';
  }

  acquire(key: KeyOrKeys, options?: AcquireOptions, mode?: HoldMode): Promise<AnyLease> {
    return this.request('acquire', key, options, OPTION_NAMES.acquire, mode && { mode });
  }

  tryAcquire(key: KeyOrKeys, options?: HoldOptions, mode?: HoldMode): Promise<AnyLease | null> {
    const kind = mode === undefined ? ONE_ATTEMPT : { ...ONE_ATTEMPT, mode };
    return this.request('tryAcquire', key, options, OPTION_NAMES.tryAcquire, kind).catch(
      nullIfBusy,
    );
  }

  async use<T>(
    key: KeyOrKeys,
    body: AnyBody<T>,
    options?: AcquireOptions,
    mode?: HoldMode,
  ): Promise<T> {
    checkBody(body, options, this.details(key));
    const place = this.place();
    const names = OPTION_NAMES.acquire;
    const lease = await this.request('use', key, options, names, mode && { mode });
    const run = this.within(lease, { mode, place }, body);
    return await runWithLease<T, AnyLease>(lease, controllerFor(lease), run, () => lease.release());
  }

  async tryUse<T>(
    key: KeyOrKeys,
    body: AnyBody<T>,
    options?: TryUseOptions,
    mode?: HoldMode,
  ): Promise<TryUse<T>> {
    checkBody(body, options, this.details(key));
    const place = this.place();
    const checked = this.checkOptions(options, OPTION_NAMES.tryUse, key);
    const keepMs = checked.keepMs ?? 0;
    const attempt = keepMs > 0 ? ONE_ATTEMPT_THAT_RETAINS : ONE_ATTEMPT;
    const kind = mode === undefined ? attempt : { ...attempt, mode };
    const acquiring = this.request('tryUse', key, checked, OPTION_NAMES.tryUse, kind);
    const lease = await acquiring.catch(nullIfBusy);
    if (lease === null) return { ran: false };
    const controller = controllerFor(lease);
    const run = this.within(lease, { mode, place }, body);
    const value = await runWithLease<T, AnyLease>(lease, controller, run, () =>
      hasOtherHandles(controller, lease) ? lease.release() : controller.releaseAfter(keepMs),
    );
    return { ran: true, value };
  }

  /** @throws CapabilityError for a ttl per call on a session backend, where all leases share one ttl */
  protected checkTtl(ttlMs: number | undefined, key: KeyOrKeys = []): void {
    if (ttlMs === undefined || !this.isSession) return;
    throw new CapabilityError(
      `${this.backend} does not support ttlMs per call: its leases last as long as its session; set the session timeout when you open it`,
      this.details(key),
    );
  }

  /** @throws InvalidOptionError, or CapabilityError for a ttl that the backend does not take */
  protected checkOptions(options: unknown, names: OptionNames, key: KeyOrKeys): AnyOptions {
    if (options === undefined) return NO_OPTIONS;
    const checked = checkOptions(options, names, this.details(key));
    this.checkTtl(checked.ttlMs, key);
    return checked;
  }

  /** Rejects a key that is none, and every key once the locks are closing. */
  protected checkOne(key: string): void {
    if (this.isClosing) throw closedError(this.backend, key);
    checkKey(key, this.backend);
  }

  /** The details of an error that concerns the call: of several keys it names none. */
  protected details(key: KeyOrKeys): {
    readonly key: string | undefined;
    readonly backend: string;
  } {
    return { key: typeof key === 'string' ? key : undefined, backend: this.backend };
  }

  /**
   * Rejects with a LockError for a wrong call, before anything is sent. Not async, as that adds a promise and a function's
   * state to each call.
   */
  protected request(
    method: LockingMethod,
    key: KeyOrKeys,
    options: unknown,
    names: OptionNames,
    kind?: RequestKind,
  ): Promise<HeldLease | HeldMultiLease> {
    try {
      if (this.isClosing) throw closedError(this.backend, this.details(key).key);
      const keys = checkKeys(key, this.backend);
      const checked = this.checkOptions(options, names, keys);
      const { signal } = checked;
      const again = signal?.aborted === true ? undefined : this.#again(method, keys, checked, kind);
      if (again !== undefined) return Promise.resolve(again);
      const observer = this.#host.observe?.(method, this.backend, keys);
      const request = requestOf(
        typeof keys === 'string' ? keys : '',
        checked,
        this.#defaults,
        kind,
      );
      const acquiring =
        typeof keys === 'string'
          ? this.#acquirer.acquire(request, signal)
          : acquireAll(this.#acquirer, keys, request, signal);
      return observer === undefined ? acquiring : this.#reported(observer, acquiring);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** The body of `use` that runs under this lease, if the locks know that. */
  protected frameOf(lease: HeldLease): HoldFrame | undefined {
    return this.#context?.frameOf(lease);
  }

  /** Where a call of the user's code is, if a warning may need it. */
  protected place(): Error | undefined {
    return this.#context?.place();
  }

  /** A body, run by those who observe it, where the context of its calls knows of the lease. */
  protected within<L extends AnyLease, R>(
    lease: L & (HeldLease | HeldMultiLease),
    holding: Holding,
    body: (lease: L) => R,
  ): (lease: L) => R {
    const run = observedBody(this.#observers?.get(lease), body);
    return this.#context?.within(lease, holding, run) ?? run;
  }

  /** What the caller's own context holds already, if the locks know that. */
  #again(
    method: LockingMethod,
    keys: KeyOrKeys,
    { waitMs }: AnyOptions,
    kind?: RequestKind,
  ): HeldLease | undefined {
    if (this.#context === undefined || method === 'adopt') return undefined;
    const again =
      typeof keys === 'string' && method !== 'elect'
        ? this.#context.reenter(keys, kind?.mode)
        : undefined;
    if (again === undefined && (kind?.waitMs ?? waitMs) !== 0)
      this.#context.warnOfOwn(keys, kind?.mode);
    return again;
  }

  async #reported(
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
}

function controllerFor(lease: HeldLease | HeldMultiLease): LeaseController | MultiLeaseController {
  return lease instanceof HeldMultiLease ? multiControllerOf(lease) : controllerOf(lease);
}

function hasOtherHandles(controller: LeaseController | MultiLeaseController, own: object): boolean {
  if (!('handles' in controller) || controller.handles === undefined) return false;
  const { handles } = controller;
  return handles.count > Number(handles.has(own));
}

function nullIfBusy(error: unknown): null {
  if (error instanceof LockTimeoutError) return null;
  throw error;
}
