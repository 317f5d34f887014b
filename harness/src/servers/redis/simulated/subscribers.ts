import type { Connection } from '../../../sim/net/connection.ts';

/** Who listens on one server. */
export class Subscribers {
  readonly #channels = new Map<string, Map<Connection, () => void>>();

  add(connection: Connection, channel: string, heard: () => void): void {
    let listeners = this.#channels.get(channel);
    if (listeners === undefined) this.#channels.set(channel, (listeners = new Map()));
    listeners.set(connection, heard);
  }

  remove(connection: Connection, channel: string): void {
    const listeners = this.#channels.get(channel);
    if (listeners?.delete(connection) === true && listeners.size === 0)
      this.#channels.delete(channel);
  }

  /** To how many channels those connections listen. */
  count(isSuch: (connection: Connection) => boolean): number {
    let count = 0;
    for (const listeners of this.#channels.values())
      for (const connection of listeners.keys()) if (isSuch(connection)) count++;
    return count;
  }

  left(connection: Connection): void {
    for (const channel of this.#channels.keys()) this.remove(connection, channel);
  }

  /** Sends to all that listen, in the order in which they came; returns how many. */
  publish(channel: string, message: string, atUs: number): number {
    const listeners = this.#channels.get(channel);
    if (listeners === undefined) return 0;
    for (const [connection, heard] of listeners)
      connection.push('message', atUs, heard, () => `${channel} ${message}`);
    return listeners.size;
  }
}
