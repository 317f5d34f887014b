/** Stands in for the finaliser: nothing is ever collected, except what a test says has been. */
export class Collection {
  readonly #watched = new WeakMap<object, Set<() => void>>();

  watch(target: object, run: () => void): () => void {
    const runs = this.#watched.get(target) ?? new Set();
    this.#watched.set(target, runs.add(run));
    return () => void runs.delete(run);
  }

  /** What is to be called for `target`, once. */
  take(target: object): readonly (() => void)[] {
    const runs = [...(this.#watched.get(target) ?? [])];
    this.#watched.delete(target);
    return runs;
  }
}
