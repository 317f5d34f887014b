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

/** A lease together with what only core may do with it. */
export interface AcquiredLease {
  readonly lease: Lease;
  readonly controller: LeaseController;
}

/** What a caller wants, with every default filled in. */
export interface LeaseRequest {
  readonly key: string;
  /** Without meaning on session backends. */
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly renew: boolean;
  readonly maxHoldMs: number;
  /** Whether the key is to stay taken after the job. */
  readonly retains: boolean;
}

/** Turns what callers want into leases, and knows everything that waits or holds. */
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
      deadlines,
      retainedDeadlines,
    };
  }

  /** Waits for a grant, and makes a lease of it. */
  async acquire(request: LeaseRequest, signal: AbortSignal | undefined): Promise<AcquiredLease> {
    const { key, waitMs, retains: keeps } = request;
    const { isSession } = this.#leaseContext;
    if (keeps && isSession)
      throw this.#capabilityError('keep a key for keepMs: its leases end with their session', key);
    const ttlMs = isSession ? undefined : request.ttlMs;
    const { runtime } = this.#host;
    const startedMs = runtime.now().monotonicMs;
    const contender = runtime.randomId();
    const wait = { key, contender, ttlMs, waitMs, startedMs };
    const acquisition = new Acquisition(this.#acquireContext, wait);
    const won = await acquisition.run(signal);
    const controller = this.#control(won, request);
    const lease = this.#lease(controller, won, acquisition);
    this.#checkStillHeld(controller);
    const complaint = this.#leaseError(won, request);
    if (complaint !== undefined) {
      await lease.release();
      throw complaint;
    }
    return { lease, controller };
  }

  /**
   * Rejects who waits, tells who holds, and waits for what is held to be released, but no longer than `limit`. Returns
   * what is held all the same.
   */
  async close(limit: Limit): Promise<readonly StillHeld[]> {
    this.#isClosed = true;
    // Whoever closes is told of it first, since what is cancelled here may call back.
    await Promise.resolve();
    const { acquisitions, background } = this.#acquireContext;
    for (const acquisition of acquisitions) {
      acquisition.cancel('closed', closedError(this.#backend.name, acquisition.request.key));
    }
    for (const controller of this.#controllers) background.add(controller.close());
    // A grant that arrived just now is given up in the next steps of its caller, and the backend has to be there for it.
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

  /** @throws LockError when it ended while the news of the grant was on its way to here */
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

  #leaseError(
    { grant }: ContenderGrant,
    { key, retains: keeps }: LeaseRequest,
  ): LockError | undefined {
    if (keeps && grant.renew === undefined)
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
