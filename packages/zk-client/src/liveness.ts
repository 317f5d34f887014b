import type { Clock, Instant } from './clock.ts';

export interface LivenessOptions {
  readonly clock: Clock;
  /** T: the negotiated session timeout. */
  readonly timeoutMs: number;
  readonly isQuick: () => boolean;
  /** The time since which the oldest request has been waiting for its reply. */
  readonly waitingSinceMs: () => number | undefined;
  readonly ping: () => void;
  /** Called after 2T/3 without a reply. */
  readonly dead: () => void;
}

/** The longest interval of pings, however long the session timeout is; as in `ClientCnxn`. */
const PING_MS_MAX = 10_000;

/**
 * Keeps the session alive by pings when nothing else is sent, and reports a dead connection. Instead of moving a timer
 * with every request, one timer checks the times when it fires, and sleeps again for the rest.
 */
export class Liveness {
  readonly #options: LivenessOptions;
  readonly #silenceMs: number;
  #sentMs: number;
  #heardMs: number;
  #cancel: () => void = () => undefined;
  #wakesAtMs = Number.POSITIVE_INFINITY;
  /** The event loop may have been blocked while replies were in the socket: it gets one turn to read them. */
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

  /** A reply came. Watch events do not count: a server sends them even if it receives nothing from the client. */
  heard(atMs: number): void {
    this.#heardMs = atMs;
  }

  /** Recomputes the next ping, after quick pings were turned on or off. */
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

  /** The connection is also dead if pings are answered and the oldest request is not: every request must settle. */
  #deadAtMs(): number {
    const waitingSinceMs = this.#options.waitingSinceMs() ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#heardMs, waitingSinceMs) + this.#silenceMs;
  }
}

/** Counts the callers that need quick pings. */
export class QuickPings {
  readonly #onStart: () => void;
  #requests = 0;

  constructor(onStart: () => void) {
    this.#onStart = onStart;
  }

  get isOn(): boolean {
    return this.#requests > 0;
  }

  /** Returns the end of the request. */
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
 * The send times of the requests of one connection, by the times of their replies. Of replies within a 128th of `keptMs`
 * one may be left out: the result was then true that little earlier. It is never later than the truth.
 */
export class AnsweredLog {
  readonly #resolutionMs: number;
  readonly #keptMs: number;
  /** Sorted by both times: a server replies in the order of the requests. */
  #replies: AnsweredRequest[] = [];

  constructor(keptMs: number) {
    this.#keptMs = keptMs;
    this.#resolutionMs = keptMs / 128;
  }

  add(sentAt: Instant, answeredMs: number): void {
    const replies = this.#replies;
    const newest = replies.at(-1);
    // Pings are answered apart from requests: an older one may be answered later, and adds nothing.
    if (newest !== undefined && sentAt.monotonicMs <= newest.sentAt.monotonicMs) return;
    const before = replies.at(-2);
    const reply = { sentAt, answeredMs };
    if (before !== undefined && answeredMs - before.answeredMs < this.#resolutionMs) {
      replies[replies.length - 1] = reply;
    } else {
      replies.push(reply);
      this.#forget(answeredMs - this.#keptMs);
    }
  }

  /** The send time of the latest request that was answered by `monotonicMs`. */
  answeredBefore(monotonicMs: number): Instant | undefined {
    return this.#replies.findLast(({ answeredMs }) => answeredMs <= monotonicMs)?.sentAt;
  }

  /** Keeps one earlier reply, which is the result for the first moments that are kept. */
  #forget(beforeMs: number): void {
    const first = this.#replies.findIndex(({ answeredMs }) => answeredMs > beforeMs);
    if (first > 1) this.#replies = this.#replies.slice(first - 1);
  }
}
