import type { Instant } from '@holdfast/core';
import { type Answered, EtcdDoubt, EtcdUnavailable, type WatchListener } from '@holdfast/etcd/port';
import type { Connection, ConnectionListener } from '../../../sim/net/connection.ts';
import type { Network } from '../../../sim/net/network.ts';
import type { SimProcess } from '../../../sim/process.ts';
import type { ClientLink, Reply } from './client-link.ts';
import type { SimEtcdServer } from './server.ts';

/** Told that the connection is ready, or over. */
interface Waiter {
  /** True for a request that was sent. */
  readonly isRequest?: true;
  ready(): void;
  over(cause: Error): void;
}

/** One request: its name in traces, its details for people, and what the server does with it. */
export interface SimRequest<Fields extends object> {
  readonly label: string;
  readonly detail: string;
  readonly serve: (link: ClientLink, reply: Reply<Fields>) => void;
}

/** One connection of a client to one server; it is not used again once it is closed. */
export class SimEtcdConnection implements ConnectionListener {
  readonly server: SimEtcdServer;
  readonly #process: SimProcess;
  readonly #connection: Connection;
  readonly #waiters = new Set<Waiter>();
  readonly #onOver: () => void;
  #requests = 0;
  #answeredMs = Number.NEGATIVE_INFINITY;
  #isRetired = false;
  #isReady = false;
  #isOver = false;

  constructor(process: SimProcess, server: SimEtcdServer, network: Network, onOver: () => void) {
    this.server = server;
    this.#process = process;
    this.#onOver = onOver;
    this.#connection = network.connect(process, server, this);
  }

  /** A request that was sent then had a reply that a majority confirmed. */
  answers(sentAt: Instant): void {
    this.#answeredMs = Math.max(this.#answeredMs, sentAt.monotonicMs);
  }

  /** True if a later request had such a reply: then one without a reply was lost behind this server. */
  hasAnsweredSince(monotonicMs: number): boolean {
    return !this.#isOver && this.#answeredMs > monotonicMs;
  }

  /** Resolves when requests can be sent. @throws EtcdUnavailable if that is not so by the deadline */
  untilReady(deadlineMs: number): Promise<void> {
    if (this.#isOver) return Promise.reject(new EtcdUnavailable('the connection is closed'));
    if (this.#isReady) return Promise.resolve();
    return this.#waiting(deadlineMs, (settled) => ({
      ready: () => settled((resolve) => resolve()),
      over: ({ message }) => settled((_, reject) => reject(new EtcdUnavailable(message))),
    }));
  }

  /** Sends at once, and settles by the deadline. */
  request<Fields extends object>(
    { label, detail, serve }: SimRequest<Fields>,
    deadlineMs: number,
  ): Promise<Fields & Answered> {
    if (this.#isOver || this.#isRetired)
      return Promise.reject(new EtcdUnavailable('the connection is closed'));
    this.#requests += 1;
    const sentAt = this.#process.clientRuntime.now();
    return this.#waiting<Fields & Answered>(deadlineMs, (settled) => {
      const replied: Reply<Fields> = (reply) =>
        settled((resolve, reject) => {
          this.#settled();
          if (reply instanceof Error) reject(reply);
          else resolve({ ...reply, sentAt });
        });
      this.#connection.request(
        label,
        () =>
          this.server.program.clients.serve(this.#connection, label, (link) =>
            serve(link, replied),
          ),
        () => detail,
      );
      const lost = ({ message }: Error): void =>
        settled((_, reject) => {
          this.#settled();
          reject(new EtcdDoubt(message));
        });
      return { isRequest: true, ready: () => {}, over: lost };
    });
  }

  /** Watches a key on this connection, and ends with it. */
  watch(key: string, fromRevision: bigint, listener: WatchListener): () => void {
    let end: (() => void) | undefined;
    const waiter: Waiter = {
      ready: () => {},
      over: (cause) => {
        if (this.#waiters.delete(waiter)) listener.ended(cause);
      },
    };
    const isLive = (): boolean => this.#waiters.has(waiter);
    const guarded: WatchListener = {
      created: () => isLive() && listener.created(),
      deleted: () => isLive() && listener.deleted(),
      ended: (cause) => waiter.over(cause instanceof Error ? cause : new Error(String(cause))),
    };
    this.#waiters.add(waiter);
    if (this.#isOver || this.#isRetired) {
      const cause = new EtcdUnavailable('the connection was replaced');
      this.#process.clientRuntime.timer(0, () => waiter.over(cause));
      return () => void this.#waiters.delete(waiter);
    }
    this.#execute('watch', key, (link) => {
      end = link.watch(key, fromRevision, guarded);
    });
    return () => {
      if (!this.#waiters.delete(waiter) || this.#isOver) return;
      this.#execute('unwatch', key, () => end?.());
    };
  }

  /** As in HTTP/2, a connection is ready once the server has sent its settings, which a paused one does not. */
  ready(): void {
    this.#execute('settings', '', (link) => link.settings(this.#ready));
  }

  readonly #ready = (): void => {
    this.#isReady = true;
    for (const waiter of Array.from(this.#waiters)) waiter.ready();
  };

  closed(cause: Error): void {
    this.#end(cause);
  }

  /** Takes no new requests, and ends its watches; requests under way may still be answered. */
  retire(): void {
    if (this.#isRetired || this.#isOver) return;
    this.#isRetired = true;
    const cause = new Error('the connection was replaced');
    for (const waiter of Array.from(this.#waiters))
      if (waiter.isRequest !== true) waiter.over(cause);
    if (this.#requests === 0) this.close();
  }

  close(): void {
    this.#connection.close();
    this.#end(new Error('the connection was closed'));
  }

  #settled(): void {
    this.#requests -= 1;
    if (this.#isRetired && this.#requests === 0) this.close();
  }

  #execute(label: string, detail: string, run: (link: ClientLink) => void): void {
    this.#connection.request(
      label,
      () => this.server.program.clients.serve(this.#connection, label, run),
      () => detail,
    );
  }

  /** Settles once, by the deadline at the latest. */
  #waiting<T>(
    deadlineMs: number,
    begin: (
      settled: (run: (resolve: (value: T) => void, reject: (cause: Error) => void) => void) => void,
    ) => Waiter,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const { clientRuntime } = this.#process;
      const leftMs = Math.max(0, deadlineMs - clientRuntime.now().monotonicMs);
      const late = (): void => waiter.over(new Error('no reply in time'));
      const stop = clientRuntime.timer(leftMs, late, { awaited: true });
      const waiter = begin((run) => {
        if (!this.#waiters.delete(waiter)) return;
        stop();
        run(resolve, reject);
      });
      this.#waiters.add(waiter);
    });
  }

  #end(cause: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const waiter of Array.from(this.#waiters)) waiter.over(cause);
    this.#onOver();
  }
}
