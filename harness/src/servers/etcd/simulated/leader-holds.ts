import { EtcdReplyError, type StoredKey, type Txn } from '@holdfast/etcd/port';
import type { HoldLog } from '../../../sim/hold-log.ts';
import type { EnsembleObserver } from './context.ts';
import type { Entry, EntryResult } from './entry.ts';
import type { Program } from './program.ts';

/** The name under which the leader's record is stored. */
export const LEADER = 'leader';

/** Far more than the revisions of one run. */
const LOSS_BITS = 32n;

/** The way a key in a queue went. */
export type KeyEnd = 'released' | 'expired' | 'removed';

/** A key with a lease in the queue of its lock. */
interface QueuedKey {
  readonly key: string;
  readonly owner: string;
  readonly createRevision: bigint;
  readonly lease: bigint;
}

/**
 * Records the first key of each queue by what the leader has applied, and the time until which the leader keeps its lease. If
 * several servers believe they lead, the one elected last counts.
 */
export class LeaderHolds implements EnsembleObserver {
  readonly #holds: HoldLog;
  readonly #queues = new Map<string, Map<string, QueuedKey>>();
  readonly #untilMs = new Map<bigint, number>();
  /** By the names of keys in their queues, for keys that are gone, too: a late request may create one anew. */
  readonly #places = new Map<string, bigint>();
  /** The names of keys that a leader lacked who had lost data: they queue anew. */
  readonly #lost = new Set<string>();
  /** Servers that lose their data count from 1 again, so places count these losses, too. */
  #losses = 0n;
  #latestRevision = 0n;
  readonly #clients = new Map<string, string>();
  readonly #ends = new Map<string, KeyEnd>();
  #leader: Program | undefined;

  constructor(holds: HoldLog) {
    this.#holds = holds;
  }

  /** Grows with the revision at which a key with this name first came into its queue; undefined if none ever did. */
  placeOf(name: string): bigint | undefined {
    return this.#places.get(name);
  }

  /** The way in which a key went; undefined while it is there. */
  endOf(key: string): KeyEnd | undefined {
    return this.#ends.get(nameOf(key));
  }

  /** The client that created the key. */
  clientOf(key: string): string | undefined {
    return this.#clients.get(key);
  }

  applied(program: Program, entry: Entry, result: EntryResult): void {
    const { command, client } = entry;
    if (command.kind === 'txn' && client !== undefined) this.#noteClient(command.txn, client);
    if (program !== this.#leader || result instanceof EtcdReplyError) return;
    if (command.kind !== 'txn' && command.kind !== 'revoke') return;
    this.#update(program, entry);
  }

  leads(program: Program): void {
    this.#leader = program;
    if (program.store.revision < this.#latestRevision) this.#lose(program);
    this.#latestRevision = program.store.revision;
    this.#untilMs.clear();
    for (const queue of this.#queues.values()) queue.clear();
    for (const key of program.store.keys) this.#enter(key);
    for (const queue of this.#queues.keys()) this.#recordFront(queue);
  }

  extended(program: Program, lease: bigint, untilUs: number): void {
    if (program !== this.#leader) return;
    const { clock, kernel } = program.machine;
    this.#untilMs.set(lease, clock.whenMonotonic(untilUs, kernel.nowUs) / 1000);
    for (const [queue, keys] of this.#queues)
      if (frontOf(keys)?.lease === lease) this.#recordFront(queue);
  }

  // What another server has does not count.
  replaced(): void {}

  #lose({ store }: Program): void {
    this.#losses++;
    const kept = new Set(Array.from(store.keys, ({ key }) => nameOf(key)));
    for (const name of this.#places.keys()) if (!kept.has(name)) this.#lost.add(name);
  }

  #noteClient({ success }: Txn, client: string): void {
    for (const op of success)
      if (op.kind === 'put' && !this.#clients.has(op.key)) this.#clients.set(op.key, client);
  }

  /** Compares the queues with the leader's store. */
  #update({ store }: Program, { command, client }: Entry): void {
    for (const [queue, keys] of this.#queues)
      for (const { key, createRevision } of keys.values()) {
        if (store.get(key)?.createRevision === createRevision) continue;
        keys.delete(key);
        const isOwn = client !== undefined && this.#clients.get(key) === client;
        const end = client === undefined ? 'expired' : isOwn ? 'released' : 'removed';
        this.#ends.set(nameOf(key), end);
        this.#recordFront(queue, isOwn);
      }
    if (command.kind !== 'txn') return;
    for (const op of command.txn.success) {
      const stored = op.kind === 'put' ? store.get(op.key) : undefined;
      if (stored === undefined) continue;
      this.#enter(stored);
      this.#recordFront(queueOf(stored.key));
    }
  }

  #enter({ key, value: owner, createRevision, lease }: StoredKey): void {
    if (lease === 0n) return;
    const queue = queueOf(key);
    const keys = this.#queues.get(queue) ?? new Map<string, QueuedKey>();
    this.#queues.set(queue, keys.set(key, { key, owner, createRevision, lease }));
    const name = nameOf(key);
    if (this.#lost.delete(name) || !this.#places.has(name))
      this.#places.set(name, (this.#losses << LOSS_BITS) + createRevision);
    if (createRevision > this.#latestRevision) this.#latestRevision = createRevision;
  }

  #recordFront(queue: string, isOwn = false): void {
    const front = frontOf(this.#queues.get(queue) ?? new Map<string, QueuedKey>());
    const known = front === undefined ? undefined : this.#untilMs.get(front.lease);
    this.#holds.note(LEADER, queue, front?.owner, known ?? Number.POSITIVE_INFINITY, isOwn);
  }
}

/** The prefix of a contender's key. */
export function queueOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}

/** The name of a contender's key, without its mode. */
export function nameOf(key: string): string {
  const [name = ''] = key.slice(key.lastIndexOf('/')).split(':');
  return name;
}

function frontOf(keys: ReadonlyMap<string, QueuedKey>): QueuedKey | undefined {
  let front: QueuedKey | undefined;
  for (const key of keys.values())
    if (front === undefined || key.createRevision < front.createRevision) front = key;
  return front;
}
