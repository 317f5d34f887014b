import { ownerValue } from '@holdfast/core/backend';
import { refusalError } from './failures.ts';
import { endOf, prefixOf } from './keys.ts';
import type { ReadOp, StoredKey, TxnReply } from './port.ts';
import type { ServerLease } from './server-lease.ts';
import type { Store } from './store.ts';

/** The contender of an entry. */
export interface EntryRequest {
  readonly key: string;
  readonly contender: string;
  /** The number of the entry among those of its contender; the first is 1. */
  readonly n: number;
}

/** An entry's position in the queue, as of one revision. */
export type Position =
  | { readonly kind: 'first'; readonly createRevision: bigint }
  | { readonly kind: 'behind'; readonly predecessor: string; readonly revision: bigint }
  /** The entry's key is not there. */
  | { readonly kind: 'absent' };

/** The name of a contender's key: unguessable, and found again from the owner value. */
export function nameOf({ contender, n }: Pick<EntryRequest, 'contender' | 'n'>): string {
  return `${contender}-${n}`;
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
  #createRevision: bigint | undefined;
  #isSent = false;

  constructor(store: Store, request: EntryRequest, lease: ServerLease) {
    this.#store = store;
    this.#lock = request.key;
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
      : this.positionIn(await this.#look(deadlineMs));
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

  /** Reads the key and the one in front of it, at one revision. Only for an entry that has had a position. */
  look(deadlineMs: number): Promise<TxnReply> {
    const reads = [this.#ownRead(), this.#lastRead(1, (this.#createRevision ?? 0n) - 1n)];
    return this.#store.requests.txn({ compare: [], success: reads, failure: [] }, deadlineMs);
  }

  /** The position in the reply to `look`. */
  positionIn({ reads: [own = [], ahead = []], header }: TxnReply): Position {
    return this.#positionOf(own[0], ahead[0], header.revision);
  }

  #create(deadlineMs: number): Promise<TxnReply> {
    this.#isSent = true;
    const { stored, owner, lease } = this;
    return this.#store.requests.txn(
      {
        compare: [{ key: stored, target: 'create', revision: 0n }],
        success: [{ kind: 'put', key: stored, value: owner, lease: lease.id }, this.#lastRead(2)],
        failure: [this.#ownRead()],
      },
      deadlineMs,
    );
  }

  #look(deadlineMs: number): Promise<TxnReply> {
    return this.#store.window.run('look', deadlineMs, () => this.look(deadlineMs));
  }

  async #enter(deadlineMs: number): Promise<Position> {
    const reply = await this.#store.window.run('enter', deadlineMs, () => this.#create(deadlineMs));
    if (reply.succeeded) {
      const { revision } = reply.header;
      this.#createRevision = revision;
      return this.#positionOf({ createRevision: revision }, reply.reads[1]?.[1], revision);
    }
    // An earlier creation, whose reply was lost.
    this.#createRevision = reply.reads[0]?.[0]?.createRevision;
    return this.#createRevision === undefined
      ? { kind: 'absent' }
      : this.positionIn(await this.#look(deadlineMs));
  }

  #positionOf(
    own: Pick<StoredKey, 'createRevision'> | undefined,
    ahead: StoredKey | undefined,
    revision: bigint,
  ): Position {
    const createRevision = this.#createRevision;
    if (createRevision === undefined || own?.createRevision !== createRevision) {
      return { kind: 'absent' };
    }
    if (ahead === undefined) return { kind: 'first', createRevision };
    if (ahead.lease === 0n) throw this.#foreign(ahead.key);
    return { kind: 'behind', predecessor: ahead.key, revision };
  }

  #ownRead(): ReadOp {
    return { kind: 'read', key: this.stored };
  }

  #lastRead(limit: number, maxCreateRevision?: bigint): ReadOp {
    const key = this.#prefix;
    return {
      kind: 'read',
      key,
      end: endOf(key),
      maxCreateRevision,
      latestFirst: true,
      limit,
      keysOnly: true,
    };
  }

  /** A key without a lease belongs to no contender, and nothing would ever remove it. */
  #foreign(key: string): Error {
    const why = `cannot be locked: ${JSON.stringify(key)} is in its queue without a lease, so no lock wrote it; delete that key`;
    return refusalError('FOREIGN_KEY', this.#lock, why);
  }
}
