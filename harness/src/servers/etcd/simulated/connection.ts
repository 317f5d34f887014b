import type { Instant } from '@holdfast/core';
import {
  EtcdDoubt,
  EtcdReplyError,
  EtcdUnavailable,
  type WatchListener,
} from '@holdfast/etcd/port';
import type { Connection } from '../../../sim/net/connection.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import type { SimEtcdServer } from './server.ts';

/** Told that the connection is ready, or over. */
interface Waiter {
  ready(): void;
  over(cause: Error): void;
}

/** One connection of a client; it is not used again once it is closed. */
export class SimEtcdConnection {
  readonly #process: SimProcess;
  readonly #server: SimEtcdServer;
  readonly #connection: Connection;
  readonly #waiters = new Set<Waiter>();
  #isReady = false;
  #isOver = false;

  constructor(process: SimProcess, server: SimEtcdServer, network: Network) {
    this.#process = process;
    this.#server = server;
    this.#connection = network.connect(process, server, {
      ready: () => this.#ready(),
      closed: (cause) => this.#over(cause),
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Sends when the connection is ready, and settles by the deadline. `execute` runs at the server. */
  request<T extends object>(
    label: string,
    deadlineMs: number,
    execute: () => T,
  ): Promise<T & { readonly sentAt: Instant }> {
    return new Promise((resolve, reject) => {
      let sentAt: Instant | undefined;
      const settle = (run: () => void): void => {
        if (!this.#waiters.delete(waiter)) return;
        stop();
        run();
      };
      const fail = (message: string): void => {
        const error = sentAt === undefined ? new EtcdUnavailable(message) : new EtcdDoubt(message);
        settle(() => reject(error));
      };
      const replied = (reply: T | Error, at: Instant): void =>
        settle(() => (reply instanceof Error ? reject(reply) : resolve({ ...reply, sentAt: at })));
      const waiter: Waiter = {
        ready: () => {
          const at = this.#process.clientRuntime.now();
          sentAt = at;
          this.#send(label, execute, (reply) => replied(reply, at));
        },
        over: ({ message }) => fail(message),
      };
      const leftMs = Math.max(0, deadlineMs - this.#process.clientRuntime.now().monotonicMs);
      const late = (): void => fail('no reply in time');
      const stop = this.#process.clientRuntime.timer(leftMs, late, { awaited: true });
      this.#waiters.add(waiter);
      if (this.#isReady) waiter.ready();
    });
  }

  /** Watches a key on this connection, and ends with it. */
  watch(key: string, fromRevision: bigint, listener: WatchListener): () => void {
    let end: (() => void) | undefined;
    const told = (run: () => void) => (): void => {
      if (this.#waiters.has(waiter)) run();
    };
    const waiter: Waiter = {
      ready: () =>
        this.#connection.request('watch', () => {
          end = this.#watchAtServer(key, fromRevision, told, listener, waiter);
        }),
      over: (cause) => {
        this.#waiters.delete(waiter);
        listener.ended(cause);
      },
    };
    this.#waiters.add(waiter);
    if (this.#isReady) waiter.ready();
    return () => {
      this.#waiters.delete(waiter);
      if (!this.#isOver && this.#isReady) this.#connection.request('unwatch', () => end?.());
    };
  }

  close(): void {
    this.#connection.close();
    this.#over(new Error('the connection was closed'));
  }

  #watchAtServer(
    key: string,
    fromRevision: bigint,
    told: (run: () => void) => () => void,
    listener: WatchListener,
    waiter: Waiter,
  ): (() => void) | undefined {
    const push = (label: string, run: () => void): void =>
      this.#connection.push(label, this.#server.process.nowUs, told(run));
    try {
      push('created', () => listener.created());
      return this.#server.store.watch(key, fromRevision, () =>
        push('deleted', () => listener.deleted()),
      );
    } catch (cause) {
      push('ended', () => waiter.over(cause instanceof Error ? cause : new Error(String(cause))));
      return undefined;
    }
  }

  #send<T>(label: string, execute: () => T, replied: (reply: T | Error) => void): void {
    this.#connection.request(label, () => {
      const reply = outcomeOf(execute);
      this.#connection.reply(label, this.#server.process.nowUs, () => replied(reply));
    });
  }

  #ready(): void {
    this.#isReady = true;
    for (const waiter of Array.from(this.#waiters)) waiter.ready();
  }

  #over(cause: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const waiter of Array.from(this.#waiters)) waiter.over(cause);
  }
}

/** A refusal is a reply; any other error is a mistake of the simulation. */
function outcomeOf<T>(execute: () => T): T | Error {
  try {
    return execute();
  } catch (cause) {
    if (cause instanceof EtcdReplyError) return cause;
    throw cause;
  }
}
