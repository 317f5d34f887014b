/** The generator behind `math.random`: lrand48 of POSIX, which every server starts from the same state. */
export class Random48 {
  #state = 0x1234abcd330en;

  seed(seed: number): void {
    this.#state = BigInt.asUintN(48, (BigInt(seed) << 16n) + 0x330en);
  }

  /** A number from 0 to 1. */
  next(): number {
    this.#state = BigInt.asUintN(48, this.#state * 0x5deece66dn + 0xbn);
    return (Number(this.#state >> 17n) % 0x7fffffff) / 0x7fffffff;
  }
}
