import type { Random } from '../../../sim/random.ts';
import type { Raft } from './raft.ts';

/** How long a server has heard no leader, and when it has been silent for too long. */
export class LeaderWatch {
  readonly #raft: Raft;
  readonly #random: Random;
  /** For the silence after an election that failed: drawn apart, so that no schedule changes in which none does. */
  readonly #again: Random;
  #heardUs: number;
  /** The silence after which it starts an election; drawn anew each time. */
  #patienceMs = 0;
  #isRunning = false;

  constructor(raft: Raft, random: Random, again: Random) {
    this.#raft = raft;
    this.#random = random;
    this.#again = again;
    this.#heardUs = raft.program.monotonicUs;
  }

  get silentUs(): number {
    return this.#raft.program.monotonicUs - this.#heardUs;
  }

  heard(): void {
    this.#heardUs = this.#raft.program.monotonicUs;
  }

  /** One timer for the end of the allowed silence; it is set again if a leader was heard meanwhile. */
  begin(): void {
    this.#draw(this.#random);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#watchFor(this.#patienceMs);
  }

  #draw(random: Random): void {
    const { electionMs } = this.#raft.program.settings;
    this.#patienceMs = electionMs + random.below(electionMs);
  }

  #watchFor(ms: number): void {
    const { program } = this.#raft;
    program.after(ms, () => this.#checkSilence(), program.disk);
  }

  #checkSilence(): void {
    if (this.#raft.leads) {
      this.#isRunning = false;
      return;
    }
    const leftMs = this.#patienceMs - this.silentUs / 1_000;
    if (leftMs > 0) return this.#watchFor(leftMs);
    this.#raft.campaign();
    this.heard();
    // Two that are equally patient would ask at the same moment again, and refuse each other for good.
    this.#draw(this.#again);
    this.#watchFor(this.#patienceMs);
  }
}
