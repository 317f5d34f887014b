/** While a script runs, all others wait: with so many holds for a fraction of a millisecond. */
const MOST = 128;

/** Gathers what comes at the same moment, such as renewals of leases that are due together, for one call. */
export class Gathering<T> {
  /** By name, of this moment. */
  readonly #all = new Map<string, [T, ...T[]]>();

  /** `send` gets all that come under this name at this moment, or as many as one call may have. */
  add(name: string, one: T, send: (all: readonly [T, ...T[]]) => void): void {
    const others = this.#all.get(name);
    if (others === undefined) return this.#begin(name, one, send);
    others.push(one);
    if (others.length < MOST) return;
    // At once: of a great crowd the first would be late if they waited for the last.
    this.#all.delete(name);
    send(others);
  }

  #begin(name: string, one: T, send: (all: readonly [T, ...T[]]) => void): void {
    const all: [T, ...T[]] = [one];
    this.#all.set(name, all);
    // All that are due now have asked by then.
    void Promise.resolve().then(() => {
      if (this.#all.get(name) !== all) return;
      this.#all.delete(name);
      send(all);
    });
  }
}
