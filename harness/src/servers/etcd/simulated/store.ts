import type { Comparison, Op, ReadOp, StoredKey, Txn } from '@holdfast/etcd/port';
import type { Command } from './entry.ts';
import { Leases } from './leases.ts';

/** The keys that one read or transaction returned. */
export interface StoreReply {
  readonly succeeded: boolean;
  readonly reads: readonly (readonly StoredKey[])[];
  /** Of the last read: all keys in its range. */
  readonly count: bigint;
}

/** Told of the deletions of one key. */
interface StoreWatch {
  readonly key: string;
  deleted(): void;
}

const NOTHING_READ: StoreReply = { succeeded: true, reads: [], count: 0n };

/** What etcd stores: keys with revisions, and leases. It knows no time: its server does. */
export class EtcdStore {
  readonly leases: Leases = new Leases();
  readonly #keys = new Map<string, StoredKey>();
  readonly #watches = new Set<StoreWatch>();
  #deletions: { readonly key: string; readonly revision: bigint }[] = [];
  #revision: bigint;
  #compacted = 0n;

  /** The revision of an empty store; 1 in etcd. */
  constructor(firstRevision = 1n) {
    this.#revision = firstRevision;
  }

  get revision(): bigint {
    return this.#revision;
  }

  /** The number of watches. */
  get watches(): number {
    return this.#watches.size;
  }

  /** Runs one entry of the log. @throws EtcdReplyError as the parts do; then nothing was done */
  apply(command: Command): StoreReply {
    if (command.kind === 'txn') return this.txn(command.txn);
    if (command.kind === 'grant') this.leases.grant(command.id, command.ttlMs);
    else if (command.kind === 'revoke') this.revoke(command.id);
    else if (command.kind === 'checkpoint') this.leases.checkpoint(command.id, command.leftMs);
    else if (command.kind === 'compact') this.compact();
    return NOTHING_READ;
  }

  /** A key as it is stored. */
  get(key: string): StoredKey | undefined {
    return this.#keys.get(key);
  }

  /** All keys, for those who look from outside. */
  get keys(): readonly StoredKey[] {
    return [...this.#keys.values()];
  }

  /** @throws EtcdReplyError if there is no such lease */
  revoke(id: bigint): void {
    const keys = this.leases.end(id);
    const stored = [...keys].filter((key) => this.#keys.has(key));
    if (stored.length === 0) return;
    this.#revision += 1n;
    for (const key of stored) this.#delete(key);
  }

  range(read: ReadOp): StoreReply {
    const { keys, count } = this.#read(read);
    return { succeeded: true, reads: [keys], count };
  }

  /** @throws EtcdReplyError if a lease that a step names is unknown; then nothing was done */
  txn({ compare, success, failure }: Txn): StoreReply {
    const succeeded = compare.every((each) => this.#holds(each));
    const ops = succeeded ? success : failure;
    for (const op of ops)
      if (op.kind === 'put' && op.lease !== undefined) this.leases.check(op.lease);
    const writes = ops.some(
      (op) => op.kind === 'put' || (op.kind === 'delete' && this.#keys.has(op.key)),
    );
    if (writes) this.#revision += 1n;
    return { succeeded, reads: ops.map((op) => this.#apply(op)), count: 0n };
  }

  /** True if a watch from this revision on would have to tell what is forgotten. */
  isCompacted(fromRevision: bigint): boolean {
    return fromRevision <= this.#compacted;
  }

  /** Watches one key from a revision on that is not compacted. Returns the end of the watch. */
  watch(key: string, fromRevision: bigint, deleted: () => void): () => void {
    const watch = { key, deleted };
    this.#watches.add(watch);
    const isPast = this.#deletions.some(
      (each) => each.key === key && each.revision >= fromRevision,
    );
    if (isPast) deleted();
    return () => void this.#watches.delete(watch);
  }

  /** Forgets what happened up to now. */
  compact(): void {
    this.#compacted = this.#revision;
    this.#deletions = [];
  }

  #holds({ key, target, revision }: Comparison): boolean {
    const stored = this.#keys.get(key);
    const actual = target === 'create' ? stored?.createRevision : stored?.modRevision;
    return (actual ?? 0n) === revision;
  }

  #apply(op: Op): readonly StoredKey[] {
    if (op.kind === 'read') return this.#read(op).keys;
    if (op.kind === 'put') this.#put(op.key, op.value, op.lease ?? 0n);
    else if (this.#keys.has(op.key)) this.#delete(op.key);
    return [];
  }

  #put(key: string, value: string, lease: bigint): void {
    const before = this.#keys.get(key);
    const createRevision = before?.createRevision ?? this.#revision;
    this.leases.move(key, before?.lease ?? 0n, lease);
    this.#keys.set(key, { key, value, createRevision, modRevision: this.#revision, lease });
  }

  #delete(key: string): void {
    this.leases.move(key, this.#keys.get(key)?.lease ?? 0n, 0n);
    this.#keys.delete(key);
    this.#deletions.push({ key, revision: this.#revision });
    for (const watch of this.#watches) if (watch.key === key) watch.deleted();
  }

  #read(read: ReadOp): { readonly keys: readonly StoredKey[]; readonly count: bigint } {
    const { key, end, maxCreateRevision, limit } = read;
    const inRange = this.keys.filter((each) =>
      end === undefined ? each.key === key : each.key >= key && each.key < end,
    );
    const found = inRange
      .filter(({ createRevision }) => createRevision <= (maxCreateRevision ?? createRevision))
      .toSorted(byName)
      .toSorted(orderOf(read));
    const keys = found
      .slice(0, limit)
      .map((each) => (read.keysOnly === true ? { ...each, value: '' } : each));
    // As etcd counts: also keys that are too new.
    return { keys, count: BigInt(inRange.length) };
  }
}

/** Keys of one transaction have one revision, and stay in the order of their names. */
function orderOf({ latestFirst, earliestFirst }: ReadOp): (a: StoredKey, b: StoredKey) => number {
  if (latestFirst === true) return (a, b) => Number(b.createRevision - a.createRevision);
  if (earliestFirst === true) return (a, b) => Number(a.createRevision - b.createRevision);
  return byName;
}

function byName(a: StoredKey, b: StoredKey): number {
  return a.key < b.key ? -1 : 1;
}
