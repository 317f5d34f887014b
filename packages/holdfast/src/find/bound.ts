/** The place of the last schedule that is of interest, shared between threads; it only ever shrinks. */
export class Bound {
  readonly shared: SharedArrayBuffer;
  readonly #places: Int32Array;

  constructor(from: number | SharedArrayBuffer) {
    this.shared = typeof from === 'number' ? new SharedArrayBuffer(4) : from;
    this.#places = new Int32Array(this.shared);
    if (typeof from === 'number') Atomics.store(this.#places, 0, from);
  }

  get n(): number {
    return Atomics.load(this.#places, 0);
  }

  lower(n: number): void {
    for (let seen = this.n; n < seen; seen = this.n)
      if (Atomics.compareExchange(this.#places, 0, seen, n) === seen) return;
  }
}
