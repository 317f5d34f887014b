import type { Channel, Owner } from '../event-queue.ts';
import type { Kernel } from '../kernel.ts';
import type { Road } from './road.ts';

/** Something on its way through a pipe. */
export interface Parcel {
  readonly departUs: number;
  /** Who stands still or is dead at the far end; undefined where a kernel takes it in, whatever its processes do. */
  readonly owner?: Owner | undefined;
  readonly cause: number;
  /** Returns whether asynchronous code may have been woken. */
  readonly arrive: () => boolean;
}

/** One direction of one connection: first in, first out, whatever the delays. */
export class Pipe implements Channel {
  readonly #kernel: Kernel;
  readonly #road: Road;
  readonly #latencyUs: number;
  /** Arrival of the latest parcel, before which none that follows may arrive. */
  #lastUs = 0;
  /** Arrival of what a cut held up. */
  #notBeforeUs = 0;
  #sent = 0;
  /** What a cut held up and has not arrived yet, by its place in the order. */
  readonly #late = new Set<number>();

  constructor(kernel: Kernel, road: Road, latencyUs: number) {
    this.#kernel = kernel;
    this.#road = road;
    this.#latencyUs = latencyUs;
  }

  get from(): string {
    return this.#road.from;
  }

  get to(): string {
    return this.#road.to;
  }

  send(parcel: Parcel, delayUs: number): void {
    this.#lastUs = Math.max(this.#lastUs, parcel.departUs + this.#latencyUs + delayUs);
    this.#sent += 1;
    this.#schedule(this.#lastUs, parcel, this.#sent);
  }

  #schedule(atUs: number, parcel: Parcel, place: number): void {
    const run = (): boolean => {
      // Where its owner stood still it arrived earlier than it runs; what counts is whether the road was open then.
      const opensUs = this.#road.opensAt(atUs);
      if (opensUs === Number.POSITIVE_INFINITY) this.#hold(parcel, place);
      else if (opensUs > atUs) this.#sendAgain(parcel, place, opensUs);
      else if (this.#notBeforeUs > atUs && !this.#isFirstOfLate(place)) {
        this.#schedule(this.#notBeforeUs, parcel, place);
      } else {
        this.#late.delete(place);
        return parcel.arrive();
      }
      return false;
    };
    this.#kernel.schedule(atUs, run, parcel, this);
  }

  #hold(parcel: Parcel, place: number): void {
    this.#late.add(place);
    this.#road.hold((healedUs) => this.#sendAgain(parcel, place, healedUs));
  }

  /** What a cut swallowed is sent again when it is over; what was sent behind it stays behind it. */
  #sendAgain(parcel: Parcel, place: number, openUs: number): void {
    const { nowUs } = this.#kernel;
    this.#late.add(place);
    this.#notBeforeUs = Math.max(this.#notBeforeUs, openUs + this.#latencyUs, nowUs);
    this.#lastUs = Math.max(this.#lastUs, this.#notBeforeUs);
    this.#schedule(this.#notBeforeUs, parcel, place);
  }

  /** What follows may have been held up longer, as by a far end that stood still, and yet stays behind it. */
  #isFirstOfLate(place: number): boolean {
    if (!this.#late.has(place)) return false;
    for (const other of this.#late) if (other < place) return false;
    return true;
  }
}
