import type { Runtime } from '@holdfast/core';
import { EtcdUnavailable } from './port.ts';

/**
 * Requests of contenders in flight at a time. etcd runs them one after the other, and each sorts the whole queue: with more of
 * them the one that is next would wait for all.
 */
const SIZE = 16;

interface Queued {
  start(): void;
}

/**
 * Limits the requests in flight of contenders that enter a queue or look at it. Those who look may be next, so they go before
 * those who enter. A request whose turn comes too late was never sent.
 */
export class RequestWindow {
  readonly #runtime: Runtime;
  readonly #looking = new Set<Queued>();
  readonly #entering = new Set<Queued>();
  #inFlight = 0;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
  }

  /** Rejects as `send` does, or with EtcdUnavailable if it has no turn by the deadline. */
  async run<T>(lane: 'look' | 'enter', deadlineMs: number, send: () => Promise<T>): Promise<T> {
    if (this.#inFlight < SIZE) this.#inFlight += 1;
    else await this.#turn(lane === 'look' ? this.#looking : this.#entering, deadlineMs);
    try {
      return await send();
    } finally {
      this.#passOn();
    }
  }

  /** Resolves when a request that has ended passes its place on. */
  #turn(queue: Set<Queued>, deadlineMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const ms = Math.max(0, deadlineMs - this.#runtime.now().monotonicMs);
      const late = (): void => {
        queue.delete(queued);
        reject(new EtcdUnavailable('too many other requests were in flight'));
      };
      const stop = this.#runtime.timer(ms, late, { awaited: true });
      const start = (): void => {
        queue.delete(queued);
        stop();
        resolve();
      };
      const queued: Queued = { start };
      queue.add(queued);
    });
  }

  #passOn(): void {
    const [next] = this.#looking.size > 0 ? this.#looking : this.#entering;
    if (next === undefined) this.#inFlight -= 1;
    else next.start();
  }
}
