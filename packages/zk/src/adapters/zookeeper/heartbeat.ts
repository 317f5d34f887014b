import type { Instant, Runtime } from '@holdfast/core';

/** Beats every T/3, or every T/6 while somebody is in a hurry. */
export class Heartbeat {
  readonly #runtime: Runtime;
  readonly #beat: () => void;
  #timeoutMs = Number.POSITIVE_INFINITY;
  #last: Instant;
  #hurried = 0;
  #cancel: () => void = () => undefined;

  constructor(runtime: Runtime, beat: () => void) {
    this.#runtime = runtime;
    this.#beat = beat;
    this.#last = runtime.now();
  }

  /** Beats at once, and from then on. */
  start(timeoutMs: number): void {
    this.#timeoutMs = timeoutMs;
    this.#run();
  }

  stop(): void {
    this.#timeoutMs = Number.POSITIVE_INFINITY;
    this.#cancel();
  }

  /** Until the returned function is called. */
  hurry(): () => void {
    if (this.#hurried++ === 0) this.#plan();
    let isAsked = true;
    return () => {
      if (isAsked) this.#hurried--;
      isAsked = false;
    };
  }

  #run(): void {
    this.#last = this.#runtime.now();
    this.#beat();
    this.#plan();
  }

  #plan(): void {
    this.#cancel();
    if (this.#timeoutMs === Number.POSITIVE_INFINITY) return;
    const everyMs = this.#timeoutMs / (this.#hurried > 0 ? 6 : 3);
    const ms = everyMs - this.#runtime.elapsedMs(this.#last);
    this.#cancel = this.#runtime.timer(Math.max(0, ms), () => this.#run());
  }
}
