import type { Deadline } from './deadline.ts';
import { refusalError } from './failures.ts';
import { positionOf, type Queue, type QueueNode, type QueuePosition } from './queue.ts';
import type { SessionHandle } from './session-handle.ts';
import type { Store } from './store.ts';

/**
 * No client accepts a listing that is longer than its `jute.maxbuffer`, mostly 1 MB. Newcomers that would make the listing
 * that long leave again, so that the waiters in front of them can continue.
 */
const LISTING_BYTES_MAX = 960 * 1024;

/** A key and its queue. */
export interface QueueOfKey {
  readonly key: string;
  /** The container of the key. */
  readonly container: string;
}

/** Finds the position of one entry, by listings that are sent after its creation was answered and after its watch fired. */
export class PositionFinder {
  readonly #handle: SessionHandle;
  readonly #store: Store;
  readonly #queue: QueueOfKey;
  /** A listing that is not used yet: the attempt that requested it ran out of time. */
  #listing: Promise<Queue> | undefined;

  constructor(handle: SessionHandle, store: Store, queue: QueueOfKey) {
    this.#handle = handle;
    this.#store = store;
    this.#queue = queue;
  }

  /** The queue has changed: a listing that was sent before does not count any more. */
  invalidate(): void {
    this.#listing = undefined;
  }

  /**
   * Returns the position of the entry's node. An attempt that runs out of time leaves its listing to the next attempt:
   * otherwise a listing that takes longer than an attempt would never be used.
   * @throws LockError for a newcomer (`isNew`) to a queue that is full; else rejects as the session does
   */
  async find(node: QueueNode, isNew: boolean, deadline: Deadline): Promise<QueuePosition> {
    this.#listing ??= this.#list(isNew);
    const queue = await deadline.limit(this.#listing);
    this.#listing = undefined;
    const { key } = this.#queue;
    this.#store.warnForeignNodes(key, queue.foreignNodes);
    const position = positionOf(node, queue);
    if (isNew && position.kind === 'behind') checkLength(key, queue, position.ahead);
    return position;
  }

  #list(isNew: boolean): Promise<Queue> {
    const listing = this.#paced(this.#handle.container(this.#queue.container).queue(isNew));
    listing.catch(() => {
      if (this.#listing === listing) this.#listing = undefined;
    });
    return listing;
  }

  async #paced(listing: Promise<Queue>): Promise<Queue> {
    const queue = await listing;
    await this.#store.pacer.step();
    return queue;
  }
}

function checkLength(key: string, { bytes, nodes }: Queue, ahead: number): void {
  if ((bytes * ahead) / nodes.length <= LISTING_BYTES_MAX) return;
  const why = `has a queue of ${ahead}, whose listing comes near ZooKeeper's limit of 1 MB for one reply (jute.maxbuffer)`;
  throw refusalError('QUEUE_FULL', key, why);
}
