import {
  callDeadlineMs,
  type Grant,
  type Release,
  type Renewal,
  remainingMs,
  type Validity,
} from '@holdfast/core/backend';
import { callLimitMs, type Deadline, within } from './deadline.ts';
import { wakeFirstWaiter } from './modes/wake-up.ts';
import type { Deletion } from './node-deleter.ts';
import { SessionDoubt, type WatchedStat } from './port.ts';
import type { OwnNode } from './queue-entry.ts';
import type { SessionHandle } from './session-handle.ts';
import type { Store } from './store.ts';

/** The entry that won, and its session. */
export interface WonEntry {
  readonly handle: SessionHandle;
  readonly node: OwnNode;
  /** Undefined for permits. */
  readonly fencingToken: bigint | undefined;
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
    cause: new SessionDoubt('its node is gone: removed by this release, or by another client'),
  },
  denied: {
    kind: 'unknown',
    cause: new SessionDoubt('its node may not be removed, and exists until its session ends'),
  },
};

/** Closing a session removes its nodes if the servers receive the request. Otherwise they exist until the session expires. */
const SESSION_CLOSED: Release = {
  kind: 'unknown',
  cause: new SessionDoubt('its session was closed before the reply to the release'),
};

/** One hold: a node with none in front of it, valid while its session is proven to live. */
export class ZkGrant implements Grant {
  readonly owner: string;
  readonly fencingToken: bigint | undefined;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly #store: Store;
  readonly #handle: SessionHandle;
  readonly #path: string;
  readonly #hasPermits: boolean;
  readonly #listeners = new Set<() => void>();
  readonly #releaseHeartbeat: () => void;
  readonly #stopWatchingEnd: () => void;
  #nodeWatch: Promise<WatchedStat> | undefined;
  /** The node or its session is gone. */
  #isLost = false;
  #isOver = false;
  #isReleased = false;

  constructor(store: Store, { handle, node, fencingToken, owner, validity }: WonEntry) {
    this.owner = owner;
    this.fencingToken = fencingToken;
    this.leaseMs = handle.session.timeoutMs;
    this.validity = validity;
    this.#store = store;
    this.#handle = handle;
    this.#path = node.path;
    this.#hasPermits = node.queueNode.mode?.kind === 'permits';
    this.#releaseHeartbeat = handle.heartbeat.keepRunning();
    this.#stopWatchingEnd = handle.onEnd(() => this.#lose());
  }

  /** Proves that the session lives, and checks that the node exists. All leases end with their session, whatever `ttlMs`. */
  async renew(_ttlMs: number): Promise<Renewal> {
    if (this.#isLost || this.#isOver) return { kind: 'lost' };
    const { runtime } = this.#store.host;
    try {
      const validity = await within(runtime, callDeadlineMs(this.leaseMs), (deadline) =>
        this.#prove(deadline),
      );
      if (this.#isLost) return { kind: 'lost' };
      if (remainingMs(validity, runtime) > 0) return { kind: 'renewed', validity };
      return { kind: 'unknown', cause: new SessionDoubt('the proof came too late') };
    } catch (cause) {
      return this.#isLost ? { kind: 'lost' } : { kind: 'unknown', cause };
    }
  }

  async release(): Promise<Release> {
    this.#end();
    if (this.#isLost || this.#isReleased) return { kind: 'not-held' };
    const { runtime } = this.#store.host;
    const deleting = this.#handle.deleter.delete(this.#path);
    if (this.#hasPermits)
      void deleting.then(() => wakeFirstWaiter(this.#handle.session, containerAbove(this.#path)));
    try {
      const ms = callLimitMs(this.leaseMs);
      const deletion = await within(runtime, ms, (deadline) => deadline.limit(deleting));
      if (deletion === 'ended' && this.#handle.session.state === 'closed') return SESSION_CLOSED;
      this.#isReleased = deletion !== 'denied';
      return OUTCOMES[deletion];
    } catch (cause) {
      // The removal continues until the node or its session is gone.
      return { kind: 'unknown', cause };
    }
  }

  onLost(listener: () => void): () => void {
    if (this.#isLost) listener();
    else this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The node is checked behind the proof, so the check shows what the ensemble had decided until then. */
  async #prove(deadline: Deadline): Promise<Validity> {
    const validity = await deadline.limit(this.#handle.prover.prove());
    await deadline.limit(this.#watchNode());
    return validity;
  }

  /** Watches the grant's own node from the first renewal on, so that a removal by force is noticed at once. */
  #watchNode(): Promise<WatchedStat> {
    this.#nodeWatch ??= this.#watch().catch((cause: unknown) => {
      this.#nodeWatch = undefined;
      throw cause;
    });
    return this.#nodeWatch;
  }

  async #watch(): Promise<WatchedStat> {
    const watched = await this.#handle.session.existsWatch(this.#path, () => this.#onNodeChange());
    if (watched.stat === undefined) this.#lose();
    if (this.#isOver) watched.unwatch();
    return watched;
  }

  /** A contender's node has changed, or is gone: check it again. */
  #onNodeChange(): void {
    if (this.#isOver) return;
    this.#nodeWatch = undefined;
    void this.#watchNode().catch(() => {});
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
    void this.#nodeWatch?.then((watched) => watched.unwatch()).catch(() => {});
  }
}

function containerAbove(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}
