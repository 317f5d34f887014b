import { callDeadlineMs, type Runtime } from '@holdfast/core';
import { SessionDoubt } from './port.ts';

/** Half of T: nobody who asks for a lock waits longer for an answer than its session may take to end. */
const ANSWER_SHARE = 1 / 2;

/** How long an attempt, a release or a withdrawal may take, in ms; each is made of a few calls. */
export function answerMs(timeoutMs: number): number {
  return Math.min(callDeadlineMs(undefined), timeoutMs * ANSWER_SHARE);
}

/** The time that something may take which somebody waits for. What is under way when it is over goes on. */
export class Deadline {
  readonly #expired: Promise<never>;
  #cancel: (() => void) | undefined;

  constructor(runtime: Runtime, ms: number) {
    this.#expired = new Promise<never>((_, reject) => {
      const fail = (): void => reject(new SessionDoubt(`no answer within ${Math.round(ms)} ms`));
      this.#cancel = runtime.timer(ms, fail, { awaited: true });
    });
    // Whoever races against it has been told; often nobody does any more.
    this.#expired.catch(() => {});
  }

  /** What `work` comes to. @throws SessionDoubt when time is up before */
  limit<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#expired]);
  }

  end(): void {
    this.#cancel?.();
  }
}

/** Runs `work` under a deadline `ms` from now; its timer ends with it. */
export async function within<T>(
  runtime: Runtime,
  ms: number,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = new Deadline(runtime, ms);
  try {
    return await work(deadline);
  } finally {
    deadline.end();
  }
}
