/**
 * Stands in for the finaliser: nothing is ever collected, except what a test says nobody refers to any more. Who
 * watches such a target later, because it referred to it itself until then, is told at once.
 */
export class SimFinalizationRegistry {
  readonly #watched = new WeakMap<object, Set<() => void>>();
  readonly #collected = new WeakSet<object>();
  readonly #deliver: (run: () => void) => void;

  constructor(deliver: (run: () => void) => void) {
    this.#deliver = deliver;
  }

  watch(target: object, run: () => void): () => void {
    const runs = this.#watched.get(target) ?? new Set();
    this.#watched.set(target, runs.add(run));
    if (this.#collected.has(target)) this.collect(target);
    return () => void runs.delete(run);
  }

  /** Tells whoever watches `target`, once. */
  collect(target: object): void {
    this.#collected.add(target);
    const runs = this.#watched.get(target) ?? [];
    this.#watched.delete(target);
    for (const run of runs) this.#deliver(run);
  }
}
