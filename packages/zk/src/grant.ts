import {
  callDeadlineMs,
  type Grant,
  type Release,
  type Renewal,
  remainingMs,
  type Validity,
} from '@holdfast/core';
import { answerMs, type Deadline, within } from './deadline.ts';
import type { Deletion } from './node-deleter.ts';
import { SessionDoubt, type WatchedStat } from './port.ts';
import type { OwnNode } from './queue-entry.ts';
import type { SessionHandle } from './session-handle.ts';
import type { Store } from './store.ts';

/** What was won, and in which session. */
export interface Won {
  readonly handle: SessionHandle;
  readonly node: OwnNode;
  /** The owner value. */
  readonly owner: string;
  readonly validity: Validity;
}

const OUTCOMES: Record<Deletion, Release> = {
  removed: { kind: 'released' },
  absent: { kind: 'not-held' },
  ended: { kind: 'not-held' },
  vanished: {
    kind: 'unknown',
    cause: new SessionDoubt('it is gone, by this release or by somebody else’s hand'),
  },
  denied: {
    kind: 'unknown',
    cause: new SessionDoubt('its node may not be removed, and stands until its session ends'),
  },
};

/** A session that we end takes its node along, if the servers hear of it: otherwise it stands until they expire the session. */
const LEFT: Release = {
  kind: 'unknown',
  cause: new SessionDoubt('its session was closed before the release was answered'),
};

/** One hold: a node with nobody in front of it, for as long as its session is shown to live. */
export class ZkGrant implements Grant {
  readonly owner: string;
  readonly fencingToken: bigint;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly #store: Store;
  readonly #handle: SessionHandle;
  readonly #path: string;
  readonly #listeners = new Set<() => void>();
  readonly #releaseHeartbeat: () => void;
  readonly #stopWatchingEnd: () => void;
  #guard: Promise<WatchedStat> | undefined;
  /** Its node has gone, or its session: nothing brings it back. */
  #isLost = false;
  #isOver = false;
  #isNotified = false;

  constructor(store: Store, { handle, node, owner, validity }: Won) {
    this.owner = owner;
    this.fencingToken = node.czxid;
    this.leaseMs = handle.session.timeoutMs;
    this.validity = validity;
    this.#store = store;
    this.#handle = handle;
    this.#path = node.path;
    this.#releaseHeartbeat = handle.heartbeat.need();
    this.#stopWatchingEnd = handle.onEnd(() => this.#lose());
  }

  /** Shows that the session lives, and that the node stands; all leases end with their session, whatever `ttlMs`. */
  async renew(_ttlMs: number): Promise<Renewal> {
    if (this.#isLost || this.#isOver) return { kind: 'lost' };
    const { runtime } = this.#store.host;
    try {
      const validity = await within(runtime, callDeadlineMs(this.leaseMs), (by) => this.#prove(by));
      if (this.#isLost) return { kind: 'lost' };
      if (remainingMs(validity, runtime) > 0) return { kind: 'renewed', validity };
      return { kind: 'unknown', cause: new SessionDoubt('the proof came too late') };
    } catch (cause) {
      return this.#isLost ? { kind: 'lost' } : { kind: 'unknown', cause };
    }
  }

  async release(): Promise<Release> {
    this.#end();
    if (this.#isLost || this.#isNotified) return { kind: 'not-held' };
    const { runtime } = this.#store.host;
    const removing = this.#handle.deleter.delete(this.#path);
    try {
      const ms = answerMs(this.leaseMs);
      const removal = await within(runtime, ms, (deadline) => deadline.of(removing));
      if (removal === 'ended' && this.#handle.session.state === 'closed') return LEFT;
      this.#isNotified = removal !== 'denied';
      return OUTCOMES[removal];
    } catch (cause) {
      // It goes on until the node is gone, or its session.
      return { kind: 'unknown', cause };
    }
  }

  onLost(listener: () => void): () => void {
    if (this.#isLost) listener();
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The look at the node goes out behind the proof, so it shows what the ensemble had decided until then. */
  async #prove(deadline: Deadline): Promise<Validity> {
    const validity = await deadline.of(this.#handle.proof.prove());
    await deadline.of(this.#guarded());
    return validity;
  }

  /** Watches its own node, from the first renewal on: a removal by force is heard of at once. */
  #guarded(): Promise<WatchedStat> {
    this.#guard ??= this.#watch().catch((cause: unknown) => {
      this.#guard = undefined;
      throw cause;
    });
    return this.#guard;
  }

  async #watch(): Promise<WatchedStat> {
    const watched = await this.#handle.session.existsWatch(this.#path, () => this.#changed());
    if (watched.stat === undefined) this.#lose();
    if (this.#isOver) watched.unwatch();
    return watched;
  }

  /** Nobody has reason to change a contender's node; whoever did, what stands there has to be looked at again. */
  #changed(): void {
    if (this.#isOver) return;
    this.#guard = undefined;
    void this.#guarded().catch(() => {});
  }

  #lose(): void {
    if (this.#isOver || this.#isLost) return;
    this.#isLost = true;
    this.#end();
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#releaseHeartbeat();
    this.#stopWatchingEnd();
    void this.#guard?.then((watched) => watched.unwatch()).catch(() => {});
  }
}
