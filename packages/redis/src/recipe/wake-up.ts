import type { RedisNode, Subscription } from '../port.ts';

/** A waiter polls at least this often, because a half-open subscription stays silent and reports no error. */
export const SAFETY_POLL_MS = 2_000;
/** All waiters of a dead holder learn one remaining time, so their next attempts are spread over this many ms. */
export const JITTER_MS = 50;

/** Options of `WakeUp`. */
export interface WakeUpOptions {
  /** A waiter with this many live subscriptions is notified of every release, because the holder had a majority. */
  readonly blocking: number;
  /** Called if a subscription failed; the waiter continues with the other nodes and the safety poll. */
  readonly onRefused: (node: RedisNode, cause: unknown) => void;
}

interface NodeSubscription {
  readonly node: RedisNode;
  /** True if the next wait subscribes. */
  isIdle: boolean;
  subscription: Subscription | undefined;
}

/**
 * Wakes a waiter as soon as anything has happened on a lock's channel, on any node, since its latest attempt started.
 * Level-triggered, so that a release between an attempt and the wait after it is not missed. A gap in a subscription
 * counts, because a message may have been in it. The moment from which no release can be missed counts too, because
 * everything before was not observed.
 * @example
 * ```ts
 * const channel = `${keyPrefix('holdfast', key)}free`;
 * const wakeUp = new WakeUp([node], channel, { blocking: 1, onRefused: (_, cause) => log(cause) });
 * wakeUp.restart(); // when an attempt starts
 * await wakeUp.changed(signal); // between two attempts
 * wakeUp.close();
 * ```
 */
export class WakeUp {
  readonly #subscriptions: readonly NodeSubscription[];
  readonly #channel: string;
  readonly #options: WakeUpOptions;
  readonly #waits = new Set<() => void>();
  #live = 0;
  #hasChanged = false;
  #isClosed = false;

  constructor(nodes: readonly RedisNode[], channel: string, options: WakeUpOptions) {
    this.#subscriptions = nodes.map((node) => ({ node, isIdle: true, subscription: undefined }));
    this.#channel = channel;
    this.#options = options;
  }

  /** An attempt starts, which sees earlier changes itself. Returns true if there was one. */
  restart(): boolean {
    const hadChanged = this.#hasChanged;
    this.#hasChanged = false;
    return hadChanged;
  }

  /** Resolves as soon as anything has happened since the last restart, or on abort; never rejects. */
  changed(signal: AbortSignal): Promise<void> {
    for (const nodeSubscription of this.#subscriptions)
      if (nodeSubscription.isIdle) void this.#subscribe(nodeSubscription);
    if (this.#hasChanged || signal.aborted) return Promise.resolve();
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

  /** Ends the subscriptions. A wait that is under way ends only by its signal. */
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
      // The next wait subscribes again.
      nodeSubscription.isIdle = true;
      this.#options.onRefused(nodeSubscription.node, cause);
    }
  }

  #onMessage(): void {
    this.#hasChanged = true;
    for (const wake of this.#waits) wake();
  }
}
