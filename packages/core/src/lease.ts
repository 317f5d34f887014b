import type { Body, Lease } from './api.ts';
import type { LeaseController } from './lease-controller.ts';
import { checkOptions, OPTION_NAMES } from './options.ts';
import type { Release } from './port.ts';

type Inspect = (value: unknown, options: object) => string;

/**
 * The handle that users see. Core lets go of it, so that dropping it can be noticed.
 *
 * Its methods are made as they are asked for: then they may be taken out of it, as `({ assertHeld }) => …` does, and a
 * lease that nobody does that with carries none.
 */
export class HeldLease implements Lease {
  readonly #controller: LeaseController;

  constructor(controller: LeaseController) {
    this.#controller = controller;
  }

  get key(): string {
    return this.#controller.request.key;
  }

  get owner(): string {
    return this.#controller.grant.owner;
  }

  get fencingToken(): bigint | undefined {
    return this.#controller.grant.fencingToken;
  }

  get state(): 'held' | 'lost' | 'released' {
    return this.#controller.state;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get remainingMs(): () => number {
    return () => this.#controller.remainingMs();
  }

  get assertHeld(): () => void {
    return () => {
      if (this.#controller.remainingMs() <= 0) throw this.#controller.lossError();
    };
  }

  get extend(): (ttlMs: number) => Promise<void> {
    return async (ttlMs) => {
      const details = { key: this.key, backend: this.#controller.backend };
      checkOptions({ ttlMs: ttlMs ?? Number.NaN }, OPTION_NAMES.tryAcquire, details);
      await this.#controller.extend(ttlMs);
    };
  }

  get release(): () => Promise<Release> {
    return () => this.#controller.release();
  }

  get [Symbol.asyncDispose](): () => Promise<void> {
    return async () => void (await this.#controller.release());
  }

  /** What `console.log` shows. Not the owner: who knows that value can release the key. */
  #describe(options: object, inspect: Inspect): string {
    const { key, state, fencingToken } = this;
    const { backend } = this.#controller;
    const remainingMs = Math.round(this.#controller.remainingMs());
    const token = fencingToken === undefined ? {} : { fencingToken };
    return `Lease ${inspect({ key, state, remainingMs, ...token, backend }, options)}`;
  }

  static {
    Object.defineProperty(this.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value(this: HeldLease, _depth: number, options: object, inspect: Inspect): string {
        return this.#describe(options, inspect);
      },
    });
  }
}

/** Runs the body and then gives the key back. Its own error always wins; a loss is told, with what it returned. */
export async function runWithLease<T>(
  lease: Lease,
  controller: LeaseController,
  body: Body<T, bigint | undefined>,
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
  if (wasLost || release.kind === 'not-held') throw controller.lossError({ result });
  return result;
}
