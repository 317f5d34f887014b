import {
  type Attempt,
  type Contender,
  callDeadlineMs,
  type Grant,
  remainingMs,
  type Validity,
  type Withdrawal,
} from '@holdfast/core';
import { answerMs, type Deadline, within } from './deadline.ts';
import { failureOf } from './failures.ts';
import { ZkGrant } from './grant.ts';
import { containerOf } from './keys.ts';
import { pause } from './node-deleter.ts';
import { SessionUnavailable } from './port.ts';
import { PredecessorWatch } from './predecessor-watch.ts';
import type { QueuePosition } from './queue.ts';
import { type OwnNode, QueueEntry } from './queue-entry.ts';
import type { SessionHandle } from './session-handle.ts';
import type { Sessions } from './sessions.ts';
import type { Store } from './store.ts';
import { isRecentlyProven, isUseful } from './validity.ts';

export interface ZkContendRequest {
  readonly key: string;
  readonly contender: string;
}

/** Somebody takes its node away each time. */
const ENTRIES_MAX = 3;

/**
 * Enter, look, and hold once nobody stands in front; else wait for the one that does. (ZooKeeper, "Recipes and
 * solutions", locks: https://zookeeper.apache.org/doc/current/recipes.html#sc_recipes_Locks)
 */
export class ZkContender implements Contender {
  readonly #store: Store;
  readonly #sessions: Sessions;
  readonly #request: ZkContendRequest;
  readonly #container: string;
  #entry: QueueEntry | undefined;
  #entries = 0;
  /** An earlier session, whose node may stand a while longer. */
  #formerSession: SessionHandle | undefined;
  #predecessor: PredecessorWatch | undefined;
  /** Something happened since the latest attempt started. */
  #hasChanged = false;
  /** … and it was only that the watch was set: the queue is still as the latest attempt saw it. */
  #isPositionFresh = false;
  /** How often in a row a server would not watch. */
  #refusals = 0;
  #wake: () => void = () => {};

  constructor(store: Store, sessions: Sessions, request: ZkContendRequest) {
    this.#store = store;
    this.#sessions = sessions;
    this.#request = request;
    this.#container = containerOf(store.layout, request.key);
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    const isFresh = this.#isPositionFresh && this.#predecessor?.isLive === true;
    this.#hasChanged = false;
    this.#isPositionFresh = false;
    if (isFresh) return { kind: 'busy' };
    const { host, pacer } = this.#store;
    const { runtime } = host;
    await pacer.step();
    const longestMs = answerMs(this.#sessions.timeoutMs);
    const ms = Math.min(longestMs, deadlineMs - runtime.now().monotonicMs);
    if (ms <= 0) {
      const cause = new SessionUnavailable('there was no time left to ask');
      return { kind: 'unavailable', cause };
    }
    try {
      return await within(runtime, ms, (deadline) => this.#tryOnce(deadline));
    } catch (cause) {
      return failureOf(cause, this.#request.key);
    }
  }

  async changed(signal: AbortSignal): Promise<void> {
    const watch = this.#predecessor;
    if (signal.aborted || this.#hasChanged || watch === undefined || watch.hasChanged) return;
    const changed = this.#onChange(signal);
    if (!watch.isLive) void this.#setWatch(watch);
    await changed;
  }

  async withdraw(): Promise<Withdrawal> {
    this.#predecessor?.cancel();
    this.#predecessor = undefined;
    const isUndone = await this.#undoEntry();
    const ownMs = isUndone ? 0 : (this.#entry?.handle.mayBeStoredMs ?? 0);
    const untilMs = Math.max(ownMs, this.#formerSession?.mayBeStoredMs ?? 0);
    return isUndone && untilMs === 0 ? { kind: 'clean' } : { kind: 'unknown', untilMs };
  }

  async #undoEntry(): Promise<boolean> {
    const { runtime } = this.#store.host;
    const undone = this.#entry?.undo() ?? Promise.resolve(true);
    try {
      // Not longer, since it goes on until nothing stands, or the session is over.
      return await within(runtime, callDeadlineMs(undefined), (deadline) => deadline.limit(undone));
    } catch {
      return false;
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

  async #enterQueue(handle: SessionHandle, deadline: Deadline): Promise<Attempt> {
    for (let i = 0; i < ENTRIES_MAX; i++) {
      const entry = this.#entryFor(handle);
      const node = await entry.node(deadline);
      const isNew = this.#predecessor === undefined;
      const position = await entry.positions.position(node.queueNode, isNew, deadline);
      if (position.kind === 'first') return await this.#granted(entry, node, deadline);
      if (position.kind === 'behind') return this.#watchPredecessor(handle, position);
      // Taken away by force: the end of the queue is the only place left.
      this.#entry = undefined;
    }
    throw new SessionUnavailable('its place in the queue was taken away, again and again');
  }

  /** A place in the queue ends with its session. */
  #entryFor(handle: SessionHandle): QueueEntry {
    if (this.#entry?.handle === handle) return this.#entry;
    if (this.#entry?.mayBeStored === true) this.#formerSession = this.#entry.handle;
    const { contender, key } = this.#request;
    this.#entries += 1;
    const request = { contender, n: this.#entries, key, container: this.#container };
    this.#entry = new QueueEntry(handle, this.#store, request);
    return this.#entry;
  }

  #watchPredecessor(
    handle: SessionHandle,
    { predecessor }: QueuePosition & { kind: 'behind' },
  ): Attempt {
    const path = `${this.#container}/${predecessor.name}`;
    // Left over from an earlier entry: nobody stands by it, and nobody else would remove it.
    const isOwn = predecessor.contender === this.#request.contender;
    if (isOwn) void handle.deleter.deleteQueued(path);
    const watch = this.#predecessor;
    if (watch?.path === path && watch.handle === handle && !watch.hasChanged) {
      return { kind: 'busy' };
    }
    watch?.cancel();
    this.#predecessor = new PredecessorWatch(handle, path, () => {
      this.#entry?.positions.invalidate();
      this.#wakeUp();
    });
    return { kind: 'busy' };
  }

  /** Proves first where the creation is too long ago, lest core give the grant, and with it the place, back. */
  async #granted(entry: QueueEntry, node: OwnNode, deadline: Deadline): Promise<Attempt> {
    const { handle } = entry;
    const validity = await this.#validityOf(handle, node, deadline);
    const { runtime } = this.#store.host;
    if (handle.isOver) throw new SessionUnavailable('the session has ended');
    if (!isUseful(remainingMs(validity, runtime), handle.session.timeoutMs)) {
      throw new SessionUnavailable('the latest proof that the session lives is too old');
    }
    this.#predecessor?.cancel();
    this.#predecessor = undefined;
    this.#entry = undefined;
    const grant: Grant = new ZkGrant(this.#store, { handle, node, owner: entry.owner, validity });
    return { kind: 'granted', grant };
  }

  async #validityOf(
    { proof, session }: SessionHandle,
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
    return await deadline.limit(proof.prove());
  }

  /** Never rejects. */
  async #setWatch(watch: PredecessorWatch): Promise<void> {
    const { handle } = watch;
    try {
      await watch.set();
      this.#refusals = 0;
      if (watch !== this.#predecessor || watch.hasChanged) return;
      // Becoming live counts: whatever happened before it was not heard.
      this.#isPositionFresh = true;
    } catch {
      // The connection was lost: there is something to ask again once it is back. Else the server cannot do it now.
      if (handle.session.state !== 'connected') await handle.connectedOrOver();
      else await pause(this.#store.host.runtime, this.#refusals++);
      if (watch !== this.#predecessor) return;
    }
    this.#wakeUp();
  }

  #onChange(signal: AbortSignal): Promise<void> {
    return new Promise((resume) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        resume();
      };
      this.#wake = wake;
      signal.addEventListener('abort', wake);
    });
  }

  #wakeUp(): void {
    this.#hasChanged = true;
    this.#wake();
  }
}
