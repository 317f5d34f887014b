import type { Runtime } from './runtime.ts';

/**
 * The lease that users have of a hold, as core sees it: whether anybody still refers to it. Once its signal has been
 * handed out that is asked no more, because whoever has the signal relies on being told.
 */
export class LeaseReference {
  /** The lease, until it is let go of. */
  #lease: object | undefined;
  #cancelCollected: (() => void) | undefined;
  #controller: AbortController | undefined;

  /** From now on `lease` is referred to here, until it is let go of. */
  holdStrongly(lease: object): void {
    if (this.#controller === undefined) this.#lease = lease;
  }

  get isStrong(): boolean {
    return this.#lease !== undefined;
  }

  /** From here on only users keep the lease alive; `onDropped` is told when none of them does. */
  makeWeak(runtime: Runtime, onDropped: () => void): void {
    if (this.#lease === undefined) return;
    this.#cancelCollected = runtime.onCollected(this.#lease, onDropped);
    this.#lease = undefined;
  }

  /** Nobody asks any more whether it is dropped. */
  forget(): void {
    this.#cancelCollected?.();
    this.#cancelCollected = undefined;
    this.#lease = undefined;
  }

  /** Its signal, made on first use: most leases never need one. `reason` is why it has aborted by then, if it has. */
  signal(reason: () => unknown): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      this.forget();
      this.abort(reason());
    }
    return this.#controller.signal;
  }

  /** Once; without a reason, or a signal that anybody has, nothing happens. */
  abort(reason: unknown): void {
    if (reason !== undefined) this.#controller?.abort(reason);
  }
}
