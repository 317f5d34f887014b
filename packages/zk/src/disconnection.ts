import type { Runtime } from '@holdfast/core';
import type { SessionHandle } from './session-handle.ts';

/** From the loss of a session's connection until it has another, or is over. */
export class Disconnection {
  readonly #runtime: Runtime;
  readonly #ended: Promise<void>;

  constructor(handle: SessionHandle, runtime: Runtime) {
    this.#runtime = runtime;
    this.#ended = handle.connectedOrOver();
  }

  /** True when it has gone on for another `ms`; false as soon as it is over. */
  lasts(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.#runtime.timer(ms, () => resolve(true));
      void this.#ended.then(() => {
        cancel();
        resolve(false);
      });
    });
  }
}
