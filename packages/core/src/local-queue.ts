import type { LeaseController } from './lease-controller.ts';
import type { WaitLoop } from './wait-loop.ts';

/** A waiter in a local queue; `start` is called once, when it is its turn to contend. */
export interface QueuedWaiter {
  start(): void;
}

/**
 * For so long after it got the key a process passes it on among its own callers: that takes one round trip instead of two,
 * and wakes nobody in vain. Then it releases the key for all.
 */
const PASS_ON_MS = 20;
/**
 * Its next waiter then contends later by the time that this release took, but by no more than this: waiters of other
 * processes must hear of the release first.
 */
const OTHERS_FIRST_MS_MAX = 20;

/** The callers of one process that wait for a key; absent until there are two, since most keys have one. */
class Waiters {
  readonly all = new Set<QueuedWaiter>();
  /** True once one of them found the key taken by another process. */
  #isContested = false;
  /** When they got the key that they pass on. */
  #gotMs: number | undefined;
  /** When the holder released the key for all; undefined while they pass it on. */
  #releasedMs: number | undefined;
  cancelPause: (() => void) | undefined;

  /** One of them got the key from another process. */
  gotFromOthers(): void {
    this.#isContested = true;
    this.#gotMs = undefined;
  }

  /** True if the holder, who releases the key now, may release it to the first of them alone. */
  mayPassOn({ grantedMs, context }: LeaseController): boolean {
    if (this.all.size === 0) return false;
    const nowMs = context.host.runtime.now().monotonicMs;
    this.#gotMs ??= grantedMs;
    if (nowMs - this.#gotMs < PASS_ON_MS) return true;
    this.#releasedMs = nowMs;
    return false;
  }

  /** Returns the time that they leave the key to others, once the holder has released it for all. */
  endTurn({ context }: LeaseController): number {
    const releasedMs = this.#releasedMs;
    if (releasedMs === undefined) return 0;
    this.#gotMs = undefined;
    this.#releasedMs = undefined;
    if (!this.#isContested || this.all.size === 0) return 0;
    const tookMs = context.host.runtime.now().monotonicMs - releasedMs;
    return Math.min(tookMs, OTHERS_FIRST_MS_MAX);
  }
}

/** The local queue of one key: its head contends or holds; the others wait here and send nothing. */
export class LocalQueue {
  /** What the head knows of its wait. */
  waitLoop: Pick<WaitLoop, 'lastOutcome' | 'holderRemainingMs'> | undefined;
  holder: LeaseController | undefined;
  readonly #key: string;
  readonly #queues: Map<string, LocalQueue>;
  #waiters: Waiters | undefined;

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

  /** True if the holder, who releases the key now, may release it to the next waiter alone. */
  mayPassOn(): boolean {
    if (this.holder?.grant.releaseToNext === undefined) return false;
    return this.#waiters?.mayPassOn(this.holder) === true;
  }

  join(waiter: QueuedWaiter): void {
    this.#waiters ??= new Waiters();
    this.#waiters.all.add(waiter);
  }

  /** Removes a waiter that gave up, at any position. */
  leave(waiter: QueuedWaiter): void {
    const waiters = this.#waiters;
    waiters?.all.delete(waiter);
    if (waiters?.cancelPause === undefined || waiters.all.size > 0) return;
    waiters.cancelPause();
    this.#startNext();
  }

  /** The lease of the head begins; it took so many attempts. */
  hold(holder: LeaseController, attempts: number): void {
    this.waitLoop = undefined;
    this.holder = holder;
    if (attempts > 1) this.#waiters?.gotFromOthers();
  }

  /** Starts the next waiter: the head has finished and its contender has withdrawn, or it passes the key on. */
  next(): void {
    const waiters = this.#waiters;
    const { holder } = this;
    const pauseMs = holder === undefined ? 0 : (waiters?.endTurn(holder) ?? 0);
    if (waiters === undefined || holder === undefined || pauseMs === 0) return this.#startNext();
    const { runtime } = holder.context.host;
    waiters.cancelPause = runtime.timer(pauseMs, () => this.#startNext(), { awaited: true });
  }

  #startNext(): void {
    this.waitLoop = undefined;
    this.holder = undefined;
    const waiters = this.#waiters;
    const waiter = waiters?.all.values().next().value;
    if (waiters === undefined || waiter === undefined) return void this.#queues.delete(this.#key);
    waiters.cancelPause = undefined;
    waiters.all.delete(waiter);
    waiter.start();
  }
}
