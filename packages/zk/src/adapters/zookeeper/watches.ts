/** The listeners of each path. One dispatcher serves all, because npm `zookeeper` never frees a function passed to its `aw_…` methods. */
export class NativeWatches {
  readonly #waiting = new Map<string, Set<() => void>>();

  /** Returns the removal of the listener. */
  add(path: string, onChange: () => void): () => void {
    // Two callers may pass one function.
    const listener = (): void => onChange();
    const listeners = this.#waiting.get(path) ?? new Set();
    this.#waiting.set(path, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#waiting.get(path) === listeners) this.#waiting.delete(path);
    };
  }

  fire(path: string): void {
    const listeners = this.#waiting.get(path);
    if (listeners === undefined) return;
    this.#waiting.delete(path);
    for (const listener of listeners) listener();
  }

  fireAll(): void {
    for (const path of this.#waiting.keys()) this.fire(path);
  }

  get size(): number {
    return this.#waiting.size;
  }
}
