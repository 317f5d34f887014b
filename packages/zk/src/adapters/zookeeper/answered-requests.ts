import type { Instant } from '@holdfast/core';

interface AnsweredRequest {
  readonly sentAt: Instant;
  readonly answeredMs: number;
}

/** Which requests of a connection were answered by when. Forgets the old ones, and some that say hardly more than their neighbours. */
export class AnsweredRequests {
  #kept: AnsweredRequest[] = [];

  add(answer: AnsweredRequest, timeoutMs: number): void {
    const last = this.#kept.at(-1);
    // To know of fewer answers can only shorten what is believed.
    if (last !== undefined && answer.answeredMs - last.answeredMs < timeoutMs / 64) return;
    const oldestMs = answer.answeredMs - 2 * timeoutMs;
    this.#kept = this.#kept.filter(({ answeredMs }) => answeredMs >= oldestMs);
    this.#kept.push(answer);
  }

  before(monotonicMs: number): Instant | undefined {
    return this.#kept.findLast(({ answeredMs }) => answeredMs <= monotonicMs)?.sentAt;
  }

  clear(): void {
    this.#kept = [];
  }
}
