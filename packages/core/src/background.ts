/** Work that nobody waits for any more, such as giving back what an aborted request won. */
export class Background {
  readonly #running = new Set<Promise<unknown>>();

  add(work: Promise<unknown>): void {
    const watched = work.finally(() => this.#running.delete(watched));
    this.#running.add(watched);
  }

  get isDone(): boolean {
    return this.#running.size === 0;
  }

  /** Resolves when all of it is done, with what is added meanwhile. */
  async done(): Promise<void> {
    while (!this.isDone) await Promise.allSettled(this.#running);
  }
}
