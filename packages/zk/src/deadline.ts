import { callDeadlineMs, type Runtime } from '@holdfast/core/backend';
import { SessionDoubt } from './port.ts';

/** No caller waits longer than half the time that its session may take to end. */
const CALL_SHARE = 1 / 2;

/** The time that an attempt or a release may take, in ms; each consists of a few requests. */
export function callLimitMs(timeoutMs: number): number {
  return Math.min(callDeadlineMs(undefined), timeoutMs * CALL_SHARE);
}

/** A limit for work that a caller waits for. Work that is under way when the time is up continues. */
export class Deadline {
  readonly #expired: Promise<never>;
  #cancel: (() => void) | undefined;

  constructor(runtime: Runtime, ms: number) {
    this.#expired = new Promise<never>((_, reject) => {
      const fail = (): void => reject(new SessionDoubt(`no reply within ${Math.round(ms)} ms`));
      this.#cancel = runtime.timer(ms, fail, { awaited: true });
    });
    // Callers that race against it see the rejection; often there are none left.
    this.#expired.catch(() => {});
  }

  /** Settles as `work` does. @throws SessionDoubt if the time is up first */
  limit<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#expired]);
  }

  end(): void {
    this.#cancel?.();
  }
}

/** Runs `work` under a deadline `ms` from now; the timer ends with the work. */
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
