import { type AcquireContext, Acquisition } from './acquisition.ts';
import type { Lease } from './api.ts';
import { Background } from './background.ts';
import { DeadlineHeap } from './deadline-heap.ts';
import { closedError } from './error-messages.ts';
import { CapabilityError, LockError } from './errors.ts';
import { HeldLease } from './lease.ts';
import { type LeaseContext, LeaseController } from './lease-controller.ts';
import type { Limit } from './limit.ts';
import type { Backend, Host, StillHeld } from './port.ts';
import type { ContenderGrant } from './wait-loop.ts';

/** A lease, and the controller with which only core may change it. */
export interface AcquiredLease {
  readonly lease: Lease;
  readonly controller: LeaseController;
}

/** The request of a caller, with every default filled in. */
export interface LeaseRequest {
  readonly key: string;
  /** Ignored on session backends. */
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly renew: boolean;
  readonly maxHoldMs: number;
  /** True if the key shall stay taken after the job. */
  readonly retains: boolean;
  /** The exported lease to adopt, instead of a free key to acquire. */
  readonly exported?: string | undefined;
}

/** Turns requests into leases. It knows every waiter and every holder of a `Locks`. */
export class Acquirer {
  readonly #backend: Backend;
  readonly #host: Host;
  readonly #needsToken: boolean;
  readonly #acquireContext: AcquireContext;
  readonly #leaseContext: LeaseContext;
  readonly #controllers = new Set<LeaseController>();
  #isClosed = false;

  constructor(backend: Backend, host: Host, needsToken: boolean) {
    const { runtime } = host;
    const background = new Background();
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

  /** Waits for a grant and wraps it in a lease. */
  async acquire(request: LeaseRequest, signal: AbortSignal | undefined): Promise<AcquiredLease> {
    const { key, waitMs, retains, exported } = request;
    const { isSession } = this.#leaseContext;
    if (retains && isSession)
      throw this.#capabilityError('keep a key for keepMs: its leases end with their session', key);
    const ttlMs = isSession ? undefined : request.ttlMs;
    const { runtime } = this.#host;
    const startedMs = runtime.now().monotonicMs;
    const contender = runtime.randomId();
    const wait = { key, contender, ttlMs, waitMs, startedMs, exported };
    const acquisition = new Acquisition(this.#acquireContext, wait);
    const won = await acquisition.run(signal);
    const controller = this.#control(won, request);
    const lease = this.#lease(controller, won, acquisition);
    this.#checkStillHeld(controller);
    const error = this.#leaseError(won, request);
    if (error !== undefined) {
      await lease.release();
      throw error;
    }
    return { lease, controller };
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

  #control(
    { grant, contender }: ContenderGrant,
    { key, renew, maxHoldMs }: LeaseRequest,
  ): LeaseController {
    const renews = renew && grant.renew !== undefined;
    return new LeaseController(this.#leaseContext, grant, {
      key,
      contender,
      renew: renews,
      maxHoldMs,
    });
  }

  #lease(controller: LeaseController, won: ContenderGrant, { queue, request }: Acquisition): Lease {
    const { runtime } = this.#host;
    if (queue !== undefined) {
      queue.waitLoop = undefined;
      queue.holder = controller;
    }
    this.#controllers.add(controller);
    const lease = new HeldLease(controller);
    this.#host.emit({
      type: 'acquired',
      key: request.key,
      backend: this.#backend.name,
      contender: won.contender,
      waitedMs: runtime.now().monotonicMs - request.startedMs,
      attempts: won.attempts,
      leaseMs: won.grant.leaseMs,
      fencingToken: won.grant.fencingToken,
    });
    controller.start(lease, () => {
      this.#controllers.delete(controller);
      queue?.next();
    });
    return lease;
  }

  /** @throws LockError if the lease ended before the grant could be handed to the caller */
  #checkStillHeld(controller: LeaseController): void {
    if (this.#isClosed) {
      this.#acquireContext.background.add(controller.release());
      throw closedError(this.#backend.name, controller.request.key);
    }
    if (controller.state !== 'held') throw controller.lossError();
  }

  #warnStillHeld({ key, remainingMs }: StillHeld): void {
    const { name: backend } = this.#backend;
    const message = `'${key}' was not released before the locks were closed: it stays taken until its lease expires, in ${Math.round(remainingMs)} ms`;
    this.#host.emit({ type: 'warning', backend, code: 'STILL_HELD', message, key });
  }

  #leaseError({ grant }: ContenderGrant, { key, retains }: LeaseRequest): LockError | undefined {
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
