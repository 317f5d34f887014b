import type { Instant } from './clock.ts';

interface AnsweredRequest {
  readonly sentAt: Instant;
  readonly answeredMs: number;
}

/**
 * Which requests of one connection were answered by when. Of answers that came within a 128th of `keptMs` one may be
 * left out: what is told then was true that little earlier. It never tells of a request that left later than the truth.
 */
export class AnsweredLog {
  readonly #resolutionMs: number;
  readonly #keptMs: number;
  /** In order of both times: a server answers in the order of the requests. */
  #answers: AnsweredRequest[] = [];

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
    this.#resolutionMs = keptMs / 128;
  }

  add(sentAt: Instant, answeredMs: number): void {
    const answers = this.#answers;
    const newest = answers.at(-1);
    // Pings are answered apart from requests: an older one may be answered later, and tells nothing new.
    if (newest !== undefined && sentAt.monotonicMs <= newest.sentAt.monotonicMs) return;
    const before = answers.at(-2);
    const answer = { sentAt, answeredMs };
    if (before !== undefined && answeredMs - before.answeredMs < this.#resolutionMs) {
      answers[answers.length - 1] = answer;
    } else {
      answers.push(answer);
      this.#forget(answeredMs - this.#keptMs);
    }
  }

  /** When the latest request left whose answer was here by `monotonicMs`. */
  answeredBefore(monotonicMs: number): Instant | undefined {
    return this.#answers.findLast(({ answeredMs }) => answeredMs <= monotonicMs)?.sentAt;
  }

  /** Keeps one from before, which is the answer for the first moments that are kept. */
  #forget(beforeMs: number): void {
    const first = this.#answers.findIndex(({ answeredMs }) => answeredMs > beforeMs);
    if (first > 1) this.#answers = this.#answers.slice(first - 1);
  }
}
