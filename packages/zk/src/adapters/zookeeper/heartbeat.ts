import type { Runtime } from '@holdfast/core';

/** Beats every T/3. */
export class NativeHeartbeat {
  readonly #runtime: Runtime;
  readonly #beat: () => void;
  #cancel: () => void = () => undefined;

  constructor(runtime: Runtime, beat: () => void) {
    this.#runtime = runtime;
    this.#beat = beat;
  }

  /** Beats at once, and from then on. */
  start(timeoutMs: number): void {
    this.stop();
    this.#cancel = this.#runtime.timer(timeoutMs / 3, () => this.start(timeoutMs));
    this.#beat();
  }

  stop(): void {
    this.#cancel();
  }
}
