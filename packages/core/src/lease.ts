import type { Lease } from './api.ts';
import type { Hold } from './hold.ts';
import { checkOptions, OPTION_NAMES } from './options.ts';
import type { Release } from './port.ts';

/** Keeps a lease alive for as long as somebody holds its signal. */
const leaseBySignal = new WeakMap<AbortSignal, HeldLease>();

/** The handle that users see. Nothing in core refers to it, so that dropping it can be noticed. */
export class HeldLease implements Lease {
  readonly #hold: Hold;
  #controller: AbortController | undefined;

  constructor(hold: Hold) {
    this.#hold = hold;
  }

  get key(): string {
    return this.#hold.request.key;
  }

  get owner(): string {
    return this.#hold.grant.owner;
  }

  get fencingToken(): bigint | undefined {
    return this.#hold.grant.fencingToken;
  }

  get state(): 'held' | 'lost' | 'released' {
    return this.#hold.state;
  }

  /** Made on first use: most leases never need one. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      leaseBySignal.set(this.#controller.signal, this);
      this.#hold.abortOnLoss(this.#controller);
    }
    return this.#controller.signal;
  }

  remainingMs(): number {
    return this.#hold.remainingMs();
  }

  assertHeld(): void {
    if (this.#hold.remainingMs() <= 0) throw this.#hold.lossError();
  }

  async extend(ttlMs: number): Promise<void> {
    const details = { key: this.key, backend: this.#hold.backend };
    checkOptions({ ttlMs: ttlMs ?? Number.NaN }, OPTION_NAMES.tryAcquire, details);
    await this.#hold.extend(ttlMs);
  }

  release(): Promise<Release> {
    // Nothing is left to be kept alive, and young collections take whatever a weak map has for alive.
    if (this.#controller !== undefined) leaseBySignal.delete(this.#controller.signal);
    return this.#hold.release();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release();
  }
}
