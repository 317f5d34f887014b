import type { EventChannel, Owner } from '../event-queue.ts';
import type { Kernel } from '../kernel.ts';
import type { Route } from './route.ts';

/** Something on its way through a pipe. */
export interface InFlightMessage {
  readonly departUs: number;
  /** Who stands still or is dead at the far end; undefined where a kernel takes it in, whatever its processes do. */
  readonly owner?: Owner | undefined;
  readonly cause: number;
  /** Returns whether asynchronous code may have been woken. */
  readonly arrive: () => boolean;
}

/** A parcel that nobody has taken in yet. */
interface PendingMessage {
  readonly message: InFlightMessage;
  /** When it would be there if no cut held it up. */
  readonly dueUs: number;
  /** Waits for the end of a cut, without an event of its own. */
  isHeld: boolean;
  isDropped: boolean;
}

const NEVER = Number.POSITIVE_INFINITY;

/** One direction of one connection: first in, first out, whatever the delays, the cuts, and whoever stands still. */
export class FifoChannel implements EventChannel {
  readonly #kernel: Kernel;
  readonly #route: Route;
  readonly #latencyUs: number;
  /** Arrival of the latest parcel, before which none that follows may arrive. */
  #lastUs = 0;
  /** In the order in which they were sent. */
  readonly #pending: PendingMessage[] = [];

  constructor(kernel: Kernel, route: Route, latencyUs: number) {
    this.#kernel = kernel;
    this.#route = route;
    this.#latencyUs = latencyUs;
  }

  get from(): string {
    return this.#route.from;
  }

  get to(): string {
    return this.#route.to;
  }

  send(message: InFlightMessage, delayUs: number): void {
    this.#lastUs = Math.max(this.#lastUs, message.departUs + this.#latencyUs + delayUs);
    const pending = { message, dueUs: this.#lastUs, isHeld: false, isDropped: false };
    this.#pending.push(pending);
    this.#schedule(pending, this.#lastUs);
  }

  /** What a cut holds up, or will, is never sent again. */
  dropHeld(): void {
    for (const pending of this.#pending.splice(0)) {
      pending.isDropped = this.#throughUs(pending.dueUs) !== pending.dueUs;
      if (!pending.isDropped) this.#pending.push(pending);
    }
  }

  #schedule(pending: PendingMessage, atUs: number): void {
    const reach = (): boolean => {
      if (pending.isDropped) return false;
      const at = this.#pending.indexOf(pending);
      // Who stopped at this very message is given it again, though it is there.
      if (at < 0) return pending.message.arrive();
      if (this.#route.wasCut && this.#isPutOff(pending)) return false;
      if (at === 0) this.#pending.shift();
      else this.#pending.splice(at, 1);
      return pending.message.arrive();
    };
    this.#kernel.schedule(atUs, reach, pending.message, this);
  }

  /** Whether it is not there yet, or something in front of it is about to be taken in; it comes again then. */
  #isPutOff(pending: PendingMessage): boolean {
    const { nowUs } = this.#kernel;
    const arrivalUs = this.#arrivalUs(pending);
    if (arrivalUs === NEVER) this.#hold(pending);
    else if (arrivalUs > nowUs) this.#schedule(pending, arrivalUs);
    else if (this.#isBehind(pending)) this.#schedule(pending, nowUs);
    else return false;
    return true;
  }

  /** When it can be taken in: it got through, and so did all that is in front of it. */
  #arrivalUs(pending: PendingMessage): number {
    let arrivalUs = 0;
    for (const each of this.#pending) {
      arrivalUs = Math.max(arrivalUs, this.#throughUs(each.dueUs));
      if (each === pending) break;
    }
    return arrivalUs;
  }

  /** What a cut swallows is sent again when it is over, and may run into the next one. */
  #throughUs(dueUs: number): number {
    let atUs = dueUs;
    for (;;) {
      const opensUs = this.#route.opensAt(atUs);
      if (opensUs === atUs || opensUs === NEVER) return opensUs;
      atUs = opensUs + this.#latencyUs;
    }
  }

  /** What is there and waits for one who stands still, or is dead, holds up nobody else. */
  #isBehind(pending: PendingMessage): boolean {
    for (const { message } of this.#pending.slice(0, this.#pending.indexOf(pending))) {
      const { owner } = message;
      if (owner === undefined) return true;
      if (!owner.crashed && owner.readyAtUs <= this.#kernel.nowUs) return true;
    }
    return false;
  }

  #hold(pending: PendingMessage): void {
    const isFirst = !this.#pending.some(({ isHeld }) => isHeld);
    pending.isHeld = true;
    if (isFirst) this.#route.onOpen(() => this.#sendAgain());
  }

  /** A cut is over, perhaps not the only one. */
  #sendAgain(): void {
    const held = this.#pending.filter(({ isHeld }) => isHeld);
    for (const pending of held) pending.isHeld = false;
    for (const pending of held) {
      const arrivalUs = this.#arrivalUs(pending);
      if (arrivalUs === NEVER) {
        this.#hold(pending);
      } else {
        this.#lastUs = Math.max(this.#lastUs, arrivalUs);
        this.#schedule(pending, arrivalUs);
      }
    }
  }
}
