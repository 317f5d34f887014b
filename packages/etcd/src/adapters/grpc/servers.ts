import type { Runtime } from '@holdfast/core';
import { EtcdUnavailable } from '../../port.ts';
import { Connection, type Dialling } from './connection.ts';

/** Keeps one connection to one of several servers, and goes on to the next when a server fails. */
export class Servers {
  readonly #addresses: readonly string[];
  readonly #dialling: Dialling;
  readonly #listeners = new Set<(connection: Connection) => void>();
  #at: number;
  #current: Connection | undefined;
  #isClosed = false;

  /** Starts with a random server, so that clients spread. */
  constructor(addresses: readonly string[], dialling: Dialling) {
    this.#addresses = addresses;
    this.#dialling = dialling;
    this.#at = Math.floor(dialling.runtime.random() * addresses.length);
  }

  /** The server of the current or latest connection. */
  get address(): string {
    return this.#addresses[this.#at] ?? '';
  }

  get addresses(): readonly string[] {
    return this.#addresses;
  }

  /** Calls `listener` when a connection is replaced. */
  onReplaced(listener: (connection: Connection) => void): void {
    this.#listeners.add(listener);
  }

  /**
   * Returns a connection on which requests can be sent; each server gets an equal share of the time.
   * @throws EtcdUnavailable if no server was reached by `deadlineMs`
   */
  async connected(deadlineMs: number): Promise<Connection> {
    let failure: unknown = new EtcdUnavailable('no time was left to send a request');
    for (let left = this.#addresses.length; left > 0; left--) {
      const nowMs = this.#runtime.now().monotonicMs;
      if (nowMs >= deadlineMs) break;
      const connection = this.#connection();
      try {
        await connection.ready(nowMs + (deadlineMs - nowMs) / left);
        return connection;
      } catch (cause) {
        failure = cause;
        this.replace(connection);
      }
    }
    throw failure;
  }

  /** Goes on to the next server, unless another request already did. */
  replace(connection: Connection): void {
    if (this.#current !== connection) return;
    this.#current = undefined;
    this.#at = (this.#at + 1) % this.#addresses.length;
    connection.close();
    for (const listener of this.#listeners) listener(connection);
  }

  /** Opens a further connection, to one server. */
  dial(address: string): Connection {
    return new Connection(address, this.#dialling);
  }

  close(): void {
    this.#isClosed = true;
    const connection = this.#current;
    if (connection !== undefined) this.replace(connection);
  }

  #connection(): Connection {
    if (this.#isClosed) throw new EtcdUnavailable('the client is closed');
    this.#current ??= this.dial(this.address);
    return this.#current;
  }

  get #runtime(): Runtime {
    return this.#dialling.runtime;
  }
}
