import { type HoldMode, ownerValue, type Validity } from '@holdfast/core/backend';
import type { Deadline } from './deadline.ts';
import { pause } from './node-deleter.ts';
import { type Created, SessionDoubt, SessionUnavailable, type ZooKeeperSession } from './port.ts';
import { PositionFinder } from './position-finder.ts';
import { parseQueueNode, prefixOf, type QueueNode } from './queue.ts';
import type { QueuedRequest } from './request-window.ts';
import { isReplyCode, statOf } from './roots.ts';
import type { SessionHandle } from './session-handle.ts';
import type { Proven } from './session-prover.ts';
import type { Store } from './store.ts';

/** The contender and the queue of an entry. */
export interface QueueEntryRequest {
  readonly contender: string;
  /** The number of the entry among those of this contender; a later one follows the forced removal of an earlier one. */
  readonly n: number;
  readonly key: string;
  /** The container of the key. */
  readonly container: string;
  /** Absent: exclusive. */
  readonly mode?: HoldMode | undefined;
}

/** A contender's own node in the queue. */
export interface OwnNode {
  readonly path: string;
  readonly queueNode: QueueNode;
  /** The transaction that created the node: the fencing token. */
  readonly czxid: bigint;
  /** The validity that the creation proves; undefined if its reply was lost. */
  readonly validity: Validity | undefined;
}

/** Per call. A container that is reaped again and again must not keep an attempt from ending. */
const CONTAINER_MAKES_MAX = 5;

/**
 * The entry of one contender in the queue of a key, within one session: the creation of its node and, if the reply to
 * that was lost, the search for the node.
 */
export class QueueEntry {
  readonly handle: SessionHandle;
  readonly owner: string;
  readonly positions: PositionFinder;
  readonly #store: Store;
  readonly #request: QueueEntryRequest;
  #node: OwnNode | undefined;
  #creating: Promise<void> | undefined;
  /** The request of the latest creation. */
  #queuedCreate: Pick<QueuedRequest<unknown>, 'isSent' | 'cancel'> | undefined;
  #finding: Promise<void> | undefined;
  /** A creation was sent, and it is unknown whether it was applied. */
  #isUnknown = false;

  constructor(handle: SessionHandle, store: Store, request: QueueEntryRequest) {
    const { contender, n } = request;
    this.handle = handle;
    this.owner = ownerValue({ contender, n, label: store.host.label });
    this.positions = new PositionFinder(handle, store, request);
    this.#store = store;
    this.#request = request;
  }

  /** Returns the contender's node, and creates it unless it may exist already. Rejects as the session does. */
  async node(deadline: Deadline): Promise<OwnNode> {
    for (let makes = 0; ; ) {
      if (this.#creating === undefined && this.#isUnknown) await deadline.limit(this.#find());
      if (this.#node !== undefined) return this.#node;
      if (this.#creating === undefined) await this.#prepare(deadline);
      this.#creating ??= this.#create();
      try {
        await deadline.limit(this.#creating);
      } catch (cause) {
        if (this.#isQueued)
          throw new SessionUnavailable(
            'the node was not created: other requests were sent first',
            cause,
          );
        // The container has never existed, or was reaped a moment ago.
        if (!isReplyCode(cause, 'NONODE') || makes++ === CONTAINER_MAKES_MAX) throw cause;
        await deadline.limit(this.handle.container(this.#request.container).make());
      }
    }
  }

  /** Removes the node, however long that takes. Resolves to false if a node may exist until the session has ended; never rejects. */
  async undo(): Promise<boolean> {
    const { handle } = this;
    this.#queuedCreate?.cancel();
    await this.#creating?.catch(() => {});
    for (let failures = 0; this.#isUnknown; failures++) {
      await handle.connectedOrOver();
      if (handle.isOver) break;
      await this.#find().catch(() => pause(this.#store.host.runtime, failures));
    }
    if (!this.mayBeStored) return true;
    if (this.#node === undefined || handle.isOver) return handle.mayBeStoredMs === 0;
    const removal = await handle.deleter.deleteQueued(this.#node.path);
    return removal === 'ended' ? handle.mayBeStoredMs === 0 : removal !== 'denied';
  }

  /** True if a node of this entry may exist. */
  get mayBeStored(): boolean {
    if (this.#node !== undefined || this.#isUnknown) return true;
    return this.#creating !== undefined && !this.#isQueued;
  }

  /** The creation has not been sent yet. */
  get #isQueued(): boolean {
    return this.#queuedCreate?.isSent === false;
  }

  /** A failure leaves no doubt: nothing was created yet. */
  async #prepare(deadline: Deadline): Promise<void> {
    try {
      await deadline.limit(this.handle.prover.prepare());
    } catch (cause) {
      if (!(cause instanceof SessionDoubt)) throw cause;
      throw new SessionUnavailable('no reply from the leader', cause);
    }
  }

  #create(): Promise<void> {
    const { acl } = this.#store;
    const { container, contender, mode } = this.#request;
    const path = `${container}/${prefixOf(contender, mode)}`;
    const options = { mode: 'ephemeral-sequential', acl } as const;
    const { prover, window } = this.handle;
    const queued = window.enqueue(
      () => prover.proveBy(() => this.#session.create(path, this.owner, options)),
      { lane: container },
    );
    this.#queuedCreate = queued;
    const creating = queued.reply
      .then((created) => this.#recordNode(created))
      .catch((cause: unknown) => {
        this.#isUnknown ||= cause instanceof SessionDoubt;
        throw cause;
      })
      .finally(() => {
        this.#creating = undefined;
      });
    // The attempt that started it may have ended before.
    creating.catch(() => {});
    return creating;
  }

  #recordNode({ path, czxid, validity }: Created & Proven): void {
    this.#node = { path, czxid, validity, queueNode: queueNodeOf(path) };
  }

  /** One search at a time: a late one would restore what an earlier one saw. */
  #find(): Promise<void> {
    if (this.#finding !== undefined) return this.#finding;
    const finding = this.#search().finally(() => {
      this.#finding = undefined;
    });
    // The attempt that started it may have ended before.
    finding.catch(() => {});
    this.#finding = finding;
    return finding;
  }

  /**
   * Finds out whether a doubtful creation was applied. This server may not have seen it yet, hence the sync. A node of
   * an earlier session does not count, although it has this contender's id: it vanishes with that session (CURATOR-498, -604).
   */
  async #search(): Promise<void> {
    const { container, contender } = this.#request;
    const found: OwnNode[] = [];
    const { nodes } = await this.handle.container(container).syncedQueue();
    for (const queueNode of nodes) {
      if (queueNode.contender !== contender) continue;
      const node = await this.#ownNode(`${container}/${queueNode.name}`, queueNode);
      if (node !== undefined) found.push(node);
    }
    const [first, ...rest] = found;
    for (const { path } of rest) void this.handle.deleter.deleteQueued(path);
    this.#node = first;
    this.#isUnknown = false;
  }

  async #ownNode(path: string, queueNode: QueueNode): Promise<OwnNode | undefined> {
    const stat = await statOf(this.#session, path);
    if (stat?.ephemeralOwner !== this.#session.id) return undefined;
    return { path, queueNode, czxid: stat.czxid, validity: undefined };
  }

  get #session(): ZooKeeperSession {
    return this.handle.session;
  }
}

function queueNodeOf(path: string): QueueNode {
  const queueNode = parseQueueNode(path.slice(path.lastIndexOf('/') + 1));
  if (queueNode === undefined)
    throw new Error(`${path} was created, but it is not the name of a contender`);
  return queueNode;
}
