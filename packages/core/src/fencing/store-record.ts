import { LockError } from '../errors.ts';
import type { Marks } from '../port.ts';
import { isInRange } from './token.ts';

/**
 * The record of a store: its fencing epoch, and whether it was moved to. It consists of marks, which are written once. So
 * an epoch is raised by a mark behind the earlier one, and of two clients that raise it at once, one wins.
 */
export class StoreRecord {
  readonly #marks: Marks;
  readonly #backend: string;

  constructor(marks: Marks, backend: string) {
    this.#marks = marks;
    this.#backend = backend;
  }

  /** Returns the epoch of the store; undefined if no client has used it yet. */
  async epoch(deadlineMs: number): Promise<number | undefined> {
    let epoch: number | undefined;
    let text = await this.#marks.read('epoch', deadlineMs);
    while (text !== undefined) {
      epoch = this.#parsed(text, epoch);
      text = await this.#marks.read(`epoch-after-${epoch}`, deadlineMs);
    }
    return epoch;
  }

  /** Writes the epoch of a store that has none; returns the one that it has then. */
  async claim(epoch: number, deadlineMs: number): Promise<number> {
    const stored = await this.epoch(deadlineMs);
    if (stored !== undefined) return stored;
    const first = await this.#marks.write('epoch', `${epoch}`, deadlineMs);
    // Unless it is ours, another client was faster, and may have raised it since.
    return first === `${epoch}` ? epoch : ((await this.epoch(deadlineMs)) ?? this.#parsed(first));
  }

  /** Raises the epoch, and never lowers it; returns the one that the store has then. */
  async raise(epoch: number, deadlineMs: number): Promise<number> {
    let stored = await this.claim(epoch, deadlineMs);
    while (stored < epoch) {
      const next = await this.#marks.write(`epoch-after-${stored}`, `${epoch}`, deadlineMs);
      stored = this.#parsed(next, stored);
    }
    return stored;
  }

  /** True if `holdfast move flip` has marked the store for this epoch: its tokens count from then on. */
  async isFlipped(epoch: number, deadlineMs: number): Promise<boolean> {
    return (await this.#marks.read(flipMark(epoch), deadlineMs)) !== undefined;
  }

  /** Marks the store for this epoch; there is no way back. */
  async flip(epoch: number, deadlineMs: number): Promise<void> {
    await this.#marks.write(flipMark(epoch), 'flipped', deadlineMs);
  }

  /** Returns the identity of the store, which its first client chose at random. */
  async identity(candidate: string, deadlineMs: number): Promise<string> {
    const stored = await this.#marks.read('id', deadlineMs);
    return stored ?? (await this.#marks.write('id', candidate, deadlineMs));
  }

  /** @throws LockError for what is no epoch, or not larger than the one before */
  #parsed(text: string, before = -1): number {
    const epoch = /^\d{1,4}$/.test(text) ? Number(text) : Number.NaN;
    if (isInRange(epoch) && epoch > before) return epoch;
    const message = `${this.#backend}: the store's mark of its fencing epoch is not one: ${JSON.stringify(text)}`;
    throw new LockError('FOREIGN_KEY', message, { backend: this.#backend });
  }
}

function flipMark(epoch: number): string {
  return `flipped-${epoch}`;
}
