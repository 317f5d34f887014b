import type { RedisNode, Subscription } from '@holdfast/redis/port';

/**
 * Whether anything happened on a lock's channel since the latest attempt started. Level-triggered, so that a release
 * between an attempt and the wait for it is not slept through; a gap in the subscription counts, because a message
 * may have been in it, and so does its becoming live, because everything before was not heard.
 */
export class WakeUp {
  readonly #node: RedisNode;
  readonly #channel: string;
  readonly #onRefused: (cause: unknown) => void;
  #state: 'idle' | 'subscribing' | 'live' | 'closed' = 'idle';
  #subscription: Subscription | undefined;
  #heard = false;
  readonly #waits = new Set<() => void>();

  /** `onRefused` hears of a subscription that failed; the waiter's safety poll goes on without it. */
  constructor(node: RedisNode, channel: string, onRefused: (cause: unknown) => void) {
    this.#node = node;
    this.#channel = channel;
    this.#onRefused = onRefused;
  }

  /** An attempt starts: what happened before, it sees for itself. */
  restart(): void {
    this.#heard = false;
  }

  /** Resolves as soon as anything has happened since the last restart, or on abort; never rejects. */
  changed(signal: AbortSignal): Promise<void> {
    if (this.#state === 'idle') void this.#subscribe();
    if (this.#heard || signal.aborted) return Promise.resolve();
    return new Promise((done) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        this.#waits.delete(wake);
        done();
      };
      signal.addEventListener('abort', wake);
      this.#waits.add(wake);
    });
  }

  close(): void {
    this.#state = 'closed';
    this.#subscription?.close();
    this.#subscription = undefined;
  }

  async #subscribe(): Promise<void> {
    this.#state = 'subscribing';
    try {
      const subscription = await this.#node.subscribe(this.#channel, () => this.#onMessage());
      if (this.#isClosed()) return subscription.close();
      this.#subscription = subscription;
      this.#state = 'live';
      this.#onMessage();
    } catch (cause) {
      if (this.#isClosed()) return;
      // The next wait tries again; until then the safety poll is all there is.
      this.#state = 'idle';
      this.#onRefused(cause);
    }
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }

  #onMessage(): void {
    this.#heard = true;
    for (const wake of this.#waits) wake();
  }
}
