import type { Instant, Runtime } from '@holdfast/core';
import type { ZooKeeperSession } from './port.ts';
import { dueInMs, type LeaderReplies } from './proof-of-life.ts';

/** How long a session is kept ready after its last use. */
const WARM_SHARE = 2;

export interface HeartbeatOptions {
  readonly session: ZooKeeperSession;
  readonly leaderReplies: LeaderReplies;
  readonly runtime: Runtime;
  /** Asks the leader something. */
  readonly syncWithLeader: () => Promise<void>;
}

/**
 * Asks the leader something every T/6 while anything is held or waited for, and for 2 T after: what a proof of life is
 * worth goes by how recently the leader answered. Says nothing where a write has just asked it, or after that time.
 * Keeps no process alive.
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

  /** Beats until the returned function is called, and a while longer; several may ask at a time. */
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

  /** For good. */
  stop(): void {
    this.#isOver = true;
    this.#cancel?.();
  }

  #arm(ms: number): void {
    if (!this.#isOver) this.#cancel = this.#options.runtime.timer(ms, () => this.#beat());
  }

  #beat(): void {
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

  /** One at a time: a server that does not answer would only get more to answer late. */
  #sync(): void {
    if (this.#isSyncing || this.#options.session.state !== 'connected') return;
    this.#isSyncing = true;
    const done = (): void => {
      this.#isSyncing = false;
    };
    this.#options.syncWithLeader().then(done, done);
  }
}

/** Whether a session that was last used `idleMs` ago is still kept ready. */
export function isWarm(idleMs: number, timeoutMs: number): boolean {
  return idleMs < timeoutMs * WARM_SHARE;
}
