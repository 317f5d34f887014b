import { BackendUnavailableError, LockError } from '../errors.ts';
import type { Attempt, Marks } from '../port.ts';

/** The largest: with it the largest token just fits a signed 64-bit column. */
export const FENCING_EPOCH_MAX = 1_023;

/**
 * The record of a store: its fencing epoch, and whether it was moved to. It consists of marks, which are written once. So
 * an epoch is raised by a mark behind the earlier one, and of two clients that raise it at once, one wins.
 * @example
 * ```ts
 * const record = new StoreRecord(redisMarks(node, 'holdfast', 'my-lock'), 'my-lock');
 * const epoch = (await record.epoch(deadlineMs)) ?? (await record.claim(0, deadlineMs));
 * ```
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
    // Another client may have written the same before, and raised it since.
    return (await this.epoch(deadlineMs)) ?? this.#parsed(first);
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

export function isInRange(epoch: number): boolean {
  return epoch >= 0 && epoch <= FENCING_EPOCH_MAX;
}

/** An attempt that was not made, because the store has not admitted this client. */
export type NotAdmitted = Extract<Attempt, { readonly kind: 'unavailable' | 'refused' }>;

/**
 * Returns why no attempt may be made, by the check that `work` is; undefined if it may. Never rejects.
 * @example
 * ```ts
 * const refusal = await admission(checks.run(deadlineMs, checkEpoch));
 * if (refusal !== undefined) return refusal; // the result of this attempt
 * ```
 */
export async function admission(work: Promise<void>): Promise<NotAdmitted | undefined> {
  try {
    await work;
    return undefined;
  } catch (cause) {
    if (cause instanceof LockError && !(cause instanceof BackendUnavailableError))
      return { kind: 'refused', error: cause };
    return { kind: 'unavailable', cause };
  }
}

/**
 * Shares a check of a store: a crowd that starts at once asks once.
 * @example
 * ```ts
 * const checks = new SharedCheck();
 * // Before every attempt; callers at the same time share one check.
 * await checks.run(deadlineMs, checkEpoch);
 * ```
 */
export class SharedCheck {
  #running: { readonly deadlineMs: number; readonly done: Promise<void> } | undefined;

  /** Joins a check that ends by `deadlineMs`, or starts one. Rejects as the check does. */
  run(deadlineMs: number, check: () => Promise<void>): Promise<void> {
    const running = this.#running;
    if (running !== undefined && running.deadlineMs <= deadlineMs) return running.done;
    const done = check().finally(() => {
      if (this.#running?.done === done) this.#running = undefined;
    });
    this.#running = { deadlineMs, done };
    return done;
  }
}

/** Decides, once for each `Locks`, whether its epoch is that of the store. */
export class EpochGate {
  readonly epoch: number;
  readonly #record: StoreRecord;
  readonly #backend: string;
  #isOpen = false;
  readonly #opening = new SharedCheck();

  constructor(record: StoreRecord, backend: string, epoch: number) {
    this.epoch = epoch;
    this.#record = record;
    this.#backend = backend;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Reads what the store says, and writes nothing. @throws LockError if it has another epoch */
  async check(deadlineMs: number): Promise<void> {
    const stored = await this.#record.epoch(deadlineMs);
    if (stored !== undefined) await this.#compare(stored, deadlineMs);
  }

  /** Writes the epoch at first use. Returns why no attempt may be made; undefined if it may. Never rejects. */
  pass(deadlineMs: number): Promise<NotAdmitted | undefined> {
    return admission(this.#opening.run(deadlineMs, () => this.#open(deadlineMs)));
  }

  async #open(deadlineMs: number): Promise<void> {
    // A mark cannot be taken back, so a client that would be refused writes none.
    await this.#compare((await this.#record.epoch(deadlineMs)) ?? this.epoch, deadlineMs);
    await this.#compare(await this.#record.claim(this.epoch, deadlineMs), deadlineMs);
    this.#isOpen = true;
  }

  async #compare(stored: number, deadlineMs: number): Promise<void> {
    const { epoch } = this;
    if (stored !== epoch)
      throw this.#error(
        `the store has fencingEpoch ${stored}, and this client ${epoch}: their tokens do not compare; if this is the right store, set fencingEpoch to ${stored}`,
      );
    if (epoch > 0 && !(await this.#record.isFlipped(epoch, deadlineMs)))
      throw this.#error(
        `fencingEpoch ${epoch} of this store does not count yet: run holdfast move flip when no client of the old store is left`,
      );
  }

  #error(why: string): LockError {
    return new LockError('FENCING_EPOCH', `${this.#backend}: ${why}`, { backend: this.#backend });
  }
}
