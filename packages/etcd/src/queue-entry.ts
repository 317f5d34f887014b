import { type HoldMode, otherModeError, ownerValue } from '@holdfast/core/backend';
import { nameInMode } from '@holdfast/core/queue';
import { refusalError } from './failures.ts';
import { NAME } from './identity.ts';
import { endOf, prefixOf } from './keys.ts';
import type { Bell } from './modes/bells.ts';
import { type ModePosition, modeIn, positionInMode, type Readers } from './modes/mode-position.ts';
import type { ReadOp, StoredKey, TxnReply } from './port.ts';
import type { ServerLease } from './server-lease.ts';
import type { Store } from './store.ts';

/** The contender of an entry. */
export interface EntryRequest {
  readonly key: string;
  readonly contender: string;
  /** The number of the entry among those of its contender; the first is 1. */
  readonly n: number;
  /** Absent: exclusive. */
  readonly mode?: HoldMode | undefined;
}

/** An entry's position in the queue, as of one revision. */
export type Position =
  | {
      readonly kind: 'first';
      readonly createRevision: bigint;
      readonly readers?: Readers | undefined;
      readonly otherOf?: number | undefined;
    }
  | {
      readonly kind: 'behind';
      readonly predecessor: string;
      readonly revision: bigint;
      /** The lease of the key in front, of an entry in a mode. */
      readonly lease?: bigint;
    }
  /** The first of those that wait for permits. */
  | { readonly kind: 'short'; readonly otherOf: number; readonly revision: bigint }
  /** The entry's key is not there. */
  | { readonly kind: 'absent' };

/** The name of a contender's key: unguessable, and found again from the owner value. */
export function nameOf({ contender, n, mode }: Omit<EntryRequest, 'key'>): string {
  return nameInMode(`${contender}-${n}`, mode);
}

/** One key in the queue of a lock. It is created once, and ends with its lease. */
export class QueueEntry {
  readonly lease: ServerLease;
  /** The key in the store. */
  readonly stored: string;
  /** The value of the key. */
  readonly owner: string;
  readonly #store: Store;
  readonly #lock: string;
  readonly #prefix: string;
  readonly #mode: HoldMode | undefined;
  #createRevision: bigint | undefined;
  #isSent = false;

  constructor(store: Store, request: EntryRequest, lease: ServerLease) {
    this.#store = store;
    this.#lock = request.key;
    this.#mode = request.mode;
    this.#prefix = prefixOf(store.layout, request.key);
    this.lease = lease;
    this.stored = `${this.#prefix}${nameOf(request)}`;
    this.owner = ownerValue({ ...request, label: store.host.label });
  }

  /** False as long as no request could have created the key. */
  get mayBeStored(): boolean {
    return this.#isSent;
  }

  /** Creates the key, or finds it if the reply to its creation was lost, and returns its position. */
  async position(deadlineMs: number): Promise<Position> {
    return this.#createRevision === undefined
      ? await this.#enter(deadlineMs)
      : await this.lookAgain(deadlineMs);
  }

  /** Reads the key and another one, at one revision: less than `look` does, which sorts the whole queue. */
  glance(other: string, deadlineMs: number): Promise<TxnReply> {
    const reads: readonly ReadOp[] = [this.#ownRead(), { kind: 'read', key: other }];
    return this.#store.requests.txn({ compare: [], success: reads, failure: [] }, deadlineMs);
  }

  /** True if both keys of a glance are there. */
  areThere({ reads: [own = [], other = []] }: TxnReply): boolean {
    return own[0]?.createRevision === this.#createRevision && other.length > 0;
  }

  /**
   * Reads the key and the one in front of it, at one revision; in a mode, the whole queue. Only for an entry that has had a
   * position. A bell is put before, in the same step.
   */
  look(deadlineMs: number, bell?: Bell): Promise<TxnReply> {
    const reads = [this.#ownRead(), ...this.#queueReads(1, (this.#createRevision ?? 0n) - 1n)];
    const puts = bell === undefined ? [] : [{ kind: 'put', value: '', ...bell } as const];
    const success = [...reads, ...puts];
    return this.#store.requests.txn({ compare: [], success, failure: [] }, deadlineMs);
  }

  /** Looks through the request window. */
  async lookAgain(deadlineMs: number, bell?: Bell): Promise<Position> {
    const { window } = this.#store;
    return this.positionIn(await window.run('look', deadlineMs, () => this.look(deadlineMs, bell)));
  }

  /** The position in the reply to `look`. */
  positionIn({ reads: [own = [], ahead = [], front = []], header }: TxnReply): Position {
    return this.#positionOf(own[0], ahead, front, header.revision);
  }

  #create(deadlineMs: number): Promise<TxnReply> {
    this.#isSent = true;
    const { stored, owner, lease } = this;
    return this.#store.requests.txn(
      {
        compare: [{ key: stored, target: 'create', revision: 0n }],
        success: [
          { kind: 'put', key: stored, value: owner, lease: lease.id },
          ...this.#queueReads(2),
        ],
        failure: [this.#ownRead()],
      },
      deadlineMs,
    );
  }

  async #enter(deadlineMs: number): Promise<Position> {
    const reply = await this.#store.window.run('enter', deadlineMs, () => this.#create(deadlineMs));
    if (reply.succeeded) {
      const { revision } = reply.header;
      this.#createRevision = revision;
      const [, queue = [], front = []] = reply.reads;
      // Its own key is the latest.
      const ahead = this.#isShared ? queue : queue.slice(1);
      return this.#positionOf({ createRevision: revision }, ahead, front, revision);
    }
    // An earlier creation, whose reply was lost.
    this.#createRevision = reply.reads[0]?.[0]?.createRevision;
    return this.#createRevision === undefined
      ? { kind: 'absent' }
      : await this.lookAgain(deadlineMs);
  }

  #positionOf(
    own: Pick<StoredKey, 'createRevision'> | undefined,
    queue: readonly StoredKey[],
    [front]: readonly StoredKey[],
    revision: bigint,
  ): Position {
    const createRevision = this.#createRevision;
    if (createRevision === undefined || own?.createRevision !== createRevision) {
      return { kind: 'absent' };
    }
    const { kind } = this.#mode ?? {};
    if (kind === 'shared' || kind === 'permits')
      return this.#inMode(positionInMode(kind, createRevision, queue), revision);
    const [ahead] = queue;
    if (ahead === undefined) return { kind: 'first', createRevision };
    if (ahead.lease === 0n) throw this.#foreign(ahead.key);
    if (front !== undefined && modeIn(front.key)?.kind === 'permits')
      throw otherModeError({ key: this.#lock, backend: NAME }, 'permits');
    return { kind: 'behind', predecessor: ahead.key, revision };
  }

  #inMode(position: ModePosition, revision: bigint): Position {
    if (position.kind === 'foreign') throw this.#foreign(position.key);
    if (position.kind === 'other-mode')
      throw otherModeError({ key: this.#lock, backend: NAME }, position.holds);
    if (position.kind === 'short') return { ...position, revision };
    if (position.kind !== 'behind') return position;
    const { key: predecessor, lease } = position.predecessor;
    return { kind: 'behind', predecessor, lease, revision };
  }

  /** True for a reader and a holder of permits. */
  get #isShared(): boolean {
    return this.#mode !== undefined && this.#mode.kind !== 'exclusive';
  }

  /** Reads the latest keys up to a revision, and for a writer the first one; beside others, all keys in order of arrival. */
  #queueReads(limit: number, maxCreateRevision?: bigint): readonly ReadOp[] {
    const key = this.#prefix;
    const all = { kind: 'read', key, end: endOf(key), keysOnly: true } as const;
    const inOrder = { ...all, earliestFirst: true };
    if (this.#isShared) return [inOrder];
    const last = { ...all, maxCreateRevision, latestFirst: true, limit };
    return this.#mode === undefined ? [last] : [last, { ...inOrder, limit: 1 }];
  }

  #ownRead(): ReadOp {
    return { kind: 'read', key: this.stored };
  }

  /** A key without a lease belongs to no contender, and nothing would ever remove it. */
  #foreign(key: string): Error {
    const why = `cannot be locked: ${JSON.stringify(key)} is in its queue without a lease, so no lock wrote it; delete that key`;
    return refusalError('FOREIGN_KEY', this.#lock, why);
  }
}
