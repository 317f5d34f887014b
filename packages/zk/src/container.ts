import type { ZooKeeperSession } from './port.ts';
import { type Queue, queueOf } from './queue.ts';
import { createIfMissing, ensureRoots, isReplyCode } from './roots.ts';
import type { SessionHandle } from './session-handle.ts';
import type { Store } from './store.ts';

/** A listing of this many bytes takes as much room as a small request. */
const UNIT_BYTES = 8_192;

export interface ContainerParts {
  readonly store: Store;
  readonly onIdle: () => void;
}

/** The container of one key, in one session. Its contenders share requests to it. */
export class Container {
  readonly #path: string;
  readonly #handle: SessionHandle;
  readonly #store: Store;
  readonly #forNewcomers: SharedRequest<Queue>;
  readonly #forWaiters: SharedRequest<Queue>;
  readonly #synced: SharedRequest<Queue>;
  readonly #makeRequest: SharedRequest<void>;
  #listedBytes = 0;

  /** `onIdle` is called when no request is pending and the length of the latest listing is of no use. */
  constructor(path: string, handle: SessionHandle, { store, onIdle }: ContainerParts) {
    this.#path = path;
    this.#handle = handle;
    this.#store = store;
    const reportIdle = (): void => {
      const requests = [this.#forNewcomers, this.#forWaiters, this.#synced, this.#makeRequest];
      if (this.#listedBytes < UNIT_BYTES && requests.every(({ isIdle }) => isIdle)) onIdle();
    };
    this.#forNewcomers = new SharedRequest((sent) => this.#list(sent, path), reportIdle);
    this.#forWaiters = new SharedRequest((sent) => this.#list(sent, `${path}/`), reportIdle);
    this.#synced = new SharedRequest((sent) => this.#syncAndList(sent), reportIdle);
    this.#makeRequest = new SharedRequest((sent) => this.#make(sent), reportIdle);
  }

  /**
   * Returns the queue, by a listing that is sent after this call. The listing of a newcomer is sent behind all creations
   * that wait to be sent, so it serves most of them. That of a waiter, which may be next, is sent before them.
   * Rejects as the session does.
   */
  queue(isNewcomer: boolean): Promise<Queue> {
    return (isNewcomer ? this.#forNewcomers : this.#forWaiters).request();
  }

  /** Returns the queue at or after the time of this call, as the leader has it. Rejects as the session does. */
  syncedQueue(): Promise<Queue> {
    return this.#synced.request();
  }

  /** Creates the container if it is missing, by a request that is sent after this call. */
  make(): Promise<void> {
    return this.#makeRequest.request();
  }

  #list(sent: () => void, lane: string): Promise<Queue> {
    return this.#enqueue(lane, () => {
      sent();
      return this.#listed();
    });
  }

  #syncAndList(sent: () => void): Promise<Queue> {
    return this.#enqueue(this.#path, async () => {
      sent();
      this.#handle.leaderReplies.add(await this.#session.sync(this.#path));
      return await this.#listed();
    });
  }

  #enqueue(lane: string, list: () => Promise<Queue>): Promise<Queue> {
    const weight = 1 + Math.floor(this.#listedBytes / UNIT_BYTES);
    return this.#handle.window.enqueue(list, { lane, weight }).reply;
  }

  async #listed(): Promise<Queue> {
    const queue = queueOf(await this.#children());
    this.#listedBytes = queue.bytes;
    return queue;
  }

  async #children(): Promise<readonly string[]> {
    try {
      return (await this.#session.list(this.#path)).children;
    } catch (cause) {
      if (isReplyCode(cause, 'NONODE')) return [];
      throw cause;
    }
  }

  async #make(sent: () => void): Promise<void> {
    const { acl, layout } = this.#store;
    const make = (): Promise<void> =>
      createIfMissing(this.#session, this.#path, { mode: 'container', acl });
    sent();
    try {
      await make();
    } catch (cause) {
      if (!isReplyCode(cause, 'NONODE')) throw cause;
      await ensureRoots(this.#session, layout.roots, acl);
      await make();
    }
  }

  get #session(): ZooKeeperSession {
    return this.#handle.session;
  }
}

/**
 * A request that many callers share. A call during a pending request gets the reply to the next one, which is sent when
 * the pending one has settled: the reply to an earlier request may be older than what the caller knows.
 */
export class SharedRequest<T> {
  readonly #send: (sent: () => void) => Promise<T>;
  readonly #onIdle: () => void;
  /** A request that has not been sent yet. */
  #next: Promise<T> | undefined;
  #inFlight: Promise<void> | undefined;

  /** `send` calls `sent` when the request is sent, before it settles. `onIdle` is called when no request is pending. */
  constructor(send: (sent: () => void) => Promise<T>, onIdle: () => void) {
    this.#send = send;
    this.#onIdle = onIdle;
  }

  get isIdle(): boolean {
    return this.#inFlight === undefined && this.#next === undefined;
  }

  /** Returns the reply to a request that is sent after this call. Rejects as `send` does. */
  request(): Promise<T> {
    if (this.#next !== undefined) return this.#next;
    if (this.#inFlight === undefined) return this.#start();
    this.#next = this.#inFlight.then(() => this.#start());
    return this.#next;
  }

  #start(): Promise<T> {
    let isSent = false;
    const reply = this.#send(() => {
      isSent = true;
      this.#next = undefined;
    });
    if (!isSent) this.#next ??= reply;
    const settled = (): void => {
      this.#inFlight = undefined;
      if (this.isIdle) this.#onIdle();
    };
    this.#inFlight = reply.then(settled, settled);
    return reply;
  }
}
