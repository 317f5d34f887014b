import { SLOTS } from './slot.ts';

/** Some slots and the address of their master. */
export interface SlotRange {
  readonly from: number;
  /** The last one. */
  readonly to: number;
  readonly address: string;
}

/** The address of the master of each slot. Ranges, because clusters have few, and 16 384 entries take a millisecond to make. */
export class SlotOwners {
  readonly #ranges: readonly SlotRange[];
  readonly #moved = new Map<number, string>();

  /** @param ranges do not overlap */
  constructor(ranges: readonly SlotRange[]) {
    this.#ranges = ranges;
  }

  /** Returns undefined if no master serves the slot. */
  of(slot: number): string | undefined {
    return this.#moved.get(slot) ?? this.#inRange(slot);
  }

  move(slot: number, address: string): void {
    this.#moved.set(slot, address);
  }

  /** The number of slots that no master serves. */
  get unserved(): number {
    const served = this.#ranges.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    const found = [...this.#moved.keys()].filter((slot) => this.#inRange(slot) === undefined);
    return SLOTS - served - found.length;
  }

  #inRange(slot: number): string | undefined {
    return this.#ranges.find(({ from, to }) => from <= slot && slot <= to)?.address;
  }
}
