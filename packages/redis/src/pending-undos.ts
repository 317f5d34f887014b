import type { Runtime } from '@holdfast/core';
import { DeadlineQueue } from './deadline-queue.ts';
import type { LinkState } from './link-state.ts';
import { PendingUndo } from './pending-undo.ts';
import type { Undo } from './port.ts';

/** The undos of one node that have not been answered: on the wire, or waiting for the next connection. */
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
   * Sends the undo on `session`, behind the command it undoes, or keeps it for the next connection where there is
   * none. Undefined when it is not wanted. The promise: see {@link NodeDoubt.undone}.
   */
  begin(undo: Undo, linkState: LinkState | undefined): Promise<boolean> | undefined {
    const pending: PendingUndo = new PendingUndo(
      undo,
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

  /** They go first on a new connection. */
  sendAll(linkState: LinkState): void {
    for (const pending of this.#open) pending.send(linkState);
  }

  lostLink(): void {
    for (const pending of this.#open) pending.lostLink();
  }

  /** Resolves when nothing on the wire is unanswered any more. */
  async settled(): Promise<void> {
    const inFlight = [...this.#open].filter((pending) => pending.isInFlight);
    await Promise.all(inFlight.map((pending) => pending.undone));
  }

  close(): void {
    for (const pending of this.#open) pending.giveUp();
    this.#expiry.close();
  }
}
