/** All who wait at one path share the watch that the server has. */
interface ClientWatch {
  /** Whether there was no node when it was set: to set it again, a server needs to know. */
  readonly isMissing: boolean;
  readonly listeners: Set<() => void>;
}

/** What a session's client wants to hear. Outlives connections; every listener is called once at most. */
export class ClientWatches {
  readonly #watches = new Map<string, ClientWatch>();

  get isEmpty(): boolean {
    return this.#watches.size === 0;
  }

  /** The paths that somebody watches. */
  get all(): readonly string[] {
    return [...this.#watches.keys()];
  }

  /** Returns the end of the interest. */
  add(path: string, isMissing: boolean, onChange: () => void): () => void {
    let watch = this.#watches.get(path);
    if (watch === undefined) this.#watches.set(path, (watch = { isMissing, listeners: new Set() }));
    // One of its own, so that one function given twice is called twice.
    const listener = (): void => onChange();
    watch.listeners.add(listener);
    const own = watch;
    return () => {
      own.listeners.delete(listener);
      if (own.listeners.size === 0 && this.#watches.get(path) === own) this.#watches.delete(path);
    };
  }

  fire(path: string): void {
    const watch = this.#watches.get(path);
    if (watch === undefined) return;
    this.#watches.delete(path);
    // Who is called may drop another's interest, which then is not called.
    for (const listener of watch.listeners) {
      watch.listeners.delete(listener);
      listener();
    }
  }

  /** No server will tell anything more. */
  endAll(): void {
    for (const path of Array.from(this.#watches.keys())) this.fire(path);
  }

  paths(isMissing: boolean): readonly string[] {
    const paths: string[] = [];
    for (const [path, watch] of this.#watches) if (watch.isMissing === isMissing) paths.push(path);
    return paths;
  }
}
