import {
  type Attempt,
  type Contender,
  callDeadlineMs,
  type Grant,
  type HoldMode,
  remainingMs,
  type Validity,
  type Withdrawal,
  warnIfPermitsDiffer,
} from '@holdfast/core/backend';
import { callLimitMs, type Deadline, within } from './deadline.ts';
import { failureOf } from './failures.ts';
import { ZkGrant } from './grant.ts';
import { NAME } from './identity.ts';
import { containerOf } from './keys.ts';
import { readerToken } from './modes/reader-token.ts';
import { PERMITS_POLL_MS } from './modes/wake-up.ts';
import { SessionUnavailable } from './port.ts';
import { isRecentlyProven, isUseful } from './proof-of-life.ts';
import type { QueueNode, QueuePosition } from './queue.ts';
import { type OwnNode, QueueEntry } from './queue-entry.ts';
import { QueueWait } from './queue-wait.ts';
import type { SessionHandle } from './session-handle.ts';
import type { Sessions } from './sessions.ts';
import type { Store } from './store.ts';

export interface ZkContendRequest {
  readonly key: string;
  readonly contender: string;
  readonly mode?: HoldMode | undefined;
}

/** Entries per attempt; each follows a removal of the contender's node by force. */
const ENTRIES_MAX = 3;

/**
 * The lock recipe of ZooKeeper ("Recipes and solutions", locks:
 * https://zookeeper.apache.org/doc/current/recipes.html#sc_recipes_Locks): enter the queue of the key, list it, hold if no
 * node is in front, else wait for the node in front and list again. `#enterQueue` is one round of it.
 */
export class ZkContender implements Contender {
  readonly #store: Store;
  readonly #sessions: Sessions;
  readonly #request: ZkContendRequest;
  readonly #container: string;
  readonly #wait: QueueWait;
  #entry: QueueEntry | undefined;
  #entries = 0;
  #hasWarned = false;
  /** An earlier session, whose node may still exist. */
  #formerSession: SessionHandle | undefined;

  constructor(store: Store, sessions: Sessions, request: ZkContendRequest) {
    this.#store = store;
    this.#sessions = sessions;
    this.#request = request;
    this.#container = containerOf(store.layout, request.key);
    this.#wait = new QueueWait(store.host.runtime, () => this.#entry?.positions.invalidate());
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    if (this.#wait.startAttempt()) return { kind: 'busy' };
    const { host, pacer } = this.#store;
    const { runtime } = host;
    await pacer.step();
    const longestMs = callLimitMs(this.#sessions.timeoutMs);
    const ms = Math.min(longestMs, deadlineMs - runtime.now().monotonicMs);
    if (ms <= 0) {
      const cause = new SessionUnavailable('no time was left to send a request');
      return { kind: 'unavailable', cause };
    }
    try {
      return await within(runtime, ms, (deadline) => this.#tryOnce(deadline));
    } catch (cause) {
      return failureOf(cause, this.#request.key);
    }
  }

  async #tryOnce(deadline: Deadline): Promise<Attempt> {
    const handle = await this.#sessions.connected(deadline);
    const stopHeartbeat = handle.heartbeat.keepRunning();
    try {
      return await this.#enterQueue(handle, deadline);
    } finally {
      stopHeartbeat();
    }
  }

  /**
   * One round of the recipe: create a sequential node, list the queue. The lowest node proves that its session lives, and
   * holds; every other one watches the node in front, and lists again when that changes.
   */
  async #enterQueue(handle: SessionHandle, deadline: Deadline): Promise<Attempt> {
    for (let i = 0; i < ENTRIES_MAX; i++) {
      const entry = this.#entryFor(handle);
      const node = await entry.node(deadline);
      const isNew = this.#wait.predecessor === undefined;
      const position = await entry.positions.find(node.queueNode, isNew, deadline);
      if (position.kind === 'first' && node.queueNode.mode !== undefined)
        return await this.#grantedInMode(entry, node, position, deadline);
      if (position.kind === 'first') return await this.#granted(entry, node, deadline);
      if (position.kind === 'behind') return this.#waitBehind(handle, position.predecessor);
      if (position.kind === 'short') return this.#waitForPermits(handle, position.otherOf);
      // The node was removed by force: the contender goes to the end of the queue.
      this.#entry = undefined;
    }
    throw new SessionUnavailable('its node was removed from the queue again and again');
  }

  /** Returns the entry of this session; the entry of an earlier session ended with it. */
  #entryFor(handle: SessionHandle): QueueEntry {
    if (this.#entry?.handle === handle) return this.#entry;
    if (this.#entry?.mayBeStored === true) this.#formerSession = this.#entry.handle;
    this.#entries += 1;
    const { key, contender, mode } = this.#request;
    const request = { key, contender, mode, n: this.#entries, container: this.#container };
    this.#entry = new QueueEntry(handle, this.#store, request);
    return this.#entry;
  }

  /** Proves first if the creation is too long ago: core would release a grant of too little validity, and with it the place. */
  async #granted(
    entry: QueueEntry,
    node: OwnNode,
    deadline: Deadline,
    { fencingToken }: { readonly fencingToken: bigint | undefined } = { fencingToken: node.czxid },
  ): Promise<Attempt> {
    const { handle } = entry;
    const validity = await this.#validityOf(handle, node, deadline);
    const { runtime } = this.#store.host;
    if (handle.isOver) throw new SessionUnavailable('the session has ended');
    if (!isUseful(remainingMs(validity, runtime), handle.session.timeoutMs)) {
      throw new SessionUnavailable('the latest proof that the session lives is too old');
    }
    this.#wait.end();
    this.#entry = undefined;
    const { owner } = entry;
    const won = { handle, node, fencingToken, owner, validity };
    const grant: Grant = new ZkGrant(this.#store, won);
    return { kind: 'granted', grant };
  }

  async #validityOf(
    { prover, session }: SessionHandle,
    node: OwnNode,
    deadline: Deadline,
  ): Promise<Validity> {
    const { runtime } = this.#store.host;
    const { validity } = node;
    if (
      validity !== undefined &&
      isRecentlyProven(remainingMs(validity, runtime), session.timeoutMs)
    ) {
      return validity;
    }
    return await deadline.limit(prover.prove());
  }

  /** Readers share a token, permits have none. Permits that were waited for are shown to the next waiter. */
  async #grantedInMode(
    entry: QueueEntry,
    node: OwnNode,
    { readers, otherOf }: Extract<QueuePosition, { readonly kind: 'first' }>,
    deadline: Deadline,
  ): Promise<Attempt> {
    const { handle, owner } = entry;
    if (readers !== undefined) {
      const queue = { container: this.#container, key: this.#request.key };
      const fencingToken = await readerToken(handle, queue, node, readers, deadline);
      return await this.#granted(entry, node, deadline, { fencingToken });
    }
    this.#warnIfPermitsDiffer(otherOf);
    // The waiter behind watches this node, and is the first one from now on.
    if (this.#wait.predecessor !== undefined)
      await deadline.limit(handle.session.setData(node.path, owner));
    return await this.#granted(entry, node, deadline, { fencingToken: undefined });
  }

  #warnIfPermitsDiffer(otherOf: number | undefined): void {
    const { key, mode } = this.#request;
    if (this.#hasWarned) return;
    this.#hasWarned = warnIfPermitsDiffer(this.#store.host, { key, backend: NAME }, mode, otherOf);
  }

  #waitForPermits(handle: SessionHandle, otherOf: number): Attempt {
    this.#warnIfPermitsDiffer(otherOf);
    this.#wait.setPredecessor(handle, this.#container, false);
    return { kind: 'busy', retryAfterMs: PERMITS_POLL_MS };
  }

  #waitBehind(handle: SessionHandle, predecessor: QueueNode): Attempt {
    const path = `${this.#container}/${predecessor.name}`;
    // A node of an earlier entry of this contender: no other client would remove it.
    const isOwn = predecessor.contender === this.#request.contender;
    if (isOwn) void handle.deleter.deleteQueued(path);
    this.#wait.setPredecessor(handle, path, this.#request.mode?.kind !== 'permits');
    return { kind: 'busy' };
  }

  changed(signal: AbortSignal): Promise<void> {
    return this.#wait.changed(signal);
  }

  async withdraw(): Promise<Withdrawal> {
    this.#wait.end();
    const isUndone = await this.#undoEntry();
    const ownMs = isUndone ? 0 : (this.#entry?.handle.mayBeStoredMs ?? 0);
    const untilMs = Math.max(ownMs, this.#formerSession?.mayBeStoredMs ?? 0);
    return isUndone && untilMs === 0 ? { kind: 'clean' } : { kind: 'unknown', untilMs };
  }

  async #undoEntry(): Promise<boolean> {
    const { runtime } = this.#store.host;
    const undone = this.#entry?.undo() ?? Promise.resolve(true);
    try {
      // The undo itself continues until the node is gone or the session has ended.
      return await within(runtime, callDeadlineMs(undefined), (deadline) => deadline.limit(undone));
    } catch {
      return false;
    }
  }
}
