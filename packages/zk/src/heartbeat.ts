import type { Instant, Runtime } from '@holdfast/core';
import type { LeaderAnswers } from './leader-answers.ts';
import type { ZooKeeperSession } from './port.ts';
import { dueInMs, isWarm } from './validity.ts';

export interface HeartbeatParts {
  readonly session: ZooKeeperSession;
  readonly answers: LeaderAnswers;
  readonly runtime: Runtime;
  /** Asks the leader something. */
  readonly ask: () => Promise<void>;
}

/**
 * Asks the leader something every T/6 while anything is held or waited for, and for 2 T after: what a proof of life is
 * worth goes by how recently the leader answered. Says nothing where a write has just asked it, or after that time.
 * Keeps no process alive.
 */
export class Heartbeat {
  readonly #parts: HeartbeatParts;
  #needs = 0;
  #neededLast: Instant;
  #cancel: (() => void) | undefined;
  #isAsking = false;
  #isOver = false;

  constructor(parts: HeartbeatParts) {
    this.#parts = parts;
    this.#neededLast = parts.runtime.now();
  }

  /** Beats until the returned function is called, and a while longer; several may ask at a time. */
  need(): () => void {
    this.#needs += 1;
    if (this.#cancel === undefined) this.#arm(dueInMs(0, this.#parts.session.timeoutMs));
    let isNeeded = true;
    return () => {
      if (!isNeeded) return;
      isNeeded = false;
      this.#needs -= 1;
      this.#neededLast = this.#parts.runtime.now();
    };
  }

  /** For good. */
  stop(): void {
    this.#isOver = true;
    this.#cancel?.();
  }

  #arm(ms: number): void {
    if (!this.#isOver) this.#cancel = this.#parts.runtime.timer(ms, () => this.#beat());
  }

  #beat(): void {
    this.#cancel = undefined;
    if (!this.#isNeeded) return;
    const { answers, runtime, session } = this.#parts;
    const { timeoutMs } = session;
    const ageMs = answers.latest === undefined ? timeoutMs : runtime.elapsedMs(answers.latest);
    const inMs = dueInMs(ageMs, timeoutMs);
    if (inMs === 0) this.#ask();
    this.#arm(inMs === 0 ? dueInMs(0, timeoutMs) : inMs);
  }

  get #isNeeded(): boolean {
    const { runtime, session } = this.#parts;
    return this.#needs > 0 || isWarm(runtime.elapsedMs(this.#neededLast), session.timeoutMs);
  }

  /** One at a time: a server that does not answer would only get more to answer late. */
  #ask(): void {
    if (this.#isAsking || this.#parts.session.state !== 'connected') return;
    this.#isAsking = true;
    const done = (): void => {
      this.#isAsking = false;
    };
    this.#parts.ask().then(done, done);
  }
}
