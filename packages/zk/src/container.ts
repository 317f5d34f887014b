import type { ZooKeeperSession } from './port.ts';
import { type Queue, queueOf } from './queue.ts';
import { createIfMissing, ensureRoots, isReplyCode } from './roots.ts';
import type { SessionHandle } from './session-handle.ts';
import type { Store } from './store.ts';

/** A listing of this many bytes takes as much room on the wire as a small request. */
const UNIT_BYTES = 8_192;

export interface ContainerParts {
  readonly store: Store;
  readonly onIdle: () => void;
}

/** The container of one key, in one session. What its contenders ask of it they ask together. */
export class Container {
  readonly #path: string;
  readonly #handle: SessionHandle;
  readonly #store: Store;
  readonly #forNewcomers: SharedRequest<Queue>;
  readonly #forWaiters: SharedRequest<Queue>;
  readonly #synced: SharedRequest<Queue>;
  readonly #makeRequest: SharedRequest<void>;
  #listedBytes = 0;

  /** `onIdle` is called when nothing is asked of it, and nothing is known of it that is of use. */
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
   * Who stands in it, by a listing that leaves after this call. That of a newcomer leaves behind all creations that
   * wait to be sent, and so is of use to most of them; that of a waiter, whose turn it may be, goes past them.
   * Rejects as the session does.
   */
  queue(isNewcomer: boolean): Promise<Queue> {
    return (isNewcomer ? this.#forNewcomers : this.#forWaiters).request();
  }

  /** Who stood in it, or stands, when this was called, also by the leader's account. Rejects as the session does. */
  syncedQueue(): Promise<Queue> {
    return this.#synced.request();
  }

  /** Makes it, by a request that leaves after this call; it may be there already. */
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
    return this.#handle.window.enqueue(list, { lane, weight }).answer;
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
 * A question that many ask at a time. Whoever asks while one is under way gets the answer to the next, which leaves when
 * that is back: an answer to a question that left earlier may tell of a time before what the asker knows.
 */
export class SharedRequest<T> {
  readonly #send: (sent: () => void) => Promise<T>;
  readonly #onIdle: () => void;
  /** Its question has not left yet. */
  #next: Promise<T> | undefined;
  #inFlight: Promise<void> | undefined;

  /** `ask` calls `left` when its question leaves, which is before it settles; `onIdle` is called when nobody asks any more. */
  constructor(send: (sent: () => void) => Promise<T>, onIdle: () => void) {
    this.#send = send;
    this.#onIdle = onIdle;
  }

  get isIdle(): boolean {
    return this.#inFlight === undefined && this.#next === undefined;
  }

  /** The answer to a question that leaves after this call. Rejects as asking does. */
  request(): Promise<T> {
    if (this.#next !== undefined) return this.#next;
    if (this.#inFlight === undefined) return this.#start();
    this.#next = this.#inFlight.then(() => this.#start());
    return this.#next;
  }

  #start(): Promise<T> {
    let hasLeft = false;
    const answer = this.#send(() => {
      hasLeft = true;
      this.#next = undefined;
    });
    if (!hasLeft) this.#next ??= answer;
    const settled = (): void => {
      this.#inFlight = undefined;
      if (this.isIdle) this.#onIdle();
    };
    this.#inFlight = answer.then(settled, settled);
    return answer;
  }
}
