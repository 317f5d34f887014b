import { Entry, type Proposal } from './entry.ts';
import type { Raft } from './raft.ts';

/** A follower's reply to an append. */
export interface Acknowledgement {
  readonly from: number;
  readonly term: number;
  readonly isRejected: boolean;
  /** The last entry that it shares with the leader, or may share. */
  readonly last: number;
  /** False while it lacks what it had lost. */
  readonly counts: boolean;
}

/** A follower, as its leader knows it. */
class Follower {
  /** The first entry that was not sent to it. */
  next: number;
  /** The entries that it is known to have. */
  match = 0;
  /** It was heard since the latest check for a majority. */
  isActive = false;
  /** The latest read that it consented to. */
  read = 0;

  constructor(next: number) {
    this.next = next;
  }
}

/** A read that waits until a majority has confirmed that this server still leads. */
interface PendingRead {
  readonly number: number;
  readonly index: number;
  readonly run: (index: number) => void;
}

/** One term of a leader. */
export class Leadership {
  readonly #raft: Raft;
  readonly #followers = new Map<number, Follower>();
  readonly #term: number;
  /** Its first entry. */
  readonly #first: number;
  #reads: PendingRead[] = [];
  #read = 0;
  /** Reads that wait until an entry of this term is committed. */
  #early: ((index: number) => void)[] = [];
  #isOver = false;

  constructor(raft: Raft) {
    const { log } = raft;
    this.#raft = raft;
    this.#term = log.term;
    this.#first = log.last + 1;
    log.isDamaged = false;
    for (const { id } of raft.program.peers.others) {
      this.#followers.set(id, new Follower(log.last + 1));
    }
  }

  begin(): void {
    const { settings } = this.#raft.program;
    this.append({ command: { kind: 'term' }, client: undefined, waiter: undefined });
    const { compactMs } = settings;
    if (compactMs !== undefined)
      this.#every(compactMs, () => this.#raft.program.propose({ kind: 'compact' }));
    if (this.#followers.size === 0) return;
    this.#every(settings.heartbeatMs, () => this.#beat());
    this.#every(settings.electionMs, () => this.#checkMajority());
  }

  end(): void {
    this.#isOver = true;
    this.#reads = [];
    this.#early = [];
  }

  append(proposal: Proposal): void {
    if (proposal.waiter?.isWanted() === false) return;
    const { log, program } = this.#raft;
    log.entries.push(new Entry(this.#term, proposal));
    program.machine.anchors.passed('before', 'proposal');
    for (const [id, follower] of this.#followers) this.#send(id, follower);
    program.machine.anchors.passed('after', 'proposal');
    this.#commit();
  }

  /** Calls `run` with what is committed, once a majority has confirmed that this server leads. */
  confirm(run: (index: number) => void): void {
    if (this.#raft.log.commit < this.#first) {
      this.#early.push(run);
      return;
    }
    if (this.#followers.size === 0) return run(this.#raft.log.commit);
    this.#read += 1;
    this.#reads.push({ number: this.#read, index: this.#raft.log.commit, run });
    this.#beat();
  }

  acknowledged({ from, term, isRejected, last, counts }: Acknowledgement): void {
    const follower = this.#heard(from, term);
    if (follower === undefined) return;
    if (isRejected) {
      follower.next = last + 1;
      follower.match = Math.min(follower.match, last);
      return this.#send(from, follower);
    }
    follower.match = counts ? Math.max(follower.match, last) : 0;
    follower.next = Math.max(follower.next, last + 1);
    if (last < this.#raft.log.last && follower.next <= this.#raft.log.last)
      this.#send(from, follower);
    this.#commit();
  }

  isAlive(
    from: number,
    term: number,
    { read, last }: { readonly read: number; readonly last: number },
  ): void {
    const follower = this.#heard(from, term);
    if (follower === undefined) return;
    follower.match = Math.min(follower.match, last);
    // What was lost, with a connection or a disk, is sent again.
    if (follower.match < this.#raft.log.last) {
      follower.next = follower.match + 1;
      this.#send(from, follower);
    }
    if (read <= follower.read) return;
    follower.read = read;
    this.#runReads();
  }

  #heard(from: number, term: number): Follower | undefined {
    if (this.#isOver || term !== this.#term) return undefined;
    const follower = this.#followers.get(from);
    if (follower !== undefined) follower.isActive = true;
    return follower;
  }

  #send(id: number, follower: Follower): void {
    const { log, program } = this.#raft;
    const member = program.peers.named(id);
    if (member === undefined) return;
    const previous = follower.next - 1;
    const append = {
      term: this.#term,
      leader: program.machine.id,
      previous,
      previousTerm: log.termAt(previous),
      entries: log.entries.slice(previous),
      commit: log.commit,
    };
    follower.next = log.last + 1;
    program.peers.to(member, 'append', ({ raft }) => raft.appended(append));
  }

  #beat(): void {
    const { log, program } = this.#raft;
    const term = this.#term;
    const leader = program.machine.id;
    const read = this.#read;
    for (const [id, { match }] of this.#followers) {
      const member = program.peers.named(id);
      const beat = { term, leader, commit: Math.min(match, log.commit), read };
      if (member !== undefined)
        program.peers.to(member, 'heartbeat', ({ raft }) => raft.heartbeat(beat));
    }
  }

  /** A leader that has not heard of a majority for an election timeout leads no more. */
  #checkMajority(): void {
    let active = 1;
    for (const follower of this.#followers.values()) {
      if (follower.isActive) active += 1;
      follower.isActive = false;
    }
    if (active < this.#raft.quorum) this.#raft.follow();
  }

  /** Commits what a majority has, if it is of this term: with it everything before. */
  #commit(): void {
    const { log, program, quorum } = this.#raft;
    if (this.#isOver || program.crashed) return;
    const matches = [log.last, ...Array.from(this.#followers.values(), ({ match }) => match)];
    const shared = matches.toSorted((a, b) => b - a)[quorum - 1] ?? 0;
    if (shared <= log.commit || log.termAt(shared) !== this.#term) return;
    log.commit = shared;
    program.committed();
    for (const [id, follower] of this.#followers) this.#send(id, follower);
    for (const run of this.#early.splice(0)) this.confirm(run);
  }

  #runReads(): void {
    const numbers = [this.#read, ...Array.from(this.#followers.values(), ({ read }) => read)];
    const confirmed = numbers.toSorted((a, b) => b - a)[this.#raft.quorum - 1] ?? 0;
    const due = this.#reads.filter(({ number }) => number <= confirmed);
    if (due.length === 0) return;
    this.#reads = this.#reads.filter(({ number }) => number > confirmed);
    for (const { run, index } of due) run(index);
  }

  #every(ms: number, run: () => void): void {
    const { program } = this.#raft;
    const again = (): void => {
      if (this.#isOver) return;
      run();
      if (!this.#isOver) this.#every(ms, run);
    };
    program.after(ms, again, program.disk);
  }
}
