import type { Followers } from './followers.ts';
import type { PeerLink } from './peer-link.ts';
import type { Program } from './program.ts';
import { EPOCH_STEP, type ZooKeeperReply } from './request.ts';
import { type Change, Transaction, type Waiter } from './transaction-log.ts';
import { emptyContainers, Tree } from './tree.ts';

/** A sync that arrived while a proposal was not committed. */
interface PendingSync {
  /** Length of the log that has to be committed first. */
  readonly count: number;
  readonly run: () => void;
}

/**
 * The log of one term as leader. It numbers and proposes changes, and commits what a majority has. The committed part is
 * a prefix of every log that a majority has, so one number describes it.
 */
export class Broadcast {
  readonly #program: Program;
  readonly #followers: Followers;
  /** Includes every proposal; reads see only committed transactions. */
  tree: Tree = new Tree();
  #epoch = 0;
  #counter = 0;
  #committed = 0;
  #syncs: PendingSync[] = [];
  isOpen = false;

  constructor(program: Program, followers: Followers) {
    this.#program = program;
    this.#followers = followers;
  }

  /** Opens the term: a majority has the whole log, so all of it is committed. */
  open(epoch: number): void {
    const { storage, ensemble } = this.#program.machine;
    this.#epoch = epoch;
    storage.epoch = epoch;
    this.isOpen = true;
    this.#committed = storage.log.length;
    this.#program.applyUpTo(this.#committed);
    ensemble.holds?.leads(this.#program);
    // As in ZooKeeper (Leader.startZkServer): a client that saw a later transaction of an earlier term is let in.
    this.#program.zxid = Math.max(this.#program.zxid, epoch * EPOCH_STEP);
    this.tree = new Tree();
    for (const { change, zxid } of storage.log) this.tree.apply(change, zxid);
  }

  close(): void {
    this.isOpen = false;
  }

  propose(change: Change, reply: Omit<ZooKeeperReply, 'zxid'>, waiter: Waiter | undefined): void {
    const { machine } = this.#program;
    const zxid = this.#epoch * EPOCH_STEP + ++this.#counter;
    const czxid = change.kind === 'create' ? zxid : undefined;
    const entry = new Transaction(zxid, change, { ...reply, zxid, czxid }, waiter);
    this.tree.apply(change, zxid);
    machine.storage.log.push(entry);
    machine.anchors.passed('before', 'proposal');
    const index = machine.storage.log.length;
    this.#followers.propose(entry, index);
    machine.anchors.passed('after', 'proposal');
    this.commit();
  }

  /** Commits what a majority has. */
  commit(): void {
    if (this.#program.crashed || !this.isOpen) return;
    const { quorum, machine } = this.#program;
    const committed = this.#followers.sharedBy(quorum, machine.storage.log.length);
    if (committed <= this.#committed) return;
    this.#committed = committed;
    this.#followers.commit(committed);
    this.#program.applyUpTo(committed);
    this.#runSyncs();
  }

  /** Calls `run` once everything proposed before the sync is committed. */
  sync(run: () => void): void {
    const count = this.#program.machine.storage.log.length;
    if (count <= this.#committed) run();
    else this.#syncs.push({ count, run });
  }

  sendLog(link: PeerLink, epoch: number): void {
    const copy = this.#program.machine.storage.log.slice();
    link.isLogSent = true;
    link.toFollower('log', (following) => following.receiveLog(copy, epoch));
  }

  /** Lets a follower serve clients, with what is committed. */
  invite(link: PeerLink): void {
    const committed = this.#committed;
    link.toFollower('serve', (following) => following.serve(committed));
  }

  deleteEmptyContainers(): void {
    for (const path of emptyContainers(this.tree))
      this.propose({ kind: 'delete', path }, {}, undefined);
  }

  #runSyncs(): void {
    if (this.#syncs.length === 0) return;
    const committed = this.#committed;
    const due = this.#syncs.filter(({ count }) => count <= committed);
    this.#syncs = this.#syncs.filter(({ count }) => count > committed);
    for (const { run } of due) run();
  }
}
