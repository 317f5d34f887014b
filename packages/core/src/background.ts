import type { Runtime } from './runtime.ts';

/** Work that nobody waits for any more, such as giving back what an aborted request won. */
export class Background {
  readonly #running = new Set<Promise<unknown>>();

  add(work: Promise<unknown>): void {
    const watched = work.finally(() => this.#running.delete(watched));
    this.#running.add(watched);
  }

  /** Resolves when all of it is done, or after `ms`. */
  async done(ms: number, runtime: Runtime): Promise<void> {
    if (this.#running.size === 0) return;
    await new Promise<void>((resume) => {
      const cancel = runtime.timer(ms, resume, { awaited: true });
      void Promise.allSettled(this.#running)
        .finally(cancel)
        .then(() => resume());
    });
  }
}
