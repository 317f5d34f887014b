import { EtcdReplyError, type Header } from '@holdfast/etcd/port';
import type { EventOwner } from '../../../sim/event-queue.ts';
import { toUs } from '../../../sim/kernel.ts';
import { ClientConnections } from './client-connections.ts';
import type { EnsembleSettings, MachineContext } from './context.ts';
import { DISK_MS, Disk } from './disk.ts';
import type { Command, Entry, EntryResult, EntryWaiter } from './entry.ts';
import { Lessor } from './lessor.ts';
import { Peers } from './peers.ts';
import { Raft } from './raft.ts';
import { EtcdStore } from './store.ts';

/** A read that waits until this server has applied what it has to see. */
interface WaitingRead {
  readonly index: number;
  readonly run: () => void;
}

/** One run of a server, from start to end: its part in Raft, its applied state, its leases and clients. */
export class Program implements EventOwner {
  readonly machine: MachineContext;
  readonly peers: Peers;
  readonly raft: Raft;
  readonly lessor: Lessor;
  readonly clients: ClientConnections;
  store: EtcdStore;
  readyAtUs = 0;
  /** The part of it that writes the log, and so Raft. */
  readonly disk: Disk = new Disk(this);
  crashed = false;
  /** The time that it takes to apply committed entries. */
  lagMs: number;
  #applied = 0;
  /** Of the latest entry that it has applied. */
  #term = 0;
  #reads: WaitingRead[] = [];
  #leader = 0;
  #changes = 0;

  constructor(machine: MachineContext, run: number) {
    this.machine = machine;
    this.lagMs = machine.ensemble.settings.lagMs;
    this.store = new EtcdStore(machine.ensemble.settings.firstRevision);
    this.peers = new Peers(this);
    this.raft = new Raft(this, run);
    this.lessor = new Lessor(this);
    this.clients = new ClientConnections(this);
    this.#restore(machine.log.commit);
  }

  get settings(): EnsembleSettings {
    return this.machine.ensemble.settings;
  }

  get quorum(): number {
    return this.machine.ensemble.quorum;
  }

  get monotonicUs(): number {
    return this.machine.clock.monotonicUs(this.machine.kernel.nowUs);
  }

  /** A server that was stopped at an anchor sends when it resumes. */
  get departUs(): number {
    return Math.max(this.machine.kernel.nowUs, this.readyAtUs);
  }

  get header(): Header {
    const memberId = BigInt(this.machine.id);
    return { memberId, revision: this.store.revision, raftTerm: BigInt(this.#term) };
  }

  /** It is paused, and its disk for a little longer. */
  pauseUntil(atUs: number): void {
    this.readyAtUs = Math.max(this.readyAtUs, atUs);
    this.disk.stallUntil(atUs + toUs(DISK_MS));
  }

  /** Runs it now, or behind all that waits for the disk. */
  withDisk(run: () => void): void {
    const { kernel } = this.machine;
    if (this.disk.readyAtUs <= kernel.nowUs) return run();
    const act = (): boolean => {
      run();
      return false;
    };
    kernel.schedule(kernel.nowUs, act, { owner: this.disk });
  }

  after(ms: number, run: () => void, owner: EventOwner = this): void {
    const { kernel, clock } = this.machine;
    const act = (): boolean => {
      run();
      return false;
    };
    const atUs = clock.whenMonotonic(this.monotonicUs + toUs(ms), kernel.nowUs);
    kernel.schedule(atUs, act, { owner });
  }

  note(kind: string, label?: string): void {
    this.machine.kernel.record(this.machine.name, kind, label);
  }

  // Requests

  /** Proposes on this server's own behalf. */
  propose(command: Command, applied?: () => void): void {
    const waiter: EntryWaiter | undefined = applied && {
      origin: this,
      isWanted: () => true,
      applied,
    };
    this.withDisk(() => this.raft.propose({ command, client: undefined, waiter }));
  }

  /** Calls `run` once this server has applied all that was committed when the call began. */
  linearizable(isWanted: () => boolean, run: () => void): void {
    const seen = (index: number): void => {
      if (index <= this.#applied) run();
      else this.#reads.push({ index, run });
    };
    this.withDisk(() => this.raft.readIndex(isWanted, seen));
  }

  /** Calls `run` if a majority confirms that this server leads. */
  confirmLeadership(run: () => void): void {
    this.withDisk(() => {
      const { leadership } = this.raft;
      leadership?.confirm(() => {
        if (this.raft.leadership === leadership) run();
      });
    });
  }

  // What Raft tells

  /** More entries are committed. */
  committed(): void {
    const { commit } = this.machine.log;
    if (this.lagMs === 0 || this.raft.leads) return this.#applyUpTo(commit);
    const { kernel } = this.machine;
    const { cause } = kernel;
    const apply = (): boolean => {
      this.#applyUpTo(commit);
      return false;
    };
    kernel.schedule(kernel.nowUs + toUs(this.lagMs), apply, { owner: this.disk, cause });
  }

  /** It leads no more, follows another server, or looks for one. */
  leaderChanged(): void {
    if (!this.raft.leads && this.lessor.leads) this.lessor.demote();
    if (this.raft.leader === this.#leader) return;
    this.#leader = this.raft.leader;
    this.#changes += 1;
    const changes = this.#changes;
    if (this.raft.leader !== 0 || this.store.watches === 0) return;
    this.after(WATCHES_WITHOUT_LEADER * this.settings.electionMs, () => {
      if (this.#changes === changes) this.clients.endWatches();
    });
  }

  /** The log differs beyond `count` entries from what it was. */
  forgetBeyond(count: number): void {
    if (this.#applied <= count) return;
    this.clients.endWatches();
    this.#restore(count);
    this.machine.ensemble.observer?.replaced(this);
  }

  end(): void {
    this.crashed = true;
    this.raft.end();
    this.lessor.demote();
    this.clients.abort('the server crashed');
    this.machine.ensemble.observer?.replaced(this);
  }

  // Applied state

  #applyUpTo(count: number): void {
    const { entries } = this.machine.log;
    while (this.#applied < count) {
      const entry = entries[this.#applied];
      if (entry === undefined) return;
      this.#applied += 1;
      this.#apply(entry);
    }
    this.#runReads();
  }

  #apply(entry: Entry): void {
    const { command, waiter } = entry;
    const result = this.#run(entry);
    if (command.kind === 'grant' && !(result instanceof EtcdReplyError))
      this.lessor.granted(command.id);
    else if (command.kind === 'revoke') this.lessor.revoked(command.id);
    this.machine.ensemble.observer?.applied(this, entry, result);
    if (command.kind === 'term' && entry.term === this.machine.log.term && this.raft.leads) {
      this.machine.ensemble.observer?.leads(this);
      this.lessor.promote();
    }
    if (waiter?.origin === this) waiter.applied(result);
  }

  #run({ command, term }: Entry): EntryResult {
    this.#term = term;
    try {
      return this.store.apply(command);
    } catch (cause) {
      if (cause instanceof EtcdReplyError) return cause;
      throw cause;
    }
  }

  /** The state after `count` entries, as a server has it that starts. */
  #restore(count: number): void {
    this.store = new EtcdStore(this.settings.firstRevision);
    this.#term = 0;
    this.#applied = count;
    for (const entry of this.machine.log.entries.slice(0, count)) this.#run(entry);
  }

  #runReads(): void {
    if (this.#reads.length === 0) return;
    const due = this.#reads.filter(({ index }) => index <= this.#applied);
    this.#reads = this.#reads.filter(({ index }) => index > this.#applied);
    for (const { run } of due) run();
  }
}

/** Election timeouts without a leader after which a server ends the watches that ask for one. */
const WATCHES_WITHOUT_LEADER = 3;
