import type { Clock } from './clock.ts';
import type { EventOwner, SimEvent } from './event-queue.ts';
import type { Kernel } from './kernel.ts';

interface Timer {
  readonly monotonicUs: number;
  readonly awaited: boolean;
  readonly fire: () => boolean;
  event: SimEvent;
}

/** The timers of one process. They run on its monotonic clock, and are rescheduled when that clock changes. */
export class Timers {
  readonly #kernel: Kernel;
  readonly #clock: Clock;
  readonly #owner: EventOwner;
  readonly #live = new Set<Timer>();

  constructor(kernel: Kernel, clock: Clock, owner: EventOwner) {
    this.#kernel = kernel;
    this.#clock = clock;
    this.#owner = owner;
  }

  get live(): number {
    return this.#live.size;
  }

  get awaited(): number {
    let count = 0;
    for (const timer of this.#live) if (timer.awaited) count++;
    return count;
  }

  /** Calls `run` when the monotonic clock shows `monotonicUs`; returns its cancel. */
  start(monotonicUs: number, run: () => void, awaited: boolean): () => void {
    const fire = (): boolean => {
      this.#live.delete(timer);
      run();
      return true;
    };
    const timer: Timer = { monotonicUs, awaited, fire, event: this.#set(monotonicUs, fire) };
    this.#live.add(timer);
    return () => {
      timer.event.cancelled = true;
      this.#live.delete(timer);
    };
  }

  reset(): void {
    for (const timer of this.#live) {
      timer.event.cancelled = true;
      timer.event = this.#set(timer.monotonicUs, timer.fire);
    }
  }

  clear(): void {
    for (const timer of this.#live) timer.event.cancelled = true;
    this.#live.clear();
  }

  #set(monotonicUs: number, fire: () => boolean): SimEvent {
    const atUs = this.#clock.whenMonotonic(monotonicUs, this.#kernel.nowUs);
    const event = this.#kernel.schedule(atUs, fire, { owner: this.#owner });
    // A timer that never comes stays live, but must not keep the world busy.
    if (atUs === Number.POSITIVE_INFINITY) event.cancelled = true;
    return event;
  }
}
