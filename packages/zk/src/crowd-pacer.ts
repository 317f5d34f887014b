import type { Runtime } from '@holdfast/core';

/** Those of a crowd take a few ms. */
const STEPS = 250;

/** Breaks what very many do at once, as when one listing answers them all, so that whatever else the process has to do comes in between. */
export class CrowdPacer {
  readonly #runtime: Runtime;
  readonly #waiting: (() => void)[] = [];
  #stepsLeft = STEPS;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Resolves when the next one may go on; undefined: at once. */
  step(): Promise<void> | undefined {
    if (this.#stepsLeft > 0) {
      this.#stepsLeft -= 1;
      return undefined;
    }
    if (this.#waiting.length === 0) this.#yieldToOthers();
    return new Promise((resume) => void this.#waiting.push(resume));
  }

  /** Its timer keeps the process alive: a caller may have nothing else that does, and would end in the middle of its work. */
  #yieldToOthers(): void {
    const resumeNext = (): void => {
      const next = this.#waiting.splice(0, STEPS);
      this.#stepsLeft = STEPS - next.length;
      if (this.#waiting.length > 0) this.#yieldToOthers();
      for (const resume of next) resume();
    };
    this.#runtime.timer(0, resumeNext, { awaited: true });
  }
}
