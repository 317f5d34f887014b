import type { Clock, Instant } from './clock.ts';

export interface LivenessOptions {
  readonly clock: Clock;
  /** T: the negotiated session timeout. */
  readonly timeoutMs: number;
  readonly isQuick: () => boolean;
  /** Since when the request at the head of the queue has been waiting for its answer. */
  readonly waitingSinceMs: () => number | undefined;
  readonly ping: () => void;
  /** Nothing was heard for 2T/3. */
  readonly dead: () => void;
}

/** `ClientCnxn` never waits longer, however long the session timeout is. */
const PING_MS_MAX = 10_000;

/**
 * Keeps the session alive by pings when nothing else is sent, and tells when the connection is dead. Instead of
 * moving a timer with every request, one timer looks at the times when it fires, and sleeps again for what is left.
 */
export class Liveness {
  readonly #options: LivenessOptions;
  readonly #silenceMs: number;
  #sentMs: number;
  #heardMs: number;
  #cancel: () => void = () => undefined;
  #wakesAtMs = Number.POSITIVE_INFINITY;
  /** The event loop may have been blocked while answers lay in the socket: it gets one turn to read them. */
  #isSecondCheck = false;
  #isStopped = false;

  constructor(options: LivenessOptions) {
    this.#options = options;
    this.#silenceMs = (options.timeoutMs * 2) / 3;
    this.#sentMs = this.#heardMs = options.clock.now().monotonicMs;
    this.#sleep();
  }

  sent(atMs: number): void {
    this.#sentMs = atMs;
  }

  /** An answer came; events of watches are none, a server sends them whether or not it hears us. */
  heard(atMs: number): void {
    this.#heardMs = atMs;
  }

  /** Looks again, after it was asked to be quick or no longer. */
  changed(): void {
    if (this.#pingAtMs() < this.#wakesAtMs) this.#sleep();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #wake(): void {
    const nowMs = this.#options.clock.now().monotonicMs;
    if (nowMs >= this.#pingAtMs()) this.#options.ping();
    if (nowMs < this.#deadAtMs()) this.#isSecondCheck = false;
    else if (this.#isSecondCheck) return this.#options.dead();
    else this.#isSecondCheck = true;
    this.#sleep();
  }

  #sleep(): void {
    if (this.#isStopped) return;
    this.#cancel();
    const nowMs = this.#options.clock.now().monotonicMs;
    this.#wakesAtMs = Math.max(nowMs, Math.min(this.#pingAtMs(), this.#deadAtMs()));
    this.#cancel = this.#options.clock.timer(this.#wakesAtMs - nowMs, () => this.#wake());
  }

  #pingAtMs(): number {
    const { timeoutMs, isQuick } = this.#options;
    return this.#sentMs + Math.min(PING_MS_MAX, timeoutMs / (isQuick() ? 6 : 3));
  }

  /** Also when pings are answered and the request at the head is not: every request must come to an end. */
  #deadAtMs(): number {
    const waitingSinceMs = this.#options.waitingSinceMs() ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#heardMs, waitingSinceMs) + this.#silenceMs;
  }
}

/** The wish for quick pings, which several may have at a time. */
export class QuickPings {
  readonly #onStart: () => void;
  #requests = 0;

  constructor(onStart: () => void) {
    this.#onStart = onStart;
  }

  get isOn(): boolean {
    return this.#requests > 0;
  }

  /** Returns its end. */
  request(): () => void {
    this.#requests++;
    this.#onStart();
    let isOver = false;
    return () => {
      if (!isOver) this.#requests--;
      isOver = true;
    };
  }
}

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
