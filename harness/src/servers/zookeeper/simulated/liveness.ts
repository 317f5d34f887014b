import type { SimProcess } from '../../../sim/process.ts';

export interface LivenessParts {
  readonly process: SimProcess;
  /** T: the negotiated session timeout. */
  readonly timeoutMs: number;
  /** Since when the oldest request has been waiting for its answer. */
  readonly waitingSinceMs: () => number | undefined;
  readonly ping: () => void;
  /** Nothing was heard for 2T/3. */
  readonly dead: () => void;
}

/**
 * Pings when nothing else is sent, and tells when a connection is dead, as the real client does. One timer looks at the
 * times when it fires, so that requests cost nothing here.
 */
export class Liveness {
  readonly #parts: LivenessParts;
  #sentMs: number;
  #heardMs: number;
  #cancel: () => void = () => {};
  /** Answers may lie in the socket of a process that stood still: it gets one turn to read them. */
  #isSecondLook = false;

  constructor(parts: LivenessParts) {
    this.#parts = parts;
    this.#sentMs = this.#heardMs = this.#nowMs;
    this.#sleep();
  }

  sent(atMs: number): void {
    this.#sentMs = atMs;
  }

  heard(atMs: number): void {
    this.#heardMs = atMs;
  }

  stop(): void {
    this.#cancel();
  }

  #wake(): void {
    const nowMs = this.#nowMs;
    if (nowMs >= this.#pingAtMs) this.#parts.ping();
    if (nowMs < this.#deadAtMs) this.#isSecondLook = false;
    else if (this.#isSecondLook) return this.#parts.dead();
    else this.#isSecondLook = true;
    this.#sleep();
  }

  #sleep(): void {
    this.#cancel();
    const nowMs = this.#nowMs;
    const wakesAtMs = Math.max(nowMs, Math.min(this.#pingAtMs, this.#deadAtMs));
    const { runtime } = this.#parts.process;
    this.#cancel = runtime.timer(wakesAtMs - nowMs, () => this.#wake());
  }

  get #nowMs(): number {
    return this.#parts.process.clocks.monotonicMs;
  }

  get #pingAtMs(): number {
    return this.#sentMs + this.#parts.timeoutMs / 3;
  }

  get #deadAtMs(): number {
    const waitingSinceMs = this.#parts.waitingSinceMs() ?? Number.POSITIVE_INFINITY;
    return Math.min(this.#heardMs, waitingSinceMs) + (this.#parts.timeoutMs * 2) / 3;
  }
}
