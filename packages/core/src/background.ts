/** Work that no caller waits for any more, such as the release of a grant that an aborted request won. */
export class Background {
  readonly #running = new Set<Promise<unknown>>();

  add(work: Promise<unknown>): void {
    const watched = work.finally(() => this.#running.delete(watched));
    this.#running.add(watched);
  }

  get isDone(): boolean {
    return this.#running.size === 0;
  }

  /** Resolves when all work is done, including work that is added meanwhile. */
  async done(): Promise<void> {
    while (!this.isDone) await Promise.allSettled(this.#running);
  }
}
