import { parseSchedule, type Schedule } from '../simulator/index.ts';

/** Room for the longest generated schedule; a longer one is cut off and cannot be reported. */
const TEXT_BYTES = 65_536;

/** Shared memory by which a busy thread reports how many schedules it has begun, and the current one. */
export class Heartbeat {
  readonly shared: SharedArrayBuffer;
  readonly #numbers: Int32Array;
  readonly #text: Uint8Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(8 + TEXT_BYTES)) {
    this.shared = shared;
    this.#numbers = new Int32Array(shared, 0, 2);
    this.#text = new Uint8Array(shared, 8);
  }

  get count(): number {
    return Atomics.load(this.#numbers, 0);
  }

  begin(schedule: Schedule): void {
    const bytes = new TextEncoder().encode(JSON.stringify(schedule)).subarray(0, TEXT_BYTES);
    this.#text.set(bytes);
    Atomics.store(this.#numbers, 1, bytes.length);
    Atomics.add(this.#numbers, 0, 1);
  }

  /** Counts a step without a schedule. */
  tick(): void {
    Atomics.add(this.#numbers, 0, 1);
  }

  /** The current schedule, if there is one. */
  get schedule(): Schedule | undefined {
    const length = Atomics.load(this.#numbers, 1);
    if (length === 0) return undefined;
    // A copy, because TextDecoder refuses shared memory.
    const text = new TextDecoder().decode(this.#text.slice(0, length));
    try {
      return parseSchedule(JSON.parse(text));
    } catch {
      return undefined;
    }
  }
}

/** The number of the last relevant schedule, shared between threads; it only decreases. */
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
