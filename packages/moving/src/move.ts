import { ConfigError, LockError } from '@holdfast/core';
import {
  admission,
  type Backend,
  epochToken,
  type Grant,
  type Host,
  type Instant,
  type NotAdmitted,
  SharedCheck,
  type StoreRecord,
} from '@holdfast/core/backend';
import { NAME } from './identity.ts';

/** How often a client that waits for its second lock looks at the order. */
const RECHECK_MS = 2_000;

/** One store of a move. */
export interface Side {
  readonly backend: Backend;
  readonly epoch: number;
  readonly record: StoreRecord;
  readonly ttlMs: number | undefined;
}

/** A move from one store to another: the order in which its locks are taken, and whose token counts. */
export class Move {
  readonly from: Side;
  readonly to: Side;
  readonly #host: Host;
  #order: readonly [Side, Side] | undefined;
  readonly #preparing = new SharedCheck();
  #isFlipped = false;
  /** In order, as they were when they were last looked at. */
  #identities = '';
  #checked: Instant;

  constructor(from: Side, to: Side, host: Host) {
    this.from = from;
    this.to = to;
    this.#host = host;
    this.#checked = host.runtime.now();
  }

  /**
   * The stores in the order in which their locks are taken; undefined before `prepare`. It is that of their identities, not
   * of the direction: else a move back would take them the other way round, and wait for a move forth that waits for it.
   */
  get order(): readonly [Side, Side] | undefined {
    return this.#order;
  }

  /** Checks both stores before the first attempt. Returns why none may be made; undefined if it may. Never rejects. */
  async prepare(deadlineMs: number): Promise<NotAdmitted | undefined> {
    if (this.#order !== undefined) return undefined;
    return await admission(this.#preparing.run(deadlineMs, () => this.#prepare(deadlineMs)));
  }

  /**
   * Returns the token of a client that holds both locks: the old store's until the new one is flipped. Only a holder of both
   * may ask: so no client of the next phase can have got a token meanwhile. Undefined if the old store has no tokens.
   */
  async token(
    from: Grant,
    to: Grant,
    deadlineMs: number,
  ): Promise<bigint | undefined | NotAdmitted> {
    const failure = await admission(this.#readFlip(deadlineMs));
    if (failure !== undefined) return failure;
    const [side, grant] = this.#isFlipped ? [this.to, to] : [this.from, from];
    const { name, capabilities } = side.backend;
    if (capabilities.fencing === 'none') return undefined;
    try {
      if (grant.fencingToken === undefined)
        throw new LockError('NO_TOKEN', `${name} granted a lease without a token`, {
          backend: name,
        });
      return epochToken(side.epoch, grant.fencingToken, { backend: name });
    } catch (error) {
      if (error instanceof LockError) return { kind: 'refused', error };
      throw error;
    }
  }

  /**
   * Looks at the order again, now and then: a store that has lost its data has another identity, and clients that took the
   * locks in two orders would wait for each other. Never rejects.
   */
  async recheck(deadlineMs: number): Promise<void> {
    const order = this.#order;
    if (order === undefined || this.#host.runtime.elapsedMs(this.#checked) < RECHECK_MS) return;
    this.#checked = this.#host.runtime.now();
    try {
      const now = await Promise.all(order.map((side) => this.#identity(side, deadlineMs)));
      if (now.join(' ') !== this.#identities && this.#order === order) this.#order = undefined;
    } catch {
      // A store that does not reply is asked again later.
    }
  }

  /** True if the tokens of the new store count. Rejects with a LockError. */
  async isFlipped(deadlineMs: number): Promise<boolean> {
    await this.#readFlip(deadlineMs);
    return this.#isFlipped;
  }

  async #prepare(deadlineMs: number): Promise<void> {
    const { from, to } = this;
    const [a, b] = await Promise.all([
      this.#identity(from, deadlineMs),
      this.#identity(to, deadlineMs),
    ]);
    if (a === b) throw new ConfigError(`${NAME}: "from" and "to" are one store`, { backend: NAME });
    // A raise cannot be taken back: only a client that the old store admits may.
    await this.#admit(from, deadlineMs);
    await this.#raise(to, deadlineMs);
    this.#order = a < b ? [from, to] : [to, from];
    this.#identities = [a, b].toSorted().join(' ');
    this.#checked = this.#host.runtime.now();
  }

  #identity({ record }: Side, deadlineMs: number): Promise<string> {
    return record.identity(this.#host.runtime.randomId(), deadlineMs);
  }

  /** The store that is in use must have the epoch that this client expects. */
  async #admit({ record, epoch, backend }: Side, deadlineMs: number): Promise<void> {
    const known = await record.epoch(deadlineMs);
    const isNew = known === undefined && epoch === 0;
    const stored = isNew ? await record.claim(epoch, deadlineMs) : known;
    if (stored !== undefined && stored !== epoch) throw epochError(backend, stored, epoch);
    if (epoch === 0 || (await record.isFlipped(epoch, deadlineMs))) return;
    const message = `${NAME}: the store of ${backend.name} does not count in fencingEpoch ${epoch} yet, so it cannot be moved from`;
    throw new LockError('FENCING_EPOCH', message, { backend: NAME });
  }

  /** The first client of the move makes the epoch known, so that a client that knows only an earlier one is refused. */
  async #raise({ record, epoch, backend }: Side, deadlineMs: number): Promise<void> {
    const stored = await record.raise(epoch, deadlineMs);
    if (stored !== epoch) throw epochError(backend, stored, epoch);
  }

  /** There is no way back, so a flip that was seen needs no further look. */
  async #readFlip(deadlineMs: number): Promise<void> {
    const { record, epoch } = this.to;
    this.#isFlipped ||= await record.isFlipped(epoch, deadlineMs);
  }
}

function epochError({ name }: Backend, stored: number, epoch: number): LockError {
  const message = `${NAME}: the store of ${name} has fencingEpoch ${stored}, and this client ${epoch}`;
  return new LockError('FENCING_EPOCH', message, { backend: NAME });
}
