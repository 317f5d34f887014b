import {
  type Attempt,
  type Contender,
  callDeadlineMs,
  type Runtime,
  remainingMs,
  type Withdrawal,
} from '@holdfast/core/backend';
import { callLimitMs } from './call-limit.ts';
import { failureOf, isLeaseGone } from './failures.ts';
import { EtcdGrant } from './grant.ts';
import { Heartbeat } from './heartbeat.ts';
import { EtcdUnavailable } from './port.ts';
import { PredecessorWait } from './predecessor-wait.ts';
import { isRecentlyProven } from './proof-of-life.ts';
import { type Position, QueueEntry } from './queue-entry.ts';
import { ServerLease, secondsOf } from './server-lease.ts';
import type { Store } from './store.ts';

export interface EtcdContendRequest {
  readonly key: string;
  readonly contender: string;
  readonly ttlMs: number;
}

/** Entries per attempt; each follows the end of the contender's key or lease. */
const ENTRIES_MAX = 3;

/**
 * The lock of etcd's own clients (https://etcd.io/docs/v3.5/dev-guide/api_concurrency_reference_v3): a key with a lease for
 * each contender, below the lock's prefix. The one with the lowest create revision holds; each other waits until the key in
 * front of it is deleted. `#enterQueue` is one round of it.
 */
export class EtcdContender implements Contender {
  readonly #store: Store;
  readonly #request: EtcdContendRequest;
  readonly #wait: PredecessorWait;
  #entry: QueueEntry | undefined;
  #heartbeat: Heartbeat | undefined;
  #entries = 0;

  constructor(store: Store, request: EtcdContendRequest) {
    this.#store = store;
    this.#request = request;
    this.#wait = new PredecessorWait(store.client, store.host.runtime);
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    if (this.#wait.startAttempt()) return { kind: 'busy' };
    const { monotonicMs } = this.#runtime.now();
    const limitMs = callLimitMs(secondsOf(this.#request.ttlMs) * 1_000);
    const endMs = Math.min(deadlineMs, monotonicMs + limitMs);
    try {
      return await this.#enterQueue(endMs);
    } catch (cause) {
      return failureOf(cause, this.#request.key);
    }
  }

  /**
   * One round of the recipe: create a key, and look who is in front. Nobody: the contender proves that its lease lives, and
   * holds. Else it waits for that key to go.
   */
  async #enterQueue(endMs: number): Promise<Attempt> {
    for (let i = 0; i < ENTRIES_MAX; i++) {
      const entry = this.#entry ?? (await this.#newEntry(endMs));
      const position = await this.#positionOf(entry, endMs);
      if (position.kind === 'first') {
        const holds = await this.#proven(entry, endMs);
        if (holds) return this.#granted(entry, position.createRevision);
      } else if (position.kind === 'behind') {
        return this.#waitBehind(entry, position.predecessor, position.revision);
      }
      // Its key is gone, by force or with its lease: the contender goes to the end of the queue.
      this.#leave(entry);
    }
    throw new EtcdUnavailable('its key was removed from the queue again and again');
  }

  async #newEntry(endMs: number): Promise<QueueEntry> {
    const { contender, key, ttlMs } = this.#request;
    const lease = await this.#store.window.run('enter', endMs, () =>
      ServerLease.grant(this.#store, ttlMs, endMs),
    );
    this.#entries += 1;
    this.#entry = new QueueEntry(this.#store, { contender, key, n: this.#entries }, lease);
    return this.#entry;
  }

  async #positionOf(entry: QueueEntry, endMs: number): Promise<Position> {
    try {
      return await entry.position(endMs);
    } catch (cause) {
      if (isLeaseGone(cause)) return { kind: 'absent' };
      throw cause;
    }
  }

  /** Renews a lease that was proven too long ago; false if the key is not first any more, since it is gone. */
  async #proven(entry: QueueEntry, endMs: number): Promise<boolean> {
    const { lease } = entry;
    if (isRecentlyProven(remainingMs(lease.validity, this.#runtime), lease.ttlMs)) return true;
    try {
      const reply = await lease.renew(() => entry.look(endMs), endMs);
      return entry.positionIn(reply).kind === 'first';
    } catch (cause) {
      if (isLeaseGone(cause)) return false;
      throw cause;
    }
  }

  #granted(entry: QueueEntry, createRevision: bigint): Attempt {
    this.#endWait();
    this.#entry = undefined;
    return { kind: 'granted', grant: new EtcdGrant(this.#store, entry, createRevision) };
  }

  #waitBehind(entry: QueueEntry, predecessor: string, revision: bigint): Attempt {
    this.#wait.setPredecessor(predecessor, revision);
    this.#heartbeat ??= new Heartbeat(entry, this.#runtime, this.#wait);
    return { kind: 'busy' };
  }

  #leave(entry: QueueEntry): void {
    this.#endWait();
    this.#entry = undefined;
    void this.#store.revoker.revoke(entry.lease.id, entry.lease.ttlMs);
  }

  #endWait(): void {
    this.#wait.end();
    this.#heartbeat?.end();
    this.#heartbeat = undefined;
  }

  changed(signal: AbortSignal): Promise<void> {
    return this.#wait.changed(signal);
  }

  async withdraw(): Promise<Withdrawal> {
    this.#endWait();
    const entry = this.#entry;
    this.#entry = undefined;
    if (entry === undefined) return { kind: 'clean' };
    const { id, ttlMs } = entry.lease;
    const revoked = this.#store.revoker.revoke(id, ttlMs);
    if (!entry.mayBeStored || (await this.#inTime(revoked))) return { kind: 'clean' };
    return { kind: 'unknown', untilMs: ttlMs };
  }

  /** False if the revocation fails or takes too long; it goes on until the lease has expired. */
  #inTime(revoked: Promise<boolean>): Promise<boolean> {
    return new Promise((resolve) => {
      const late = (): void => resolve(false);
      const stop = this.#runtime.timer(callDeadlineMs(undefined), late, { awaited: true });
      void revoked.then((isGone) => {
        stop();
        resolve(isGone);
      });
    });
  }

  get #runtime(): Runtime {
    return this.#store.host.runtime;
  }
}
