import { toUs } from '../../../sim/kernel.ts';
import { random } from '../../../sim/random.ts';
import type { DurableLog } from './durable-log.ts';
import { Election } from './election.ts';
import type { Append, Heartbeat, Proposal } from './entry.ts';
import { LeaderWatch } from './leader-watch.ts';
import { type Acknowledgement, Leadership } from './leadership.ts';
import type { Program } from './program.ts';

/** A server without a leader tries so often whether a request can go on. */
const RETRY_MS = 500;

/**
 * Raft as etcd runs it, with pre-votes, and leaders that step down without a majority: the part of one server. A server
 * that has lost data neither votes nor counts until a leader has sent it everything, as after its removal and return.
 */
export class Raft {
  readonly program: Program;
  readonly log: DurableLog;
  /** The server that it believes to lead; 0: none. */
  leader = 0;
  leadership: Leadership | undefined;
  election: Election | undefined;
  readonly #watch: LeaderWatch;
  #waiting: (() => void)[] = [];

  constructor(program: Program, run: number) {
    const { machine } = program;
    this.program = program;
    this.log = machine.log;
    const seed = `${machine.name}/${run}/${machine.ensemble.settings.luck}`;
    this.#watch = new LeaderWatch(this, random(seed), random(`${seed}/again`));
  }

  /** Begins after a start: waits for a leader. One server alone needs none. */
  begin(): void {
    if (this.program.quorum === 1) this.campaign();
    else this.#becomeFollower(this.log.term, 0);
  }

  /** Begins in a world in which this leader has been elected. */
  beginInTerm(term: number, leader: number): void {
    this.log.term = term;
    if (leader === this.program.machine.id) this.lead();
    else this.#becomeFollower(term, leader);
  }

  get leads(): boolean {
    return this.leadership !== undefined;
  }

  get quorum(): number {
    return this.program.quorum;
  }

  // Requests

  /** Appends, or forwards to the leader, or waits until there is one. It may be lost with the leader. */
  propose(proposal: Proposal): void {
    if (this.leadership !== undefined) return this.leadership.append(proposal);
    const leader = this.program.peers.named(this.leader);
    if (leader !== undefined) {
      return this.program.peers.to(leader, 'propose', ({ raft }) => raft.propose(proposal));
    }
    this.#waiting.push(() => {
      if (proposal.waiter?.isWanted() !== false) this.propose(proposal);
    });
  }

  /** Calls `run` with the index that a linearizable read has to see; asks again while `isWanted`. */
  readIndex(isWanted: () => boolean, run: (index: number) => void): void {
    let isDone = false;
    const done = (index: number): void => {
      if (isDone) return;
      isDone = true;
      run(index);
    };
    const ask = (): void => {
      if (isDone || !isWanted()) return;
      this.#askForIndex(done);
      this.program.after(RETRY_MS, ask, this.program.disk);
    };
    ask();
  }

  #askForIndex(done: (index: number) => void): void {
    if (this.leadership !== undefined) return this.leadership.confirm(done);
    const leader = this.program.peers.named(this.leader);
    if (leader === undefined) return;
    const { machine, peers } = this.program;
    peers.to(leader, 'readIndex', (there) => {
      const asker = there.peers.named(machine.id);
      if (asker === undefined) return;
      there.raft.leadership?.confirm((index) =>
        there.peers.to(asker, 'readIndex', () => done(index)),
      );
    });
  }

  // Messages

  appended(append: Append): void {
    if (!this.#heardLeader(append)) return;
    const { previous, previousTerm, entries, commit } = append;
    const { log } = this;
    if (previous > log.last || log.termAt(previous) !== previousTerm) {
      // All that may differ is not committed.
      return this.#acknowledge({ isRejected: true, last: Math.min(log.last, previous - 1) });
    }
    this.program.forgetBeyond(log.write(previous, entries));
    const last = previous + entries.length;
    // A leader sends all that it has: nothing is missing any more.
    log.isDamaged = false;
    this.#commit(Math.min(commit, last));
    this.#acknowledge({ isRejected: false, last });
  }

  heartbeat(beat: Heartbeat): void {
    if (!this.#heardLeader(beat)) return;
    this.#commit(Math.min(beat.commit, this.log.last));
    const { id } = this.program.machine;
    const { term, read } = beat;
    const { last } = this.log;
    this.#toLeader('alive', (leadership) => leadership.isAlive(id, term, { read, last }));
  }

  /** A reply of a later term. */
  outdated(term: number): void {
    if (term > this.log.term) this.#becomeFollower(term, 0);
  }

  /** True if a leader was heard within an election timeout: then votes are refused. */
  get hearsLeader(): boolean {
    if (this.leads) return true;
    return this.leader !== 0 && this.#watch.silentUs < toUs(this.program.settings.electionMs);
  }

  // Roles

  /** Steps down, or gives up an election. */
  follow(): void {
    this.#becomeFollower(this.log.term, 0);
  }

  lead(): void {
    this.election = undefined;
    this.leader = this.program.machine.id;
    this.program.note('lead', `${this.log.term}`);
    this.program.leaderChanged();
    this.leadership = new Leadership(this);
    this.leadership.begin();
    this.#flush();
  }

  /** Votes for a candidate of this term. */
  voteIn(term: number, candidate: number): void {
    if (term > this.log.term) this.#becomeFollower(term, 0);
    this.log.vote = candidate;
    this.#watch.heard();
  }

  end(): void {
    this.leadership?.end();
    this.leadership = undefined;
    this.election = undefined;
    this.#waiting = [];
  }

  #heardLeader({ term, leader }: Pick<Append, 'term' | 'leader'>): boolean {
    if (term < this.log.term) {
      const former = this.program.peers.named(leader);
      const own = this.log.term;
      if (former !== undefined)
        this.program.peers.to(former, 'outdated', ({ raft }) => raft.outdated(own));
      return false;
    }
    if (term > this.log.term || this.leader !== leader) this.#becomeFollower(term, leader);
    this.#watch.heard();
    return true;
  }

  #acknowledge({ isRejected, last }: Pick<Acknowledgement, 'isRejected' | 'last'>): void {
    const { id } = this.program.machine;
    const { term } = this.log;
    const counts = !this.log.isDamaged;
    this.#toLeader('ack', (leadership) =>
      leadership.acknowledged({ from: id, term, isRejected, last, counts }),
    );
  }

  #toLeader(label: string, run: (leadership: Leadership) => void): void {
    const leader = this.program.peers.named(this.leader);
    if (leader === undefined) return;
    this.program.peers.to(leader, label, ({ raft }) => {
      if (raft.leadership !== undefined) run(raft.leadership);
    });
  }

  #commit(index: number): void {
    if (index <= this.log.commit) return;
    this.log.commit = index;
    this.program.committed();
  }

  #becomeFollower(term: number, leader: number): void {
    const { log, program } = this;
    if (term > log.term) {
      log.term = term;
      log.vote = 0;
    }
    const led = this.leadership;
    this.leadership = undefined;
    this.election = undefined;
    this.leader = leader;
    led?.end();
    if (led !== undefined) program.note('follow', `${leader}`);
    program.leaderChanged();
    this.#watch.heard();
    this.#watch.begin();
    if (leader !== 0) this.#flush();
  }

  /** Requests that waited for a leader go on. */
  #flush(): void {
    for (const run of this.#waiting.splice(0)) run();
  }

  /** Asks the others for their votes. */
  campaign(): void {
    const { log, program } = this;
    this.leader = 0;
    program.leaderChanged();
    if (log.isDamaged && !program.machine.ensemble.isDamaged) return;
    this.election = new Election(this);
    this.election.begin();
  }
}
