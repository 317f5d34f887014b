import type { HasDeadline } from './deadline-queue.ts';
import type { OutgoingCommand } from './link.ts';
import type { LinkState } from './link-state.ts';
import type { Reply, Undo } from './port.ts';
import { codeOf } from './replies.ts';
import { isQueued } from './shapes.ts';

/** One undo, over as many connections as it takes to get it answered. */
export class PendingUndo implements OutgoingCommand, HasDeadline {
  readonly args: readonly string[];
  readonly isUndo = true;
  readonly deadlineMs: number;
  /** True once it was answered as reported; resolves, never rejects. */
  readonly undone: Promise<boolean>;
  readonly #undo: Undo;
  readonly #isPast: (deadlineMs: number) => boolean;
  readonly #isOrdered: boolean;
  readonly #onDone: () => void;
  #resolve: (undone: boolean) => void = () => undefined;
  #linkState: LinkState | undefined;
  #hasLeft = false;
  #isSettled = false;

  /** `over` is called when it needs no further connection. */
  constructor(
    undo: Undo,
    isOrdered: boolean,
    isPast: (deadlineMs: number) => boolean,
    onDone: () => void,
  ) {
    this.#undo = undo;
    this.#isOrdered = isOrdered;
    this.#isPast = isPast;
    this.#onDone = onDone;
    this.args = undo.args;
    this.deadlineMs = undo.keepUntilMs;
    this.undone = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Whether it has been written, or waits to be, on the connection of the moment. */
  get isInFlight(): boolean {
    return !this.#isSettled && this.#linkState !== undefined;
  }

  get isWanted(): boolean {
    return !this.#isPast(this.deadlineMs) && (this.#undo.wanted?.() ?? true);
  }

  get isSent(): boolean {
    return this.#hasLeft;
  }

  send(linkState: LinkState): void {
    this.#linkState = linkState;
    this.#hasLeft = false;
    linkState.link.send(this);
  }

  markSent(): boolean {
    if (this.#hasLeft) return true;
    if (this.#isSettled) return false;
    if (!this.isWanted) {
      this.giveUp();
      return false;
    }
    this.#hasLeft = true;
    this.#linkState?.sent();
    return true;
  }

  answered(reply: Reply): void {
    // Inside a MULTI it is executed later, or never.
    this.#settle(!isQueued(reply));
    this.#linkState?.answered();
  }

  refused(text: string): void {
    this.#settle(false);
    this.#linkState?.refused(codeOf(text));
  }

  notSent(_cause: Error): void {
    this.lostLink();
  }

  /**
   * Its connection is gone. It is sent again on the next one, but where an order was promised that can no longer be
   * kept: what the old connection has on the wire may arrive after it.
   */
  lostLink(): void {
    this.#linkState = undefined;
    if (this.#isOrdered) this.#resolve(false);
  }

  giveUp(): void {
    this.#settle(false);
  }

  #settle(undone: boolean): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#resolve(undone);
    this.#onDone();
  }
}
