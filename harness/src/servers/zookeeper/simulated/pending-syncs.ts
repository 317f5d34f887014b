interface PendingSync {
  /** How much of the log has to be committed. */
  readonly count: number;
  readonly run: () => void;
}

/** Syncs that came while something was proposed and not committed. */
export class PendingSyncs {
  #syncs: PendingSync[] = [];

  add(count: number, run: () => void): void {
    this.#syncs.push({ count, run });
  }

  /** So much is committed. */
  release(committed: number): void {
    if (this.#syncs.length === 0) return;
    const due = this.#syncs.filter(({ count }) => count <= committed);
    this.#syncs = this.#syncs.filter(({ count }) => count > committed);
    for (const { run } of due) run();
  }
}
