import type { Instant } from '@holdfast/core';
import { Container } from './container.ts';
import { Heartbeat } from './heartbeat.ts';
import { NodeDeleter } from './node-deleter.ts';
import type { SessionState, ZooKeeperSession } from './port.ts';
import { LeaderReplies } from './proof-of-life.ts';
import { RequestWindow } from './request-window.ts';
import { SessionProver } from './session-prover.ts';
import type { Store } from './store.ts';

/** One session from its opening to its end, with everything that runs in it. */
export class SessionHandle {
  readonly session: ZooKeeperSession;
  readonly leaderReplies: LeaderReplies;
  readonly heartbeat: Heartbeat;
  readonly prover: SessionProver;
  readonly deleter: NodeDeleter;
  readonly window: RequestWindow = new RequestWindow();
  readonly #store: Store;
  readonly #containers = new Map<string, Container>();
  readonly #listeners = new Set<(state: SessionState) => void>();
  #endedAt: Instant | undefined;

  constructor(session: ZooKeeperSession, store: Store) {
    this.session = session;
    this.#store = store;
    const { host } = store;
    this.leaderReplies = new LeaderReplies(session);
    this.prover = new SessionProver(session, store, this.leaderReplies);
    this.heartbeat = new Heartbeat({
      session,
      leaderReplies: this.leaderReplies,
      runtime: host.runtime,
      syncWithLeader: () => this.prover.syncWithLeader(),
    });
    this.deleter = new NodeDeleter(this, host);
    session.onState((state) => {
      if (isFinal(state)) this.#end();
      const listeners = Array.from(this.#listeners);
      for (const listener of listeners) listener(state);
    });
  }

  /** True if the session has ended: its ephemeral nodes are gone, or will be. */
  get isOver(): boolean {
    return isFinal(this.session.state);
  }

  /**
   * The time for which its nodes may still exist if no client removes them. This includes an expired session: a leader that
   * was paused and deposed meanwhile reports `expired` by its own clock, and its successor gives the session its full time again.
   */
  get mayBeStoredMs(): number {
    if (!this.isOver) return Number.POSITIVE_INFINITY;
    const { timeoutMs } = this.session;
    if (this.#endedAt === undefined) return timeoutMs;
    return Math.max(0, timeoutMs - this.#store.host.runtime.elapsedMs(this.#endedAt));
  }

  /** Returns the container at `path`, whose requests all callers of the moment share. Do not keep it. */
  container(path: string): Container {
    const container = this.#containers.get(path);
    if (container !== undefined) return container;
    const onIdle = (): void => void this.#containers.delete(path);
    const made = new Container(path, this, { store: this.#store, onIdle });
    this.#containers.set(path, made);
    return made;
  }

  /** Returns the removal of the listener. */
  onState(listener: (state: SessionState) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Calls `listener` once when the session ends, at once if it has ended. Returns the removal of the listener. */
  onEnd(listener: () => void): () => void {
    if (this.isOver) {
      listener();
      return () => {};
    }
    const stop = this.onState((state) => {
      if (!isFinal(state)) return;
      stop();
      listener();
    });
    return stop;
  }

  /** Resolves when the session is connected or has ended: nothing else follows a lost connection. */
  connectedOrOver(): Promise<void> {
    if (this.session.state !== 'disconnected') return Promise.resolve();
    return new Promise((resolve) => {
      const stop = this.onState(() => {
        stop();
        resolve();
      });
    });
  }

  #end(): void {
    this.#endedAt ??= this.#store.host.runtime.now();
    this.heartbeat.stop();
  }
}

function isFinal(state: SessionState): boolean {
  return state !== 'connected' && state !== 'disconnected';
}
