import type { Runtime } from '../runtime.ts';
import type { MemoryStore } from './store.ts';

/**
 * The link of the in-memory backend to its store: direct, or, in the simulator, over a network with delays. `label`
 * is the name under which the simulator can stall the caller.
 */
export interface MemoryLink {
  /** Runs one step of the store and returns its result. A promise that never settles is a lost request or a lost reply. */
  call<T>(label: string, effect: () => T): T | Promise<T>;
  /** Runs a notification from the store in the caller's process. */
  deliver(label: string, run: () => void): void;
}

/** Calls the store in this process, at once. */
const directLink: MemoryLink = {
  call: (_label, effect) => effect(),
  deliver: (_label, run) => run(),
};

/** No reply came in time; `reply` still settles when it comes. */
export class NoReply extends Error {
  override readonly name = 'NoReply';
  readonly reply: Promise<unknown>;

  constructor(label: string, reply: Promise<unknown>) {
    super(`the store did not answer '${label}' in time`);
    this.reply = reply;
  }
}

/** The access of one process to the store. */
export class MemoryClient {
  readonly #store: MemoryStore;
  readonly #link: MemoryLink;
  readonly #runtime: Runtime;

  constructor(store: MemoryStore, runtime: Runtime, link: MemoryLink = directLink) {
    this.#store = store;
    this.#runtime = runtime;
    this.#link = link;
  }

  /** Sends one call, which settles by `deadlineMs` of the monotonic clock. @throws NoReply */
  call<T>(label: string, deadlineMs: number, effect: (store: MemoryStore) => T): T | Promise<T> {
    const reply = this.#link.call(label, () => effect(this.#store));
    return reply instanceof Promise ? this.#byDeadline(deadlineMs, label, reply) : reply;
  }

  /** Calls `listener` whenever `key` has been released, or it is the turn of `contender`; returns its removal. */
  subscribe(key: string, listener: () => void, contender?: string): () => void {
    return this.#store.subscribe(key, () => this.#link.deliver('freed', listener), contender);
  }

  #byDeadline<T>(deadlineMs: number, label: string, reply: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const leftMs = deadlineMs - this.#runtime.now().monotonicMs;
      const giveUp = (): void => reject(new NoReply(label, reply));
      const cancel = this.#runtime.timer(leftMs, giveUp, { awaited: true });
      reply.finally(cancel).then(resolve, reject);
    });
  }
}
