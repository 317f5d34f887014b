import type { LeaseController } from './lease-controller.ts';
import type { WaitLoop } from './wait-loop.ts';

/** Somebody in a line; `go` is called once, when it is its turn to contend. */
export interface QueuedWaiter {
  start(): void;
}

/** The local queue of one key: its head contends or holds, everybody else waits here and sends nothing. */
export class LocalQueue {
  waitLoop: WaitLoop | undefined;
  holder: LeaseController | undefined;
  readonly #key: string;
  readonly #queues: Map<string, LocalQueue>;
  readonly #waiters = new Set<QueuedWaiter>();

  constructor(key: string, queues: Map<string, LocalQueue>) {
    this.#key = key;
    this.#queues = queues;
    queues.set(key, this);
  }

  /** How much longer the key is taken, where the holder here or the store said so. */
  get holderRemainingMs(): number | undefined {
    if (this.holder?.state === 'held') return this.holder.remainingMs();
    return this.waitLoop?.holderRemainingMs;
  }

  join(waiter: QueuedWaiter): void {
    this.#waiters.add(waiter);
  }

  /** A waiter that gave up leaves at once, wherever it stands. */
  leave(waiter: QueuedWaiter): void {
    this.#waiters.delete(waiter);
  }

  /** The head is done, and its contender withdrawn: the next one's turn. */
  next(): void {
    this.waitLoop = undefined;
    this.holder = undefined;
    for (const waiter of this.#waiters) {
      this.#waiters.delete(waiter);
      return waiter.start();
    }
    this.#queues.delete(this.#key);
  }
}
