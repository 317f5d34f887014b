import type { Lease } from './api.ts';
import type { Hold } from './hold.ts';
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
  readonly #hold: Hold;

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

  get signal(): AbortSignal {
    return this.#hold.signal;
  }

  get remainingMs(): () => number {
    return () => this.#hold.remainingMs();
  }

  get assertHeld(): () => void {
    return () => {
      if (this.#hold.remainingMs() <= 0) throw this.#hold.lossError();
    };
  }

  get extend(): (ttlMs: number) => Promise<void> {
    return async (ttlMs) => {
      const details = { key: this.key, backend: this.#hold.backend };
      checkOptions({ ttlMs: ttlMs ?? Number.NaN }, OPTION_NAMES.tryAcquire, details);
      await this.#hold.extend(ttlMs);
    };
  }

  get release(): () => Promise<Release> {
    return () => this.#hold.release();
  }

  get [Symbol.asyncDispose](): () => Promise<void> {
    return async () => void (await this.#hold.release());
  }

  /** What `console.log` shows. Not the owner: who knows that value can release the key. */
  #inspected(options: object, inspect: Inspect): string {
    const { key, state, fencingToken } = this;
    const { backend } = this.#hold;
    const remainingMs = Math.round(this.#hold.remainingMs());
    const token = fencingToken === undefined ? {} : { fencingToken };
    return `Lease ${inspect({ key, state, remainingMs, ...token, backend }, options)}`;
  }

  static {
    Object.defineProperty(this.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value(this: HeldLease, _depth: number, options: object, inspect: Inspect): string {
        return this.#inspected(options, inspect);
      },
    });
  }
}
