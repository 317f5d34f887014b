import type { EventChannel } from '../event-queue.ts';

/** The names of the channels of one run, and the number of messages that arrived on them. */
export class ChannelNames {
  readonly #names = new Map<EventChannel, string>();
  readonly #counts = new Map<string, number>();
  readonly #arrived = new Map<string, number>();

  /**
   * Returns `a>n1`, and for the second connection between the two `a>n1 2`; an actor's own steps have its name alone.
   */
  nameOf(channel: EventChannel): string {
    const known = this.#names.get(channel);
    if (known !== undefined) return known;
    const way = channelKey(channel.from, channel.to);
    const n = (this.#counts.get(way) ?? 0) + 1;
    this.#counts.set(way, n);
    const name = n === 1 ? way : `${way} ${n}`;
    this.#names.set(channel, name);
    return name;
  }

  /** Counts the first message on a channel as arrived. */
  arrive({ from, to }: EventChannel): void {
    const way = channelKey(from, to);
    this.#arrived.set(way, this.#arrivedOn(way) + 1);
  }

  /** True if a node earlier in the order than the sender has not sent as many messages yet. */
  isHeld({ from, to }: EventChannel, inOrder: readonly string[]): boolean {
    const before = inOrder.slice(0, Math.max(0, inOrder.indexOf(from)));
    const own = this.#arrivedOn(channelKey(from, to));
    return before.some((node) => this.#arrivedOn(channelKey(node, to)) <= own);
  }

  #arrivedOn(way: string): number {
    return this.#arrived.get(way) ?? 0;
  }
}

function channelKey(from: string, to: string): string {
  return from === to ? from : `${from}>${to}`;
}
