import type { Release, Runtime } from '@holdfast/core';

const PAUSE_MS_MIN = 50;

/** Something to give back, of which nobody knows whether it stands. */
export interface Owed {
  /** One more try; `unknown` asks for another. Never rejects. */
  give(): Promise<Release>;
  /** How much longer it may stand by itself; nothing is tried after that. */
  leftMs(): number;
  /** Pauses double up to this. */
  readonly pauseMsMax: number;
}

/**
 * Goes on giving back what ended in doubt, so that a lost reply does not keep a key for its whole ttl. Its timers keep
 * no process alive, and end with the backend.
 */
export class GiveBack {
  readonly #runtime: Runtime;
  readonly #cancels = new Set<() => void>();
  #closed = false;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  owe(owed: Owed): void {
    this.#tryIn(PAUSE_MS_MIN, owed);
  }

  close(): void {
    this.#closed = true;
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  #tryIn(pauseMs: number, owed: Owed): void {
    if (this.#closed || owed.leftMs() === 0) return;
    // Half of it is random: after an outage many processes come back at once.
    const ms = (pauseMs / 2) * (1 + this.#runtime.random());
    const cancel = this.#runtime.timer(ms, () => {
      this.#cancels.delete(cancel);
      void this.#try(pauseMs, owed);
    });
    this.#cancels.add(cancel);
  }

  async #try(pauseMs: number, owed: Owed): Promise<void> {
    const release = await owed.give();
    if (release.kind === 'unknown') this.#tryIn(Math.min(2 * pauseMs, owed.pauseMsMax), owed);
  }
}
