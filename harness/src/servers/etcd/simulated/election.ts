import type { Raft } from './raft.ts';

/** What a candidate asks for. */
interface VoteRequest {
  readonly term: number;
  readonly from: number;
  readonly last: number;
  readonly lastTerm: number;
  /** A vote that changes nothing: whether the others would vote for it. */
  readonly isTrial: boolean;
}

/** One election of a candidate. First it finds out whether a majority would vote for it; only then it begins a term. */
export class Election {
  readonly #raft: Raft;
  #isTrial = true;
  #term: number;
  #granted = new Set<number>();

  constructor(raft: Raft) {
    this.#raft = raft;
    this.#term = raft.log.term + 1;
  }

  begin(): void {
    this.#ask();
  }

  #ask(): void {
    const { log, program } = this.#raft;
    const { id } = program.machine;
    this.#granted = new Set([id]);
    const { last, lastTerm } = log;
    const request = { term: this.#term, from: id, last, lastTerm, isTrial: this.#isTrial };
    program.peers.toAll('vote', ({ raft }) => answer(raft, request));
    this.#count();
  }

  voted(from: number, term: number, isTrial: boolean): void {
    if (term !== this.#term || isTrial !== this.#isTrial) return;
    this.#granted.add(from);
    this.#count();
  }

  #count(): void {
    if (this.#granted.size < this.#raft.quorum) return;
    if (!this.#isTrial) return this.#raft.lead();
    this.#isTrial = false;
    const { log, program } = this.#raft;
    log.term = this.#term;
    log.vote = program.machine.id;
    this.#ask();
  }
}

/** A server that hears its leader refuses, so that nobody who was cut off ends a good term. */
function answer(raft: Raft, { term, from, last, lastTerm, isTrial }: VoteRequest): void {
  const { log, program } = raft;
  const candidate = program.peers.named(from);
  if (candidate === undefined || raft.hearsLeader) return;
  if (term < log.term) {
    const own = log.term;
    return program.peers.to(candidate, 'outdated', (there) => there.raft.outdated(own));
  }
  if (log.isDamaged && !program.machine.ensemble.isDamaged) return;
  const isBehind = lastTerm < log.lastTerm || (lastTerm === log.lastTerm && last < log.last);
  const hasVoted = term === log.term && log.vote !== 0 && log.vote !== from;
  if (isBehind || hasVoted) return;
  if (!isTrial) raft.voteIn(term, from);
  const { id } = program.machine;
  program.peers.to(candidate, 'voted', (there) => there.raft.election?.voted(id, term, isTrial));
}
