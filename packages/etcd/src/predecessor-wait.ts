import type { Runtime } from '@holdfast/core';
import { pause } from './lease-revoker.ts';
import type { EtcdClient } from './port.ts';

/**
 * The wait of one contender behind the key in front. It watches that key alone, from the revision on that follows the
 * listing, so that no deletion falls between the two.
 */
export class PredecessorWait {
  readonly #client: EtcdClient;
  readonly #runtime: Runtime;
  #key: string | undefined;
  #fromRevision = 0n;
  #stopWatch: (() => void) | undefined;
  /** Something happened since the latest attempt started. */
  #hasChanged = false;
  /** The watch was set, and nothing else happened: the queue is still as the latest attempt saw it. */
  #isFresh = false;
  /** The number of watches in a row that ended without a deletion. */
  #failures = 0;
  #wake: () => void = () => {};

  constructor(client: EtcdClient, runtime: Runtime) {
    this.#client = client;
    this.#runtime = runtime;
  }

  /** Begins an attempt. Returns true if the queue is still as the latest attempt saw it. */
  startAttempt(): boolean {
    const isFresh = this.#isFresh;
    this.#isFresh = false;
    this.#hasChanged = false;
    return isFresh;
  }

  /** The key in front, if an attempt found one. */
  get predecessor(): string | undefined {
    return this.#key;
  }

  /** Makes `key` the one in front, as a listing at `revision` saw it. Its watch is set when the contender waits. */
  setPredecessor(key: string, revision: bigint): void {
    if (this.#key === key && this.#stopWatch !== undefined) return;
    this.end();
    this.#key = key;
    this.#fromRevision = revision + 1n;
  }

  /** Ends the wait and its watch. */
  end(): void {
    this.#stopWatch?.();
    this.#stopWatch = undefined;
    this.#key = undefined;
    this.#isFresh = false;
  }

  /** As `Contender.changed`. */
  changed(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#hasChanged || this.#key === undefined) return Promise.resolve();
    this.#stopWatch ??= this.#watch(this.#key);
    return new Promise((resume) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        resume();
      };
      this.#wake = wake;
      signal.addEventListener('abort', wake);
    });
  }

  /** What is known of the queue is out of date. */
  wakeUp(): void {
    this.#isFresh = false;
    this.#wakeWaiter();
  }

  #wakeWaiter(): void {
    this.#hasChanged = true;
    this.#wake();
  }

  #watch(key: string): () => void {
    return this.#client.watch(key, this.#fromRevision, {
      created: () => {
        if (this.#key !== key || this.#hasChanged) return;
        this.#isFresh = true;
        this.#wakeWaiter();
      },
      deleted: () => {
        this.#failures = 0;
        if (this.#key === key) this.wakeUp();
      },
      ended: () => void this.#retry(key),
    });
  }

  /** A server that ends each watch at once must not be asked at once again. */
  async #retry(key: string): Promise<void> {
    await pause(this.#runtime, this.#failures++);
    if (this.#key !== key) return;
    this.#stopWatch = undefined;
    this.wakeUp();
  }
}
