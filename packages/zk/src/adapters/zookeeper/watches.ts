/** Who waits for which path. One dispatcher, because npm `zookeeper` never frees a function given to its `aw_…` methods. */
export class Watches {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Returns its removal. */
  add(path: string, onChange: () => void): () => void {
    // Two may hand in the same function.
    const entry = (): void => onChange();
    const entries = this.#waiting.get(path) ?? new Set();
    this.#waiting.set(path, entries.add(entry));
    return () => {
      entries.delete(entry);
      if (entries.size === 0 && this.#waiting.get(path) === entries) this.#waiting.delete(path);
    };
  }

  fire(path: string): void {
    const entries = this.#waiting.get(path);
    if (entries === undefined) return;
    this.#waiting.delete(path);
    for (const entry of entries) entry();
  }

  fireAll(): void {
    for (const path of this.#waiting.keys()) this.fire(path);
  }

  get size(): number {
    return this.#waiting.size;
  }
}
