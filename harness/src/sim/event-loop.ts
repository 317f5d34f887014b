import { type Driver, defaultDriver } from './driver.ts';
import { omitStacks, restoreStacks, SimLimitError, SimUnhandledError } from './errors.ts';
import { Guard } from './guard.ts';
import { type Kernel, toUs } from './kernel.ts';
import { runFor, watchRejections } from './rejections.ts';

export interface EventLoopOptions {
  /** A million by default. */
  readonly maxEvents?: number;
  /** Thirty days by default. */
  readonly maxVirtualMs?: number;
  /** True to make real clocks, timers and random sources throw while the world runs. Off by default. */
  readonly guard?: boolean;
  readonly driver?: Driver | undefined;
}

const DAY_MS = 86_400_000;

/** Runs the events of one world, turn by turn, until its caller has what it waits for, or the world fails. */
export class EventLoop {
  readonly #kernel: Kernel;
  readonly #maxEvents: number;
  readonly #maxUs: number;
  readonly #driver: Driver;
  readonly #guard: Guard | undefined;
  #running = false;
  #failure: Error | undefined;

  constructor(kernel: Kernel, options: EventLoopOptions) {
    this.#kernel = kernel;
    this.#maxEvents = options.maxEvents ?? 1_000_000;
    this.#maxUs = toUs(options.maxVirtualMs ?? 30 * DAY_MS);
    this.#driver = options.driver ?? defaultDriver;
    this.#guard = options.guard ? new Guard((error) => this.#fail(error)) : undefined;
  }

  get isRunning(): boolean {
    return this.#running;
  }

  /** Takes turns until one returns false. Rejects if the world fails. */
  async run(turn: () => boolean): Promise<void> {
    if (this.#running) throw new Error('this world is already running; await that run first');
    this.#running = true;
    this.#failure = undefined;
    const rejected = (reason: unknown): void =>
      this.#fail(new SimUnhandledError(this.#nowMs, reason));
    const unwatch = watchRejections(rejected);
    try {
      await this.#driver(
        () => {
          runFor(rejected);
          this.#begin();
          return this.#attempt(turn);
        },
        () => this.#rest(),
      );
    } finally {
      this.#rest();
      this.#guard?.release();
      unwatch();
      this.#running = false;
    }
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** From here on only this world runs, until {@link #rest}. */
  #begin(): void {
    this.#guard?.resume();
    if (!this.#kernel.trace.isKept) omitStacks();
  }

  #rest(): void {
    this.#guard?.suspend();
    restoreStacks();
  }

  /** A failure ends the run from within, whatever the turn was for. */
  #attempt(turn: () => boolean): boolean {
    try {
      return this.#failure === undefined && turn();
    } catch (error) {
      this.#fail(error);
      return false;
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= error instanceof Error ? error : new Error(String(error));
  }

  /** Runs events, up to one that may have woken asynchronous code; returns false if none is left until then. */
  stepUntilWoken(untilUs: number): boolean {
    for (;;) {
      const { next } = this.#kernel;
      if (next === undefined || next.atUs > untilUs) return false;
      this.#checkLimits(next.atUs);
      if (this.#kernel.run(next)) return true;
    }
  }

  #checkLimits(nextUs: number): void {
    if (nextUs > this.#maxUs)
      throw new SimLimitError(`the next event would be after ${this.#maxUs / 1000} ms`);
    if (this.#kernel.ran >= this.#maxEvents)
      throw new SimLimitError(`${this.#maxEvents} events have run by ${this.#nowMs} ms`);
  }

  get #nowMs(): number {
    return this.#kernel.nowUs / 1000;
  }
}
