import type { Connection } from '../../../sim/net/connection.ts';

interface Subscriber {
  readonly heard: (text: string) => void;
  /** Only of a shard channel. */
  readonly ended: (() => void) | undefined;
}

/** The subscribers of one server. */
export class Subscribers {
  readonly #channels = new Map<string, Map<Connection, Subscriber>>();

  add(
    connection: Connection,
    channel: string,
    heard: (text: string) => void,
    ended?: () => void,
  ): void {
    let listeners = this.#channels.get(channel);
    if (listeners === undefined) this.#channels.set(channel, (listeners = new Map()));
    listeners.set(connection, { heard, ended });
  }

  /** Ends the subscriptions of shard channels that `isOver` selects, and says so. */
  end(isOver: (channel: string) => boolean, atUs: number): void {
    for (const [channel, listeners] of Array.from(this.#channels)) {
      for (const [connection, { ended }] of Array.from(listeners)) {
        if (ended === undefined || !isOver(channel)) continue;
        this.remove(connection, channel);
        connection.push('SUNSUBSCRIBE', atUs, ended, () => channel);
      }
    }
  }

  remove(connection: Connection, channel: string): void {
    const listeners = this.#channels.get(channel);
    if (listeners?.delete(connection) === true && listeners.size === 0)
      this.#channels.delete(channel);
  }

  /** Number of subscriptions of the matching connections. */
  count(matches: (connection: Connection) => boolean): number {
    let count = 0;
    for (const listeners of this.#channels.values())
      for (const connection of listeners.keys()) if (matches(connection)) count++;
    return count;
  }

  left(connection: Connection): void {
    for (const channel of this.#channels.keys()) this.remove(connection, channel);
  }

  /** Sends to all subscribers, in the order in which they subscribed; returns their number. */
  publish(channel: string, message: string, atUs: number): number {
    const listeners = this.#channels.get(channel);
    if (listeners === undefined) return 0;
    for (const [connection, { heard }] of listeners)
      connection.push(
        'message',
        atUs,
        () => heard(message),
        () => `${channel} ${message}`,
      );
    return listeners.size;
  }
}
