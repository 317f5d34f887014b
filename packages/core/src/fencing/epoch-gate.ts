import { BackendUnavailableError, LockError } from '../errors.ts';
import type { Attempt } from '../port.ts';
import type { StoreRecord } from './store-record.ts';

/** An attempt that was not made, because the store has not admitted this client. */
export type NotAdmitted = Extract<Attempt, { readonly kind: 'unavailable' | 'refused' }>;

/** Decides, once for each `Locks`, whether its epoch is that of the store. */
export class EpochGate {
  readonly epoch: number;
  readonly #record: StoreRecord;
  readonly #backend: string;
  #isOpen = false;
  #opening: Promise<void> | undefined;

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
  async pass(deadlineMs: number): Promise<NotAdmitted | undefined> {
    try {
      // A crowd that starts at once asks once.
      this.#opening ??= this.#open(deadlineMs).finally(() => {
        this.#opening = undefined;
      });
      await this.#opening;
      return undefined;
    } catch (cause) {
      if (cause instanceof LockError && !(cause instanceof BackendUnavailableError))
        return { kind: 'refused', error: cause };
      return { kind: 'unavailable', cause };
    }
  }

  async #open(deadlineMs: number): Promise<void> {
    await this.#compare(await this.#record.claim(this.epoch, deadlineMs), deadlineMs);
    this.#isOpen = true;
  }

  async #compare(stored: number, deadlineMs: number): Promise<void> {
    const { epoch } = this;
    if (stored !== epoch)
      throw this.#error(
        `the store has fencingEpoch ${stored}, and this client ${epoch}: their tokens do not compare`,
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
