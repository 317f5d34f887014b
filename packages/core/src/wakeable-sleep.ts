import { ReusableAbortSignal } from './abort-signals.ts';
import type { Contender } from './port.ts';
import type { Runtime } from './runtime.ts';

/** The sleep between two attempts: a notification of the contender, or the end of the wait, cuts it short. */
export class WakeableSleep {
  readonly #runtime: Runtime;
  #signal: ReusableAbortSignal | undefined;
  /** A backend whose wake-ups fail is polled. */
  #ignoresWakeUps = false;
  #isCancelled = false;
  #wake: (() => void) | undefined;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Ends the sleep, and every later one at once. */
  cancel(): void {
    this.#isCancelled = true;
    this.#wake?.();
  }

  /** Stops the listeners that a contender may still have. */
  stopListening(): void {
    this.#signal?.abort();
  }

  canBeWokenBy(contender: Contender): boolean {
    return contender.changed !== undefined && !this.#ignoresWakeUps;
  }

  /** Sleeps for `ms`, or until it is cancelled, or until `contender`, if given, reports a change. */
  async sleep(ms: number, contender?: Contender): Promise<void> {
    if (this.#isCancelled || ms <= 0) return;
    let isDone = true;
    await new Promise<void>((resume) => {
      const cancelTimer = this.#runtime.timer(ms, () => this.#wake?.(), { awaited: true });
      // Assigned in a second step: V8 treats a function that is written in the assignment as long-lived, and keeps it,
      // with all that it references, beyond all young collections.
      const wake = (): void => {
        cancelTimer();
        resume();
      };
      this.#wake = wake;
      if (contender === undefined || !this.canBeWokenBy(contender)) return;
      isDone = false;
      this.#signal ??= new ReusableAbortSignal();
      void this.#changed(contender, this.#signal.lend()).then(() => {
        isDone = true;
        wake();
      });
    });
    if (!isDone) this.#signal?.abort();
  }

  async #changed(contender: Contender, signal: AbortSignal): Promise<void> {
    try {
      await contender.changed?.(signal);
    } catch {
      this.#ignoresWakeUps = true;
    }
  }
}
