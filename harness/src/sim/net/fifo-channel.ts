import type { EventChannel, EventOwner } from '../event-queue.ts';
import type { Kernel } from '../kernel.ts';
import type { Route } from './route.ts';

/** A message on its way through a channel. */
export interface InFlightMessage {
  readonly departUs: number;
  /**
   * The recipient, which may be paused or crashed; undefined for messages that the operating system takes in,
   * whatever its processes do.
   */
  readonly owner?: EventOwner | undefined;
  readonly cause: number;
  /** Returns true if asynchronous code may have been woken. */
  readonly arrive: () => boolean;
}

/** A message that has not been taken in yet. */
interface PendingMessage {
  readonly message: InFlightMessage;
  /** The time at which it would arrive if no cut delayed it. */
  readonly dueUs: number;
  /** True while it waits for the end of a cut, without an event of its own. */
  isHeld: boolean;
  isDropped: boolean;
}

const NEVER = Number.POSITIVE_INFINITY;

/** One direction of one connection: first in, first out, whatever the delays, the cuts and the pauses. */
export class FifoChannel implements EventChannel {
  readonly #kernel: Kernel;
  readonly #route: Route;
  readonly #latencyUs: number;
  /** Arrival of the latest message, before which no later one may arrive. */
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

  /** Drops the messages that a cut holds back, or will. */
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
      // A recipient that was paused at this very message receives it again, although it has arrived.
      if (at < 0) return pending.message.arrive();
      if (this.#route.wasCut && this.#isPostponed(pending)) return false;
      if (at === 0) this.#pending.shift();
      else this.#pending.splice(at, 1);
      return pending.message.arrive();
    };
    const { owner, cause } = pending.message;
    this.#kernel.deliver(atUs, reach, this, owner, cause);
  }

  /**
   * Returns true if the message has not arrived yet, or one in front of it is about to be taken in. Then schedules it
   * again.
   */
  #isPostponed(pending: PendingMessage): boolean {
    const { nowUs } = this.#kernel;
    const arrivalUs = this.#arrivalUs(pending);
    if (arrivalUs === NEVER) this.#hold(pending);
    else if (arrivalUs > nowUs) this.#schedule(pending, arrivalUs);
    else if (this.#isBehind(pending)) this.#schedule(pending, nowUs);
    else return false;
    return true;
  }

  /** Returns when the message can be taken in: it got through, and so did all messages in front of it. */
  #arrivalUs(pending: PendingMessage): number {
    let arrivalUs = 0;
    for (const each of this.#pending) {
      arrivalUs = Math.max(arrivalUs, this.#throughUs(each.dueUs));
      if (each === pending) break;
    }
    return arrivalUs;
  }

  /**
   * Returns when a message gets through. One that a cut swallows is sent again after the cut, and may run into the
   * next one.
   */
  #throughUs(dueUs: number): number {
    let atUs = dueUs;
    for (;;) {
      const opensUs = this.#route.opensAt(atUs);
      if (opensUs === atUs || opensUs === NEVER) return opensUs;
      atUs = opensUs + this.#latencyUs;
    }
  }

  /**
   * Returns true if a message in front can be taken in now. One that waits for a paused or crashed recipient does not
   * hold up others.
   */
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
