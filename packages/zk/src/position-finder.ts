import type { Deadline } from './deadline.ts';
import { refusalError } from './failures.ts';
import { positionOf, type Queue, type QueueNode, type QueuePosition } from './queue.ts';
import type { SessionHandle } from './session-handle.ts';
import type { Store } from './store.ts';

/**
 * A listing that is longer than a client takes, its `jute.maxbuffer` of mostly 1 MB, reaches nobody. Newcomers whom it
 * would make that long go away again, so that those who stand in front of them can go on.
 */
const LISTING_BYTES_MAX = 960 * 1024;

/** Whose queue is looked at. */
export interface QueueOfKey {
  readonly key: string;
  /** Its container. */
  readonly container: string;
}

/** What one entry sees of its queue: by listings that leave after its creation was answered, and after its watch told of something. */
export class PositionFinder {
  readonly #handle: SessionHandle;
  readonly #store: Store;
  readonly #queue: QueueOfKey;
  /** Not used yet: the attempt that asked for it ran out of time. */
  #listing: Promise<Queue> | undefined;

  constructor(handle: SessionHandle, store: Store, queue: QueueOfKey) {
    this.#handle = handle;
    this.#store = store;
    this.#queue = queue;
  }

  /** Something happened: what was asked before does not count any more. */
  invalidate(): void {
    this.#listing = undefined;
  }

  /**
   * Where its node stands, once that was created. An attempt that runs out of time leaves its listing to the next: with
   * another one each time, a listing that takes longer than an attempt would be of use to none.
   * @throws LockError for a newcomer (`isNew`) to a queue that is full; else rejects as the session does
   */
  async position(node: QueueNode, isNew: boolean, deadline: Deadline): Promise<QueuePosition> {
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
