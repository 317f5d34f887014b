import type { LeaseController } from './lease-controller.ts';
import type { WaitLoop } from './wait-loop.ts';

/** A waiter in a local queue; `start` is called once, when it is its turn to contend. */
export interface QueuedWaiter {
  start(): void;
}

/** The local queue of one key: its head contends or holds; the others wait here and send nothing. */
export class LocalQueue {
  /** What the head knows of its wait. */
  waitLoop: Pick<WaitLoop, 'lastOutcome' | 'holderRemainingMs'> | undefined;
  holder: LeaseController | undefined;
  readonly #key: string;
  readonly #queues: Map<string, LocalQueue>;
  /** Absent until a second caller comes: most keys have one. */
  #waiters: Set<QueuedWaiter> | undefined;

  constructor(key: string, queues: Map<string, LocalQueue>) {
    this.#key = key;
    this.#queues = queues;
    queues.set(key, this);
  }

  /** Time for which the key is still taken, by the local holder or by the store; undefined if unknown. */
  get holderRemainingMs(): number | undefined {
    if (this.holder?.state === 'held') return this.holder.remainingMs();
    return this.waitLoop?.holderRemainingMs;
  }

  join(waiter: QueuedWaiter): void {
    this.#waiters ??= new Set();
    this.#waiters.add(waiter);
  }

  /** Removes a waiter that gave up, at any position. */
  leave(waiter: QueuedWaiter): void {
    this.#waiters?.delete(waiter);
  }

  /** Starts the next waiter, after the head has finished and its contender has withdrawn. */
  next(): void {
    this.waitLoop = undefined;
    this.holder = undefined;
    const waiter = this.#waiters?.values().next().value;
    if (waiter === undefined) return void this.#queues.delete(this.#key);
    this.#waiters?.delete(waiter);
    waiter.start();
  }
}
