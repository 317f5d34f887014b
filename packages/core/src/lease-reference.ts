import type { Runtime } from './runtime.ts';

/**
 * Core's reference to the handle of a lease: it detects that users have dropped the handle. Once the signal has been
 * read, a dropped handle does not matter any more, because the code that has the signal relies on it.
 */
export class LeaseReference {
  /** The lease, until `makeWeak` or `forget`. */
  #lease: object | undefined;
  #cancelCollected: (() => void) | undefined;
  #controller: AbortController | undefined;

  /** Holds a reference to `lease`, until `makeWeak` or `forget`. */
  holdStrongly(lease: object): void {
    if (this.#controller === undefined) this.#lease = lease;
  }

  get isStrong(): boolean {
    return this.#lease !== undefined;
  }

  /** Drops the reference: only users keep the lease alive now. `onDropped` is called once it has been collected. */
  makeWeak(runtime: Runtime, onDropped: () => void): void {
    if (this.#lease === undefined) return;
    this.#cancelCollected = runtime.onCollected(this.#lease, onDropped);
    this.#lease = undefined;
  }

  /** Drops the reference, and stops watching for the collection. */
  forget(): void {
    this.#cancelCollected?.();
    this.#cancelCollected = undefined;
    this.#lease = undefined;
  }

  /**
   * The signal, created on first use: most leases never need one. `reason` returns why it has aborted already, if it
   * has.
   */
  signal(reason: () => unknown): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.forget();
      this.abort(reason());
    }
    return this.#controller.signal;
  }

  /** Aborts the signal once. Does nothing without a reason, or if the signal has not been read. */
  abort(reason: unknown): void {
    if (reason !== undefined) this.#controller?.abort(reason);
  }
}
