import type { PeerLink } from './peer-link.ts';
import type { Program } from './program.ts';
import type { Member, Role } from './server-context.ts';
import type { ServerSession } from './session.ts';

/** What a server that looks for a leader has, and says. */
interface Vote {
  readonly id: number;
  readonly epoch: number;
  readonly zxid: number;
}

/**
 * An election, in short: everybody who looks tells the others what it has; once a majority is known to look, and votes
 * have had their time to come in, the one with most follows nobody and the others follow it. That its followers really
 * have no more than a leader is checked again when they come, because votes may be old.
 */
export class Looking implements Role {
  readonly name = 'looking';
  readonly isServing = false;
  readonly tracked = 0;
  readonly #program: Program;
  readonly #votes = new Map<number, Vote>();
  /** Those who want this server to lead, before it knows. */
  #suitors: { link: PeerLink; epoch: number; zxid: number }[] = [];
  #isTime = false;
  #askedUs = 0;

  constructor(program: Program) {
    this.#program = program;
  }

  /** Who has looked in vain asks later, lest two who cannot have each other ask for ever. */
  begin(waitMs: number): void {
    if (waitMs === 0) this.#ask();
    else this.#program.after(waitMs, () => this.#askOnce());
    this.#program.after(this.#program.settings.electionMs, () => {
      this.#isTime = true;
      this.#decide();
    });
  }

  voted(vote: Vote, from: Member, isAnswer: boolean): void {
    this.#votes.set(vote.id, vote);
    if (!isAnswer) this.#tell(from, true);
    this.#decide();
  }

  /** A leader was found: it answered a vote. */
  invited(leader: Member): void {
    this.#program.follow(leader);
  }

  welcome(link: PeerLink, epoch: number, zxid: number): void {
    this.#suitors.push({ link, epoch, zxid });
  }

  /** Clients knock: worth asking again, should what was said before have been lost. */
  wake(): void {
    if (this.#program.monotonicUs - this.#askedUs >= this.#program.patienceMs * 1000) this.#ask();
  }

  /** Takes those along who wait for this server to lead; turned away by any other role. */
  hand(): readonly { link: PeerLink; epoch: number; zxid: number }[] {
    const suitors = this.#suitors;
    this.#suitors = [];
    return suitors;
  }

  end(): void {
    for (const { link } of this.#suitors) link.endAbove();
  }

  // Nobody is served meanwhile.
  touch(): void {}
  submit(): void {}
  open(): void {}
  revalidate(_session: ServerSession, _told: (lives: boolean) => void): void {}

  get #own(): Vote {
    const { id, storage } = this.#program.machine;
    return { id, epoch: storage.epoch, zxid: storage.lastZxid };
  }

  #askOnce(): void {
    if (this.#program.role === this) this.#ask();
  }

  #ask(): void {
    this.#askedUs = this.#program.monotonicUs;
    for (const member of this.#program.others) this.#tell(member, false);
  }

  #tell(to: Member, isAnswer: boolean): void {
    const vote = this.#own;
    const from = this.#program.self;
    this.#program.send('vote', to, (there) => there.heardVote(vote, from, isAnswer));
  }

  #decide(): void {
    if (!this.#isTime || this.#program.role !== this) return;
    if (this.#votes.size + 1 < this.#program.quorum) return;
    let best = this.#own;
    for (const vote of this.#votes.values()) if (isBetter(vote, best)) best = vote;
    const leader = this.#program.others.find(({ id }) => id === best.id);
    if (leader === undefined) this.#program.lead(this.hand());
    else this.#program.follow(leader);
  }
}

function isBetter(a: Vote, b: Vote): boolean {
  if (a.epoch !== b.epoch) return a.epoch > b.epoch;
  return a.zxid === b.zxid ? a.id > b.id : a.zxid > b.zxid;
}
