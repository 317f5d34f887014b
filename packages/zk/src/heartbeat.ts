import type { Instant, Runtime } from '@holdfast/core';
import type { ZooKeeperSession } from './port.ts';
import { dueInMs, type LeaderReplies } from './proof-of-life.ts';

/** The time for which a session is kept ready after its last use, in T. */
const WARM_SHARE = 2;

export interface HeartbeatOptions {
  readonly session: ZooKeeperSession;
  readonly leaderReplies: LeaderReplies;
  readonly runtime: Runtime;
  /** Sends a request that the leader must answer. */
  readonly syncWithLeader: () => Promise<void>;
}

/**
 * Syncs with the leader every T/6 while leases are held or waited for, and for 2 T after: the more recent the leader's
 * latest reply, the longer a proof of life is valid. A write of the last T/6 replaces the sync. Keeps no process alive.
 */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #users = 0;
  #lastUsedAt: Instant;
  #cancel: (() => void) | undefined;
  #isSyncing = false;
  #isOver = false;

  constructor(parts: HeartbeatOptions) {
    this.#options = parts;
    this.#lastUsedAt = parts.runtime.now();
  }

  /** Keeps the heartbeat running until the returned function is called, and for 2 T after. Callers are counted. */
  keepRunning(): () => void {
    this.#users += 1;
    if (this.#cancel === undefined) this.#arm(dueInMs(0, this.#options.session.timeoutMs));
    let isNeeded = true;
    return () => {
      if (!isNeeded) return;
      isNeeded = false;
      this.#users -= 1;
      this.#lastUsedAt = this.#options.runtime.now();
    };
  }

  /** Ends the heartbeat; it does not start again. */
  stop(): void {
    this.#isOver = true;
    this.#cancel?.();
  }

  #arm(ms: number): void {
    if (!this.#isOver) this.#cancel = this.#options.runtime.timer(ms, () => this.#syncIfDue());
  }

  #syncIfDue(): void {
    this.#cancel = undefined;
    if (!this.#isNeeded) return;
    const { leaderReplies, runtime, session } = this.#options;
    const { timeoutMs } = session;
    const ageMs =
      leaderReplies.latest === undefined ? timeoutMs : runtime.elapsedMs(leaderReplies.latest);
    const inMs = dueInMs(ageMs, timeoutMs);
    if (inMs === 0) this.#sync();
    this.#arm(inMs === 0 ? dueInMs(0, timeoutMs) : inMs);
  }

  get #isNeeded(): boolean {
    const { runtime, session } = this.#options;
    return this.#users > 0 || isWarm(runtime.elapsedMs(this.#lastUsedAt), session.timeoutMs);
  }

  /** One sync at a time: a server that does not reply would only get more requests to answer late. */
  #sync(): void {
    if (this.#isSyncing || this.#options.session.state !== 'connected') return;
    this.#isSyncing = true;
    const done = (): void => {
      this.#isSyncing = false;
    };
    this.#options.syncWithLeader().then(done, done);
  }
}

/** True if a session that was last used `idleMs` ago is still kept ready. */
export function isWarm(idleMs: number, timeoutMs: number): boolean {
  return idleMs < timeoutMs * WARM_SHARE;
}
