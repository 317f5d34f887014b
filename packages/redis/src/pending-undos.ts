import type { Runtime } from '@holdfast/core';
import type { RoutedUndo } from './cluster/routing.ts';
import { DeadlineQueue, type HasDeadline } from './deadline-queue.ts';
import type { OutgoingCommand } from './link.ts';
import type { LinkState } from './link-state.ts';
import { NodeReplyError, type Reply } from './port.ts';
import { codeOf } from './replies.ts';
import { isQueued } from './shapes.ts';

/** The undos of one node that have no reply yet: on the wire, or waiting for the next connection. */
export class PendingUndos {
  readonly #runtime: Runtime;
  readonly #isPast: (deadlineMs: number) => boolean;
  readonly #open = new Set<PendingUndo>();
  readonly #expiry: DeadlineQueue<PendingUndo>;

  constructor(runtime: Runtime, isPast: (deadlineMs: number) => boolean) {
    this.#runtime = runtime;
    this.#isPast = isPast;
    this.#expiry = new DeadlineQueue(runtime, (pending) => pending.giveUp());
  }

  /**
   * Sends the undo on `linkState`, behind the command that it undoes, or keeps it for the next connection if there is none.
   * `server` is where the command went. Returns undefined if the undo is not wanted. The promise: see
   * {@link NodeDoubt.undone}.
   */
  begin(
    undo: RoutedUndo,
    linkState: LinkState | undefined,
    server: string | undefined,
  ): Promise<boolean> | undefined {
    const pending: PendingUndo = new PendingUndo(
      undo,
      server,
      linkState !== undefined,
      this.#isPast,
      () => {
        this.#open.delete(pending);
        this.#expiry.prune();
      },
    );
    if (!pending.isWanted) return undefined;
    this.#open.add(pending);
    this.#expiry.add(pending, this.#runtime.now().monotonicMs);
    if (linkState !== undefined) pending.send(linkState);
    return pending.undone;
  }

  /** Sends all undos, first on a new connection. */
  sendAll(linkState: LinkState): void {
    for (const pending of this.#open) pending.send(linkState);
  }

  lostLink(): void {
    for (const pending of this.#open) pending.lostLink();
  }

  /** Resolves when every undo on the wire has its reply. */
  async settled(): Promise<void> {
    const inFlight = [...this.#open].filter((pending) => pending.isInFlight);
    await Promise.all(inFlight.map((pending) => pending.undone));
  }

  close(): void {
    for (const pending of this.#open) pending.giveUp();
    this.#expiry.close();
  }
}

/** One undo, sent on one connection after another until it has a reply. */
class PendingUndo implements OutgoingCommand, HasDeadline {
  readonly args: readonly string[];
  readonly isUndo = true;
  readonly asking: boolean | undefined;
  readonly deadlineMs: number;
  /** Resolves, never rejects: true once the undo has its reply. */
  readonly undone: Promise<boolean>;
  readonly #undo: RoutedUndo;
  readonly #isPast: (deadlineMs: number) => boolean;
  readonly #server: string | undefined;
  readonly #isOrdered: boolean;
  readonly #onDone: () => void;
  #resolve: (undone: boolean | Promise<boolean>) => void = () => undefined;
  #linkState: LinkState | undefined;
  #hasLeft = false;
  #isSettled = false;

  /** `onDone` is called once it needs no further connection. */
  constructor(
    undo: RoutedUndo,
    server: string | undefined,
    isOrdered: boolean,
    isPast: (deadlineMs: number) => boolean,
    onDone: () => void,
  ) {
    this.#undo = undo;
    this.#server = server;
    this.#isOrdered = isOrdered;
    this.#isPast = isPast;
    this.#onDone = onDone;
    this.args = undo.args;
    this.asking = undo.asking;
    this.deadlineMs = undo.keepUntilMs;
    this.undone = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** True if it has been written, or waits to be, on the present connection. */
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
    // Inside a MULTI it is executed later, or never. A reply of another server, which has taken over, says nothing about
    // the one that the command went to: that one may still apply it, and may be the master again before it has expired.
    this.#settle(!isQueued(reply) && this.#linkState?.link.server === this.#server);
    this.#linkState?.answered();
  }

  refused(text: string): void {
    const code = codeOf(text);
    this.#settle(this.#undo.refused?.(new NodeReplyError(code, text)) ?? false);
    this.#linkState?.refused(code);
  }

  notSent(_cause: Error): void {
    this.lostLink();
  }

  /**
   * Its connection is lost. It is sent again on the next one, but the promised order can no longer be kept: commands on the
   * wire of the old connection may arrive after it.
   */
  lostLink(): void {
    this.#linkState = undefined;
    if (this.#isOrdered) this.#resolve(false);
  }

  giveUp(): void {
    this.#settle(false);
  }

  #settle(undone: boolean | Promise<boolean>): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#resolve(undone);
    this.#onDone();
  }
}
