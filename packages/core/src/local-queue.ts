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
/** Its next waiter then contends later by the time that this release took, since others must hear of it first; at most by: */
const OTHERS_FIRST_MS_MAX = 20;

/** The callers of one process that wait for a key; absent until there are two, since most keys have one. */
class Line {
  readonly waiters = new Set<QueuedWaiter>();
  /** True once one of them found the key taken by another process. */
  #isContested = false;
  /** When they got the key, to pass it on; undefined while they have not. */
  #gotMs: number | undefined;
  /** When the holder released the key for all. */
  #releasedMs: number | undefined;
  cancelPause: (() => void) | undefined;

  /** One of them got the key from another process. */
  gotFromOthers(): void {
    this.#isContested = true;
    this.#gotMs = undefined;
  }

  /** True if the holder, who releases the key now, may release it to the first of them alone. */
  mayPassOn({ grantedMs, context }: LeaseController): boolean {
    if (this.waiters.size === 0) return false;
    const nowMs = context.host.runtime.now().monotonicMs;
    this.#gotMs ??= grantedMs;
    if (nowMs - this.#gotMs < PASS_ON_MS) return true;
    this.#releasedMs = nowMs;
    return false;
  }

  /** Their turn is over; returns the time that they leave the key to others. */
  endTurn({ context }: LeaseController): number {
    const releasedMs = this.#releasedMs;
    this.#gotMs = undefined;
    this.#releasedMs = undefined;
    if (releasedMs === undefined || !this.#isContested || this.waiters.size === 0) return 0;
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
  #line: Line | undefined;

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
    return this.#line?.mayPassOn(this.holder) === true;
  }

  join(waiter: QueuedWaiter): void {
    this.#line ??= new Line();
    this.#line.waiters.add(waiter);
  }

  /** Removes a waiter that gave up, at any position. */
  leave(waiter: QueuedWaiter): void {
    const line = this.#line;
    line?.waiters.delete(waiter);
    if (line?.cancelPause === undefined || line.waiters.size > 0) return;
    line.cancelPause();
    this.startNext();
  }

  /** The lease of the head begins; it took so many attempts. */
  hold(holder: LeaseController, attempts: number): void {
    this.waitLoop = undefined;
    this.holder = holder;
    if (attempts > 1) this.#line?.gotFromOthers();
  }

  /** Starts the next waiter, after the head has finished and its contender has withdrawn. */
  next(): void {
    const line = this.#line;
    const { holder } = this;
    const pauseMs = holder === undefined ? 0 : (line?.endTurn(holder) ?? 0);
    if (line === undefined || holder === undefined || pauseMs === 0) return this.startNext();
    const { runtime } = holder.context.host;
    line.cancelPause = runtime.timer(pauseMs, () => this.startNext(), { awaited: true });
  }

  /** Starts the next waiter, to whom the holder releases the key now. */
  startNext(): void {
    this.waitLoop = undefined;
    this.holder = undefined;
    const line = this.#line;
    const waiter = line?.waiters.values().next().value;
    if (line === undefined || waiter === undefined) return void this.#queues.delete(this.#key);
    line.cancelPause = undefined;
    line.waiters.delete(waiter);
    waiter.start();
  }
}
