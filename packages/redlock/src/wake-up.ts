import type { RedisNode, Subscription } from '@holdfast/redis/port';

export interface WakeUpOptions {
  /** Whoever listens on so many nodes hears of every release, because the holder had a majority. */
  readonly blocking: number;
  /** Hears of a subscription that failed; the waiter's safety poll goes on without it. */
  readonly onRefused: (node: RedisNode, cause: unknown) => void;
}

/** One node's part of it. */
interface NodeSubscription {
  readonly node: RedisNode;
  isIdle: boolean;
  subscription: Subscription | undefined;
}

/**
 * Whether anything happened on a lock's channel, on any node, since the latest attempt started. Level-triggered, so
 * that a release between an attempt and the wait for it is not slept through; a gap in a subscription counts, because
 * a message may have been in it, and so does the moment from which on no release can be missed, because everything
 * before was not heard.
 */
export class WakeUp {
  readonly #subscriptions: readonly NodeSubscription[];
  readonly #channel: string;
  readonly #options: WakeUpOptions;
  readonly #waits = new Set<() => void>();
  #live = 0;
  #heard = false;
  #isClosed = false;

  constructor(nodes: readonly RedisNode[], channel: string, options: WakeUpOptions) {
    this.#subscriptions = nodes.map((node) => ({ node, isIdle: true, subscription: undefined }));
    this.#channel = channel;
    this.#options = options;
  }

  /** An attempt starts: what happened before, it sees for itself. Returns whether anything had. */
  restart(): boolean {
    const hadHeard = this.#heard;
    this.#heard = false;
    return hadHeard;
  }

  /** Resolves as soon as anything has happened since the last restart, or on abort; never rejects. */
  changed(signal: AbortSignal): Promise<void> {
    for (const nodeSubscription of this.#subscriptions)
      if (nodeSubscription.isIdle) void this.#subscribe(nodeSubscription);
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
    this.#isClosed = true;
    for (const nodeSubscription of this.#subscriptions) {
      nodeSubscription.isIdle = false;
      nodeSubscription.subscription?.close();
      nodeSubscription.subscription = undefined;
    }
  }

  async #subscribe(nodeSubscription: NodeSubscription): Promise<void> {
    nodeSubscription.isIdle = false;
    try {
      const subscription = await nodeSubscription.node.subscribe(this.#channel, () =>
        this.#onMessage(),
      );
      if (this.#isClosed) return subscription.close();
      nodeSubscription.subscription = subscription;
      this.#live += 1;
      if (this.#live === this.#options.blocking) this.#onMessage();
    } catch (cause) {
      if (this.#isClosed) return;
      // The next wait tries again; until then the other nodes and the safety poll are all there is.
      nodeSubscription.isIdle = true;
      this.#options.onRefused(nodeSubscription.node, cause);
    }
  }

  #onMessage(): void {
    this.#heard = true;
    for (const wake of this.#waits) wake();
  }
}
