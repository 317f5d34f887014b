import type { Instant, Runtime } from '@holdfast/core';

interface Timer {
  readonly atMs: number;
  readonly awaited: boolean;
  readonly run: () => void;
}

/** Time that passes only as a test lets it. */
export class VirtualRuntime implements Runtime {
  readonly timers = new Set<Timer>();
  jitter = 0;
  #nowMs = 1_000;

  now(): Instant {
    return { monotonicMs: this.#nowMs, wallMs: 1_700_000_000_000 + this.#nowMs };
  }

  elapsedMs(since: Instant): number {
    return Math.max(0, this.#nowMs - since.monotonicMs);
  }

  timer(ms: number, run: () => void, options?: { readonly awaited: boolean }): () => void {
    const timer = { atMs: this.#nowMs + Math.max(0, ms), awaited: options?.awaited ?? false, run };
    this.timers.add(timer);
    return () => void this.timers.delete(timer);
  }

  randomId(): string {
    return 'id';
  }

  random(): number {
    return this.jitter;
  }

  onCollected(): () => void {
    return () => undefined;
  }

  /** Lets `ms` pass, timer by timer, and every promise settle that can. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settled();
    for (let next = this.#next(untilMs); next !== undefined; next = this.#next(untilMs)) {
      this.timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
      await settled();
    }
    this.#nowMs = untilMs;
  }

  /** Lets `ms` pass in which nothing runs, as if the event loop were blocked. */
  block(ms: number): void {
    this.#nowMs += ms;
  }

  #next(untilMs: number): Timer | undefined {
    const due = [...this.timers].filter((timer) => timer.atMs <= untilMs);
    return due.toSorted((a, b) => a.atMs - b.atMs)[0];
  }
}

/** A promise, and what resolves it. */
export function deferred<T>(): { readonly promise: Promise<T>; resolve(value: T): void } {
  let resolve: ((value: T) => void) | undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve: (value) => resolve?.(value) };
}

/** A macrotask boundary: all microtasks have run. */
export function settled(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
