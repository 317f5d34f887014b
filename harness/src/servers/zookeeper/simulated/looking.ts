import type { PeerLink } from './peer-link.ts';
import type { Program } from './program.ts';
import type { EnsembleMember, Role } from './server-context.ts';
import type { ServerSession } from './session.ts';

/** The history of a server that is looking for a leader. */
interface Vote {
  readonly id: number;
  readonly epoch: number;
  readonly zxid: number;
}

/** A server that follows while the election is not decided, with its history. */
export interface PendingFollower {
  readonly link: PeerLink;
  readonly epoch: number;
  readonly zxid: number;
}

/**
 * A simplified election. Every looking server sends its history to the others. Once a majority is known to look and
 * votes had time to arrive, the server with the longest history leads and the others follow it. Votes may be old, so
 * the leader checks each follower's history again when it connects.
 */
export class Looking implements Role {
  readonly name = 'looking';
  readonly isServing = false;
  readonly tracked = 0;
  readonly #program: Program;
  readonly #votes = new Map<number, Vote>();
  /** Servers that follow this one before it knows that it leads. */
  #pending: PendingFollower[] = [];
  #hasCollected = false;
  #requestedUs = 0;

  constructor(program: Program) {
    this.#program = program;
  }

  /**
   * A server whose earlier elections failed requests votes later. Otherwise two servers that cannot lead could request
   * each other's votes without end.
   */
  begin(waitMs: number): void {
    if (waitMs === 0) this.#requestVotes();
    else this.#program.after(waitMs, () => this.#requestVotesIfLooking());
    this.#program.after(this.#program.settings.electionMs, () => {
      this.#hasCollected = true;
      this.#decide();
    });
  }

  receiveVote(vote: Vote, from: EnsembleMember, isReply: boolean): void {
    this.#votes.set(vote.id, vote);
    if (!isReply) this.#sendVote(from, true);
    this.#decide();
  }

  /** A leader replied to a vote. */
  invited(leader: EnsembleMember): void {
    this.#program.follow(leader);
  }

  acceptFollower(link: PeerLink, epoch: number, zxid: number): void {
    this.#pending.push({ link, epoch, zxid });
  }

  /** Clients try to connect. Requests votes again, because earlier votes may have been lost. */
  wake(): void {
    if (this.#program.monotonicUs - this.#requestedUs >= this.#program.connectTimeoutMs * 1000)
      this.#requestVotes();
  }

  /** Returns the waiting followers, so that they are handed to the new leader instead of being disconnected. */
  takePending(): readonly PendingFollower[] {
    const pending = this.#pending;
    this.#pending = [];
    return pending;
  }

  end(): void {
    for (const { link } of this.#pending) link.closeAtLeader();
  }

  // A looking server serves no client.
  touch(): void {}
  submit(): void {}
  open(): void {}
  revalidate(_session: ServerSession, _told: (lives: boolean) => void): void {}

  get #own(): Vote {
    const { id, storage } = this.#program.machine;
    return { id, epoch: storage.epoch, zxid: storage.lastZxid };
  }

  #requestVotesIfLooking(): void {
    if (this.#program.role === this) this.#requestVotes();
  }

  #requestVotes(): void {
    this.#requestedUs = this.#program.monotonicUs;
    for (const member of this.#program.others) this.#sendVote(member, false);
  }

  #sendVote(to: EnsembleMember, isReply: boolean): void {
    const vote = this.#own;
    const from = this.#program.self;
    this.#program.send('vote', to, (there) => there.receiveVote(vote, from, isReply));
  }

  #decide(): void {
    if (!this.#hasCollected || this.#program.role !== this) return;
    if (this.#votes.size + 1 < this.#program.quorum) return;
    let best = this.#own;
    for (const vote of this.#votes.values()) if (isBetter(vote, best)) best = vote;
    const leader = this.#program.others.find(({ id }) => id === best.id);
    if (leader === undefined) this.#program.lead(this.takePending());
    else this.#program.follow(leader);
  }
}

function isBetter(a: Vote, b: Vote): boolean {
  if (a.epoch !== b.epoch) return a.epoch > b.epoch;
  return a.zxid === b.zxid ? a.id > b.id : a.zxid > b.zxid;
}
