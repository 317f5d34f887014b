/** The place of the last schedule that is of interest, shared between threads; it only ever shrinks. */
export class SharedLimit {
  readonly shared: SharedArrayBuffer;
  readonly #places: BigInt64Array;

  constructor(from: number | SharedArrayBuffer) {
    this.shared = typeof from === 'number' ? new SharedArrayBuffer(8) : from;
    this.#places = new BigInt64Array(this.shared);
    if (typeof from === 'number') Atomics.store(this.#places, 0, BigInt(from));
  }

  get n(): number {
    return Number(Atomics.load(this.#places, 0));
  }

  lower(n: number): void {
    const place = BigInt(n);
    for (let seen = BigInt(this.n); place < seen; seen = BigInt(this.n))
      if (Atomics.compareExchange(this.#places, 0, seen, place) === seen) return;
  }
}
