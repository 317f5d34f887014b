import {
  type Attempt,
  type Contender,
  callDeadlineMs,
  type HoldMode,
  type Runtime,
  remainingMs,
  type Withdrawal,
  warnIfPermitsDiffer,
} from '@holdfast/core/backend';
import { callLimitMs } from './call-limit.ts';
import { failureOf, isLeaseGone } from './failures.ts';
import { EtcdGrant, type WonEntry } from './grant.ts';
import { Heartbeat } from './heartbeat.ts';
import { NAME } from './identity.ts';
import {
  type Bell,
  bellBehind,
  firstBell,
  PERMITS_POLL_MS,
  ringBehind,
  ringFirst,
} from './modes/bells.ts';
import { readerToken } from './modes/reader-token.ts';
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
  readonly mode?: HoldMode | undefined;
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
  #hasWarned = false;

  constructor(store: Store, request: EtcdContendRequest) {
    this.#store = store;
    this.#request = request;
    this.#wait = new PredecessorWait(store.client, store.host.runtime);
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    if (this.#wait.startAttempt()) return this.#busy();
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
        if (holds && this.#request.mode !== undefined)
          return await this.#grantedInMode(entry, position, endMs);
        const { createRevision } = position;
        if (holds) return this.#granted(entry, { createRevision, fencingToken: createRevision });
      } else if (position.kind !== 'absent') {
        return await this.#waitIn(entry, position, endMs);
      }
      // Its key is gone, by force or with its lease: the contender goes to the end of the queue.
      this.#leave(entry);
    }
    throw new EtcdUnavailable('its key was removed from the queue again and again');
  }

  async #newEntry(endMs: number): Promise<QueueEntry> {
    const { ttlMs } = this.#request;
    const lease = await this.#store.window.run('enter', endMs, () =>
      ServerLease.grant(this.#store, ttlMs, endMs),
    );
    this.#entries += 1;
    this.#entry = new QueueEntry(this.#store, { ...this.#request, n: this.#entries }, lease);
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

  #granted(entry: QueueEntry, won: WonEntry): Attempt {
    this.#endWait();
    this.#entry = undefined;
    return { kind: 'granted', grant: new EtcdGrant(this.#store, entry, won) };
  }

  /** Readers share a token, permits have none. Permits that were waited for are shown to the next waiter. */
  async #grantedInMode(
    entry: QueueEntry,
    { createRevision, readers, otherOf }: Extract<Position, { readonly kind: 'first' }>,
    endMs: number,
  ): Promise<Attempt> {
    const { key, mode } = this.#request;
    if (mode?.kind === 'exclusive')
      return this.#granted(entry, { createRevision, fencingToken: createRevision });
    if (readers !== undefined) {
      const token = await readerToken(this.#store, key, createRevision, readers, endMs);
      return this.#granted(entry, { createRevision, fencingToken: token });
    }
    this.#warnIfPermitsDiffer(otherOf);
    if (this.#wait.predecessor !== undefined) {
      const success = [ringBehind(this.#store, key, entry.stored)];
      await this.#store.requests.txn({ compare: [], success, failure: [] }, endMs);
    }
    const onRelease = [ringFirst(this.#store, key)];
    return this.#granted(entry, { createRevision, fencingToken: undefined, onRelease });
  }

  #warnIfPermitsDiffer(otherOf: number | undefined): void {
    const { key, mode } = this.#request;
    if (this.#hasWarned) return;
    const { host } = this.#store;
    this.#hasWarned = warnIfPermitsDiffer(host, { key, backend: NAME }, mode, otherOf);
  }

  /** Waiters for permits put the bell that they watch, and look once more in the same step: it may have been their turn. */
  async #waitIn(
    entry: QueueEntry,
    position: Exclude<Position, { readonly kind: 'first' | 'absent' }>,
    endMs: number,
  ): Promise<Attempt> {
    if (this.#request.mode?.kind !== 'permits' && position.kind === 'behind')
      return this.#waitBehind(entry, position.predecessor, position.revision);
    if (position.kind === 'short') this.#warnIfPermitsDiffer(position.otherOf);
    const bell = this.#bellFor(entry, position);
    const after = await entry.lookAgain(endMs, bell);
    if (after.kind !== 'first' && after.kind !== 'absent') {
      if (this.#bellFor(entry, after).key === bell.key)
        return this.#waitBehind(entry, bell.key, after.revision);
    }
    // Its turn has come meanwhile, or another contender is in front.
    return { kind: 'busy', retryAfterMs: 0 };
  }

  #bellFor(
    { lease }: QueueEntry,
    position: Exclude<Position, { readonly kind: 'first' | 'absent' }>,
  ): Bell {
    const { key } = this.#request;
    if (position.kind === 'short') return firstBell(this.#store, key, lease.id);
    return bellBehind(this.#store, key, position.predecessor, position.lease ?? lease.id);
  }

  #waitBehind(entry: QueueEntry, predecessor: string, revision: bigint): Attempt {
    this.#wait.setPredecessor(predecessor, revision);
    this.#heartbeat ??= new Heartbeat(entry, this.#runtime, this.#wait);
    return this.#busy();
  }

  /** A waiter for permits looks by itself, too: a holder that died tells nobody. */
  #busy(): Attempt {
    return this.#request.mode?.kind === 'permits'
      ? { kind: 'busy', retryAfterMs: PERMITS_POLL_MS }
      : { kind: 'busy' };
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
