import type { LockError } from '@holdfast/core';
import { type HoldMode, otherModeError } from '@holdfast/core/backend';
import type { Deadline } from './deadline.ts';
import { refusalError } from './failures.ts';
import { NAME } from './identity.ts';
import {
  isNearEnd,
  isNeighbour,
  positionOf,
  type Queue,
  type QueueNode,
  type QueuePosition,
} from './queue.ts';
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
  /** Of a contender in a mode. */
  readonly mode?: HoldMode | undefined;
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
  /** A listing showed that the entry may be granted: nothing unknown came before it. */
  #isAdmitted = false;

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
   * @throws LockError for a newcomer (`isNew`) to a queue that is full, and for an entry beside nodes whose meaning is
   * unknown; else rejects as the session does
   */
  async find(node: QueueNode, isNew: boolean, deadline: Deadline): Promise<QueuePosition> {
    this.#listing ??= this.#list(isNew);
    const queue = await deadline.limit(this.#listing);
    this.#listing = undefined;
    const { key } = this.#queue;
    this.#admit(node, queue);
    this.#store.warnForeignNodes(key, queue.foreignNodes);
    const position = positionOf(node, queue);
    if ('ahead' in position) {
      if (isNew) checkLength(key, queue, position.ahead);
      this.#checkMode(queue, position.ahead);
    }
    return position;
  }

  /** A key is used as one kind of lock: nobody waits for holders of the other. */
  #checkMode({ modes }: Queue, ahead: number): void {
    const { key, mode } = this.#queue;
    if (mode === undefined || modes === undefined) return;
    const holds = modes.otherAhead(mode.kind, ahead);
    if (holds !== undefined) throw otherModeError({ key, backend: NAME }, holds);
  }

  /** The first listing decides. A node that appears later finds this entry in the queue: its client must respect it. */
  #admit(node: QueueNode, { nodes, foreignNodes }: Queue): void {
    if (this.#isAdmitted) return;
    const { key, container } = this.#queue;
    if (foreignNodes.length > 0) throw unknownNodes(key, container, foreignNodes);
    const isShared = this.#store.layout.isShared || nodes.some(isNeighbour);
    if (isShared && isNearEnd(node)) throw sequenceEnds(key, container);
    this.#isAdmitted = true;
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

function unknownNodes(key: string, container: string, names: readonly string[]): LockError {
  const shown = names.slice(0, 3).map((name) => JSON.stringify(name));
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  const why = `cannot be locked: ${container} contains ${shown.join(', ')}${more}, and another kind of lock may hold by them; remove them, or use another key or namespace`;
  return refusalError('FOREIGN_KEY', key, why);
}

function sequenceEnds(key: string, container: string): LockError {
  const why = `cannot be locked beside other libraries: the sequence of ${container} is near its end, 2147483647, and they would order what follows wrongly; stop all its clients, delete ${container}, and start them again: a new node counts from 0`;
  return refusalError('SEQUENCE_END', key, why);
}
