import type { Instant, Validity } from '@holdfast/core/backend';
import type { Clock, ClockReading } from './clock.ts';
import { overAfterUs } from './kernel.ts';

export function instantOf({ monotonicUs, wallUs }: ClockReading): Instant {
  return { monotonicMs: monotonicUs / 1000, wallMs: wallUs / 1000 };
}

/** When the clocks of a machine showed a time, or will if nothing changes them: true times, in ms. */
export class ClockTimes {
  readonly #clock: Clock;
  readonly #nowUs: () => number;

  constructor(clock: Clock, nowUs: () => number) {
    this.#clock = clock;
    this.#nowUs = nowUs;
  }

  /** True time at which the monotonic clock first showed `ms` less than now. */
  agoMs(ms: number): number {
    const nowUs = this.#nowUs();
    const thenUs = this.#clock.monotonicUs(nowUs) - Math.round(ms * 1000);
    return Math.min(nowUs, this.#clock.whenMonotonic(thenUs, 0)) / 1000;
  }

  /** True time at which the monotonic clock will show `ms` more than now. */
  inMs(ms: number): number {
    const nowUs = this.#nowUs();
    const dueUs = this.#clock.monotonicUs(nowUs) + overAfterUs(ms);
    return this.#clock.whenMonotonic(dueUs, nowUs) / 1000;
  }

  /** Readings of the clocks at a true time. For lanes that print their own clock. */
  clocksAt(atMs: number): Instant {
    return instantOf(this.#clock.read(Math.round(atMs * 1000)));
  }

  /**
   * Returns the true time in ms at which `validity` is over by the clocks of this machine, whichever shows it first.
   * Clocks may still change until then, so call this at the end of a run.
   */
  endOf(validity: Validity): number {
    const { from, ms } = validity;
    const fromUs = this.#clock.whenMonotonic(Math.round(from.monotonicMs * 1000), 0);
    const monotonicUs = Math.round(from.monotonicMs * 1000) + overAfterUs(ms);
    const wallUs = Math.round(from.wallMs * 1000) + overAfterUs(ms);
    return (
      Math.min(
        this.#clock.whenMonotonic(monotonicUs, fromUs),
        this.#clock.whenWall(wallUs, fromUs),
      ) / 1000
    );
  }
}
