import type { Runtime } from '@holdfast/core';
import { Deadlines } from './deadlines.ts';
import type { LinkState } from './link-state.ts';
import { PendingUndo } from './pending-undo.ts';
import type { Undo } from './port.ts';

/** The undos of one node that have not been answered: on the wire, or waiting for the next connection. */
export class PendingUndos {
  readonly #runtime: Runtime;
  readonly #isPast: (deadlineMs: number) => boolean;
  readonly #open = new Set<PendingUndo>();
  readonly #expiry: Deadlines<PendingUndo>;

  constructor(runtime: Runtime, isPast: (deadlineMs: number) => boolean) {
    this.#runtime = runtime;
    this.#isPast = isPast;
    this.#expiry = new Deadlines(runtime, (undoing) => undoing.giveUp());
  }

  /**
   * Sends the undo on `session`, behind the command it undoes, or keeps it for the next connection where there is
   * none. Undefined when it is not wanted. The promise: see {@link NodeDoubt.undone}.
   */
  begin(undo: Undo, session: LinkState | undefined): Promise<boolean> | undefined {
    const undoing: PendingUndo = new PendingUndo(undo, session !== undefined, this.#isPast, () => {
      this.#open.delete(undoing);
      this.#expiry.prune();
    });
    if (!undoing.isWanted) return undefined;
    this.#open.add(undoing);
    this.#expiry.add(undoing, this.#runtime.now().monotonicMs);
    if (session !== undefined) undoing.send(session);
    return undoing.undone;
  }

  /** They go first on a new connection. */
  sendAll(session: LinkState): void {
    for (const undoing of this.#open) undoing.send(session);
  }

  lostLink(): void {
    for (const undoing of this.#open) undoing.lostLink();
  }

  /** Resolves when nothing on the wire is unanswered any more. */
  async settled(): Promise<void> {
    const underWay = [...this.#open].filter((undoing) => undoing.isUnderWay);
    await Promise.all(underWay.map((undoing) => undoing.undone));
  }

  close(): void {
    for (const undoing of this.#open) undoing.giveUp();
    this.#expiry.close();
  }
}
