import type { Lease } from './api/lease.ts';
import { lossError } from './error-messages.ts';
import type { LeaseController } from './lease-controller.ts';
import { OpenHandles } from './open-handles.ts';
import { checkOptions, OPTION_NAMES } from './options.ts';
import type { Release } from './port.ts';
import { exportLease, extendLease } from './requested-renewal.ts';

/** `util.inspect`, as `console.log` passes it. */
export type Inspect = (value: unknown, options: object) => string;

/** The controller of a lease, with which only core may change it; assigned by {@link HeldLease}. */
export let controllerOf: (lease: HeldLease) => LeaseController;

/**
 * The handle that users see. Core drops its reference to it, so that a dropped handle can be detected.
 *
 * Its methods are created when they are read. So they may be destructured, as in `({ assertHeld }) => …`, and an unused
 * method costs no memory.
 */
export class HeldLease implements Lease {
  readonly #controller: LeaseController;

  constructor(controller: LeaseController) {
    this.#controller = controller;
  }

  get key(): string {
    return this.#controller.key;
  }

  get owner(): string {
    return this.#controller.grant.owner;
  }

  get fencingToken(): bigint | undefined {
    return this.#controller.grant.fencingToken;
  }

  get state(): 'held' | 'lost' | 'released' {
    return this.#isClosed ? 'released' : this.#controller.state;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get remainingMs(): () => number {
    return () => (this.#isClosed ? 0 : this.#controller.remainingMs());
  }

  get assertHeld(): () => void {
    return () => {
      this.#checkOpen();
      if (this.#controller.remainingMs() <= 0) throw this.#controller.lossError();
    };
  }

  get extend(): (ttlMs: number) => Promise<void> {
    return async (ttlMs) => {
      const details = this.#controller.keyOnBackend;
      this.#checkOpen();
      checkOptions({ ttlMs: ttlMs ?? Number.NaN }, OPTION_NAMES.tryAcquire, details);
      await extendLease(this.#controller, ttlMs);
    };
  }

  get export(): () => Promise<string> {
    return async () => {
      this.#checkOpen();
      return await exportLease(this.#controller);
    };
  }

  get release(): () => Promise<Release> {
    return () => this.#release();
  }

  get [Symbol.asyncDispose](): () => Promise<void> {
    return async () => void (await this.#release());
  }

  /** True if this handle was released while others on the same hold were not. */
  get #isClosed(): boolean {
    return this.#controller.handles?.has(this) === false;
  }

  #checkOpen(): void {
    if (this.#isClosed) throw lossError(this.#controller.keyOnBackend, 'released', {});
  }

  #release(): Promise<Release> {
    const { handles } = this.#controller;
    // Of several handles only the last one releases the hold; a lost hold has no more to release.
    if (handles === undefined || this.#controller.state !== 'held')
      return this.#controller.release();
    handles.close(this);
    if (handles.count > 0) return Promise.resolve({ kind: 'released' });
    return this.#controller.release();
  }

  /** The output of `console.log`. It omits the owner value, since a reader of that value can release the key. */
  #describe(options: object, inspect: Inspect): string {
    const { key, state, fencingToken } = this;
    const { backend } = this.#controller.keyOnBackend;
    const remainingMs = Math.round(this.remainingMs());
    const token = fencingToken === undefined ? {} : { fencingToken };
    return `Lease ${inspect({ key, state, remainingMs, ...token, backend }, options)}`;
  }

  static {
    controllerOf = (lease) => lease.#controller;
    Object.defineProperty(this.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value(this: HeldLease, _depth: number, options: object, inspect: Inspect): string {
        return this.#describe(options, inspect);
      },
    });
  }
}

/** The handle that a further one was made from: it must not be collected, as if it had been dropped, before that one. */
const OUTER = new WeakMap<HeldLease, HeldLease>();

/** Makes a further handle on the hold of `lease`. @throws LockLostError unless this handle is held */
export function reenterLease(lease: HeldLease): HeldLease {
  lease.assertHeld();
  const controller = controllerOf(lease);
  controller.handles ??= new OpenHandles(lease);
  const handle = new HeldLease(controller);
  OUTER.set(handle, lease);
  controller.handles.add(handle);
  return handle;
}

/**
 * Runs the body, then releases the key, unless the body exported the lease. The body's own error always wins.
 * @throws LockLostError with the result of the body, if the lease was lost meanwhile
 */
export async function runWithLease<T, L extends Pick<Lease, 'release'>>(
  lease: L,
  controller: Pick<LeaseController, 'state' | 'lossError'> & { readonly isExported?: boolean },
  body: (lease: L) => T | Promise<T>,
  releaseLease: () => Promise<Release>,
): Promise<T> {
  let result: T;
  try {
    result = await body(lease);
  } catch (error) {
    await lease.release();
    throw error;
  }
  const wasLost = controller.state === 'lost';
  const release = await releaseLease();
  if (controller.isExported) return result;
  if (wasLost || release.kind === 'not-held') throw controller.lossError({ result });
  return result;
}
