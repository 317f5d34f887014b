import type { EventOwner } from '../event-queue.ts';
import type { Kernel } from '../kernel.ts';
import { FifoChannel } from './fifo-channel.ts';
import type { MessageKind } from './message.ts';
import type { DeliveryOutcome } from './network.ts';
import type { Route } from './route.ts';

/** A message that is about to leave. */
export interface OutgoingMessage {
  readonly way: MessageKind;
  readonly label: string;
  readonly departUs: number;
  readonly owner?: EventOwner | undefined;
  readonly cause: number;
  readonly arrive: () => boolean;
  /** Called when the message would have arrived, if a rule broke the connection at it. */
  readonly broken: () => void;
  /** For people; called if it is lost and a trace is kept. */
  readonly detail?: (() => string) | undefined;
}

export type OutcomeOf = (route: Route, way: MessageKind, label: string) => DeliveryOutcome;

/** One direction of one connection, under the rules of the network. */
export class FaultyChannel {
  readonly #kernel: Kernel;
  readonly #route: Route;
  readonly #fifo: FifoChannel;
  readonly #outcomeOf: OutcomeOf;
  #isBlackHole = false;

  constructor(kernel: Kernel, route: Route, latencyUs: number, outcomeOf: OutcomeOf) {
    this.#kernel = kernel;
    this.#route = route;
    this.#fifo = new FifoChannel(kernel, route, latencyUs);
    this.#outcomeOf = outcomeOf;
  }

  /** Returns false if the message broke the connection. */
  send(message: OutgoingMessage): boolean {
    const outcome = this.#outcomeOf(this.#route, message.way, message.label);
    if (outcome === 'drop' || this.#isBlackHole) {
      this.#isBlackHole = true;
      this.#recordLoss(message);
      return true;
    }
    if (outcome === 'reset') {
      this.#recordLoss(message);
      this.sendControl(message.departUs, undefined, () => {
        message.broken();
        return false;
      });
      return false;
    }
    this.#fifo.send(message, outcome.delayUs);
    return true;
  }

  /**
   * Sends a message of the operating system, at the end of a connection: no rule sees it, but it keeps its place in
   * the order.
   */
  sendControl(departUs: number, owner: EventOwner | undefined, arrive: () => boolean): void {
    if (this.#isBlackHole) return;
    this.#fifo.send({ departUs, owner, cause: this.#kernel.cause, arrive }, 0);
  }

  /** Drops messages that a cut holds back: the sender has forgotten the connection and sends nothing again. */
  dropHeld(): void {
    this.#fifo.dropHeld();
  }

  #recordLoss({ label, cause, detail }: OutgoingMessage): void {
    if (!this.#kernel.trace.isKept) return;
    const more = { to: this.#route.to, ...(detail === undefined ? {} : { detail: detail() }) };
    this.#kernel.record(this.#route.from, 'lost', label, undefined, more, cause);
  }
}
