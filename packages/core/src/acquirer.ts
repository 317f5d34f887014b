import { type AcquireContext, Acquisition, type GrantTaker } from './acquisition.ts';
import type { StillHeld } from './api/reports.ts';
import type { WaitRequest } from './attempt-log.ts';
import { Background, type Limit } from './background.ts';
import { DeadlineHeap } from './deadline-heap.ts';
import { closedError } from './error-messages.ts';
import { CapabilityError, LockError } from './errors.ts';
import { HeldLease } from './lease.ts';
import type { LeaseContext } from './lease-context.ts';
import { LeaseController } from './lease-controller.ts';
import type { LeaseRequest } from './lease-request.ts';
import type { LocalQueue } from './local-queue.ts';
import type { Backend, Host } from './port.ts';
import type { Runtime } from './runtime.ts';
import type { ContenderGrant } from './wait-loop.ts';

/** The wait in which a grant was won; the local queue whose head it is; and the handle that keeps its lease. */
export interface GrantOrigin {
  readonly wait: WaitRequest;
  readonly queue: LocalQueue | undefined;
  readonly handle: object | undefined;
}

/** Turns requests into leases. It knows every waiter and every holder of a `Locks`. */
export class Acquirer {
  readonly #backend: Backend;
  readonly #host: Host;
  readonly #needsToken: boolean;
  readonly #acquireContext: AcquireContext;
  readonly #leaseContext: LeaseContext;
  /** Runs what no caller waits for. */
  readonly background: Background = new Background();
  readonly #controllers = new Set<LeaseController>();
  /** One for all leases: a closure of each would stay as long as the lease. */
  readonly #onEnded = (ended: LeaseController): void => {
    this.#controllers.delete(ended);
    ended.queue?.next();
  };
  #isClosed = false;

  constructor(backend: Backend, host: Host, needsToken: boolean) {
    const { runtime } = host;
    const { background } = this;
    const waits = new DeadlineHeap(runtime, { awaited: true });
    const deadlines = new DeadlineHeap(runtime, { awaited: false, watchesWall: true });
    const isSession = backend.capabilities.lease === 'session';
    const canAdopt = backend.adopt !== undefined;
    this.#backend = backend;
    this.#host = host;
    this.#needsToken = needsToken;
    this.#acquireContext = {
      backend,
      host,
      waitDeadlines: waits,
      queues: new Map(),
      acquisitions: new Set(),
      background,
    };
    const retainedDeadlines = new DeadlineHeap(runtime, { awaited: false });
    this.#leaseContext = {
      background,
      backend: backend.name,
      host,
      isSession,
      canAdopt,
      deadlines,
      retainedDeadlines,
    };
  }

  get backend(): Backend {
    return this.#backend;
  }

  get runtime(): Runtime {
    return this.#host.runtime;
  }

  get context(): AcquireContext {
    return this.#acquireContext;
  }

  /** @throws LockError with code `CLOSED`: a further step of a call may follow after `close` */
  checkOpen(key: string): void {
    if (this.#isClosed) throw closedError(this.#backend.name, key);
  }

  /** The wait that a request starts. @throws LockError with code `CLOSED`, CapabilityError */
  wait({ key, ttlMs, waitMs, retains, part, exported, mode }: LeaseRequest): WaitRequest {
    this.checkOpen(key);
    const { isSession } = this.#leaseContext;
    if (retains && isSession)
      throw this.#capabilityError('keep a key for keepMs: its leases end with their session', key);
    const { runtime } = this.#host;
    const startedMs = part?.startedMs ?? runtime.now().monotonicMs;
    const contender = runtime.randomId();
    const ownTtlMs = isSession ? undefined : ttlMs;
    return { key, contender, ttlMs: ownTtlMs, waitMs, startedMs, exported, mode };
  }

  /** True for a lease of these locks. */
  made({ context }: LeaseController): boolean {
    return context === this.#leaseContext;
  }

  /** Waits for a grant and wraps it in a lease. The lease of a part is kept by `handle`, the handle on all of them. */
  acquire(
    request: LeaseRequest,
    signal: AbortSignal | undefined,
    handle?: object,
  ): Promise<HeldLease> {
    const wait = this.wait(request);
    const call = new OneLease(this, request, wait, handle);
    return new Acquisition(this.#acquireContext, wait, call).run(signal);
  }

  /** Wraps a grant in a lease. @throws LockError if the lease ended before it could be handed to the caller */
  hold(won: ContenderGrant, request: LeaseRequest, origin: GrantOrigin): HeldLease {
    const controller = new LeaseController(this.#leaseContext, won, request, origin.queue);
    const lease = this.#lease(controller, won, origin);
    this.#checkStillHeld(controller);
    return lease;
  }

  /**
   * Rejects all waiters, signals all holders, and waits until they have released their leases, but no longer than
   * `limit`. Returns the leases that are still held then.
   */
  async close(limit: Limit): Promise<readonly StillHeld[]> {
    this.#isClosed = true;
    // The caller of `close` gets its promise first, since the code that is cancelled here may call back.
    await Promise.resolve();
    const { acquisitions, background } = this.#acquireContext;
    for (const acquisition of acquisitions) {
      acquisition.cancel('closed', closedError(this.#backend.name, acquisition.request.key));
    }
    for (const controller of this.#controllers) background.add(controller.close());
    // A grant that has just arrived is released in the next steps of its caller, which still need the backend.
    await Promise.resolve();
    if (!background.isDone) await limit.wait(background.done());
    const stillHeld = Array.from(
      this.#controllers,
      (controller) => controller.abandon() ?? [],
    ).flat();
    for (const controller of stillHeld) this.#warnStillHeld(controller);
    return stillHeld;
  }

  #lease(controller: LeaseController, won: ContenderGrant, origin: GrantOrigin): HeldLease {
    const { wait, queue, handle } = origin;
    queue?.hold(controller, won.attempts);
    this.#controllers.add(controller);
    const lease = new HeldLease(controller);
    this.#reportAcquired(won, wait);
    controller.start(handle ?? lease, this.#onEnded);
    return lease;
  }

  #reportAcquired({ grant, contender, attempts }: ContenderGrant, wait: WaitRequest): void {
    const waitedMs = this.runtime.now().monotonicMs - wait.startedMs;
    if (this.#host.hears?.('acquired') === false) return;
    this.#host.emit({
      type: 'acquired',
      key: wait.key,
      backend: this.#backend.name,
      contender,
      waitedMs,
      attempts,
      leaseMs: grant.leaseMs,
      fencingToken: grant.fencingToken,
    });
  }

  #checkStillHeld(controller: LeaseController): void {
    if (this.#isClosed) {
      this.#acquireContext.background.add(controller.release());
      throw closedError(this.#backend.name, controller.key);
    }
    if (controller.state !== 'held') throw controller.lossError();
  }

  #warnStillHeld({ key, remainingMs }: StillHeld): void {
    const { name: backend } = this.#backend;
    const message = `'${key}' was not released before the locks were closed: it stays taken until its lease expires, in ${Math.round(remainingMs)} ms`;
    this.#host.emit({ type: 'warning', backend, code: 'STILL_HELD', message, key });
  }

  /** The error for a grant that lacks what the caller relies on. */
  leaseError({ grant }: ContenderGrant, { key, retains }: LeaseRequest): LockError | undefined {
    if (retains && grant.renew === undefined)
      return this.#capabilityError('keep a key for keepMs: it cannot renew', key);
    if (!this.#needsToken || grant.fencingToken !== undefined) return undefined;
    const message = `${this.#backend.name} promises fencing, but its grant has no token`;
    return new LockError('NO_TOKEN', message, { key, backend: this.#backend.name });
  }

  #capabilityError(what: string, key: string): CapabilityError {
    const { name } = this.#backend;
    return new CapabilityError(`${name} cannot ${what}`, { key, backend: name });
  }
}

/** One call for one key: makes the lease of the grant that it wins. */
class OneLease implements GrantTaker<HeldLease> {
  readonly #acquirer: Acquirer;
  readonly #request: LeaseRequest;
  readonly #wait: WaitRequest;
  readonly #handle: object | undefined;

  constructor(
    acquirer: Acquirer,
    request: LeaseRequest,
    wait: WaitRequest,
    handle: object | undefined,
  ) {
    this.#acquirer = acquirer;
    this.#request = request;
    this.#wait = wait;
    this.#handle = handle;
  }

  take(won: ContenderGrant, queue: LocalQueue | undefined): HeldLease | Promise<HeldLease> {
    const origin = { wait: this.#wait, queue, handle: this.#handle };
    const lease = this.#acquirer.hold(won, this.#request, origin);
    const error = this.#acquirer.leaseError(won, this.#request);
    return error === undefined ? lease : this.#giveBack(lease, error);
  }

  async #giveBack(lease: HeldLease, error: LockError): Promise<never> {
    await lease.release();
    throw error;
  }
}
