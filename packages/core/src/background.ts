import type { Release } from './port.ts';
import type { Runtime } from './runtime.ts';

/** Work that no caller waits for any more, such as the release of a grant that an aborted request won. */
export class Background {
  readonly #running = new Set<Promise<unknown>>();

  add(work: Promise<unknown>): void {
    const watched = work.finally(() => this.#running.delete(watched));
    this.#running.add(watched);
  }

  get isDone(): boolean {
    return this.#running.size === 0;
  }

  /** Resolves when all work is done, including work that is added meanwhile. */
  async done(): Promise<void> {
    while (!this.isDone) await Promise.allSettled(this.#running);
  }
}

/** A time limit that can be shortened while it runs. */
export class Limit {
  readonly #runtime: Runtime;
  #untilMs = Number.POSITIVE_INFINITY;
  #end: (() => void) | undefined;
  #cancelTimer: () => void = () => {};

  constructor(runtime: Runtime, ms: number) {
    this.#runtime = runtime;
    this.shorten(ms);
  }

  /** Ends the limit `ms` from now, unless it ends sooner anyway. */
  shorten(ms: number): void {
    this.#untilMs = Math.min(this.#untilMs, this.#runtime.now().monotonicMs + ms);
    this.#arm();
  }

  get leftMs(): number {
    return Math.max(0, this.#untilMs - this.#runtime.now().monotonicMs);
  }

  /** Resolves when `work` has settled or the limit is over. Keeps the process alive until then. */
  async wait(work: Promise<unknown>): Promise<void> {
    await new Promise<void>((resume) => {
      this.#end = resume;
      this.#arm();
      void Promise.allSettled([work]).then(() => resume());
    });
    this.#end = undefined;
    this.#cancelTimer();
  }

  #arm(): void {
    if (this.#end === undefined) return;
    this.#cancelTimer();
    this.#cancelTimer = this.#runtime.timer(this.leftMs, this.#end, { awaited: true });
  }
}

/** The outcome of a call to a backend that threw: a bug in a backend is doubt, not a crash. */
export interface Unknown {
  readonly kind: 'unknown';
  readonly cause: unknown;
}

export function asUnknown(cause: unknown): Unknown {
  return { kind: 'unknown', cause };
}

/** The outcome of a release, whatever a backend gave: one in JavaScript may give nothing. */
export function releaseOf(given: unknown): Release {
  if (typeof given === 'object' && given !== null && 'kind' in given) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the compiler checks those in TypeScript
    return given as Release;
  }
  return asUnknown(new TypeError('the backend broke its contract: a release without an outcome'));
}

/** Calls a method of a backend and turns any error into `unknown`. */
export function catchAsUnknown<T>(run: () => Promise<T>): Promise<T | Unknown> {
  try {
    return Promise.resolve(run()).catch(asUnknown);
  } catch (cause) {
    return Promise.resolve(asUnknown(cause));
  }
}
