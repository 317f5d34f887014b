import type { Grant, Release, Renewal, Runtime, Validity } from '@holdfast/core/backend';
import { callDeadlineMs, remainingMs } from '@holdfast/core/backend';
import { isLeaseGone } from './failures.ts';
import { LeaseMove } from './lease-move.ts';
import { EtcdDoubt, type Op, type RangeReply } from './port.ts';
import type { QueueEntry } from './queue-entry.ts';
import { type ServerLease, secondsOf } from './server-lease.ts';
import type { Store } from './store.ts';

/** A renewal is a keep-alive and a read behind it: together they take ten ways. */
const RENEWAL_CALLS = 2;

/** An entry that won. */
export interface WonEntry {
  readonly createRevision: bigint;
  /** Undefined for permits. */
  readonly fencingToken: bigint | undefined;
  readonly onRelease?: readonly Op[];
}

/** One hold: the key with the lowest create revision, valid while its lease is proven to live. */
export class EtcdGrant implements Grant {
  readonly owner: string;
  readonly fencingToken: bigint | undefined;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly #store: Store;
  readonly #stored: string;
  readonly #createRevision: bigint;
  /** Part of the step that releases. */
  readonly #onRelease: readonly Op[];
  #lease: ServerLease;
  /** The key is on its way to a lease with another ttl. */
  #move: LeaseMove | undefined;
  #isOver = false;

  constructor(
    store: Store,
    entry: QueueEntry,
    { createRevision, fencingToken, onRelease = [] }: WonEntry,
  ) {
    this.owner = entry.owner;
    this.fencingToken = fencingToken;
    this.#createRevision = createRevision;
    this.#onRelease = onRelease;
    this.leaseMs = entry.lease.ttlMs;
    this.validity = entry.lease.validity;
    this.#store = store;
    this.#stored = entry.stored;
    this.#lease = entry.lease;
  }

  /** Renews the lease, behind a move of the key to a lease of another ttl if `ttlMs` needs one. */
  async renew(ttlMs: number): Promise<Renewal> {
    if (this.#isOver) return { kind: 'lost' };
    const limitMs = RENEWAL_CALLS * callDeadlineMs(this.#lease.ttlMs);
    const deadlineMs = this.#runtime.now().monotonicMs + limitMs;
    try {
      const isThere = await this.#renew(ttlMs, deadlineMs);
      return isThere ? this.#renewed() : this.#lost();
    } catch (cause) {
      if (!isLeaseGone(cause)) return { kind: 'unknown', cause };
      return await this.#lostIfGone(cause, deadlineMs);
    }
  }

  async release(): Promise<Release> {
    const wasOver = this.#isOver;
    this.#isOver = true;
    if (wasOver) return { kind: 'not-held' };
    const deadlineMs = this.#runtime.now().monotonicMs + callDeadlineMs(this.#lease.ttlMs);
    const { requests } = this.#store;
    try {
      const { succeeded } = await requests.txn(
        {
          compare: [this.#isOwn],
          success: [{ kind: 'delete', key: this.#stored }, ...this.#onRelease],
          failure: [],
        },
        deadlineMs,
      );
      return { kind: succeeded ? 'released' : 'not-held' };
    } catch (cause) {
      return { kind: 'unknown', cause };
    } finally {
      // Also ends what a doubtful release has left.
      this.#revokeLeases();
    }
  }

  /** False if the key is gone. */
  async #renew(ttlMs: number, deadlineMs: number): Promise<boolean> {
    if (this.#move === undefined && secondsOf(ttlMs) !== this.#lease.requestedSeconds) {
      if (this.#outlasts(ttlMs)) return this.#isIn(await this.#read(deadlineMs));
      const key = { stored: this.#stored, owner: this.owner, createRevision: this.#createRevision };
      this.#move = await LeaseMove.start(this.#store, key, ttlMs, deadlineMs);
    }
    if (this.#move !== undefined) return await this.#finishMove(this.#move, deadlineMs);
    const reply = await this.#lease.renew(() => this.#read(deadlineMs), deadlineMs);
    return this.#isIn(reply);
  }

  /** A renewal never shortens a hold: it moves to a shorter lease only when less is left of the longer one. */
  #outlasts(ttlMs: number): boolean {
    return remainingMs(this.#lease.validity, this.#runtime) >= ttlMs;
  }

  async #finishMove(move: LeaseMove, deadlineMs: number): Promise<boolean> {
    try {
      if (!(await move.finish(deadlineMs))) return false;
    } catch (cause) {
      if (isLeaseGone(cause) && (await move.abandon(deadlineMs))) this.#move = undefined;
      throw cause;
    }
    const former = this.#lease;
    this.#lease = move.lease;
    this.#move = undefined;
    void this.#store.revoker.revoke(former.id, former.ttlMs);
    return true;
  }

  #renewed(): Renewal {
    const { validity } = this.#lease;
    if (remainingMs(validity, this.#runtime) > 0) return { kind: 'renewed', validity };
    return { kind: 'unknown', cause: new EtcdDoubt('the proof came too late') };
  }

  /** A server that lags, or a leader that was replaced, may not know a lease that lives: the key itself decides. */
  async #lostIfGone(cause: unknown, deadlineMs: number): Promise<Renewal> {
    try {
      return this.#isIn(await this.#read(deadlineMs)) ? { kind: 'unknown', cause } : this.#lost();
    } catch (doubt) {
      return { kind: 'unknown', cause: doubt };
    }
  }

  #lost(): Renewal {
    this.#isOver = true;
    this.#revokeLeases();
    return { kind: 'lost' };
  }

  #read(deadlineMs: number): Promise<RangeReply> {
    return this.#store.requests.range({ kind: 'read', key: this.#stored }, deadlineMs);
  }

  #isIn({ keys: [own] }: RangeReply): boolean {
    return own?.createRevision === this.#createRevision;
  }

  get #isOwn(): { readonly key: string; readonly target: 'create'; readonly revision: bigint } {
    return { key: this.#stored, target: 'create', revision: this.#createRevision };
  }

  #revokeLeases(): void {
    for (const lease of [this.#lease, this.#move?.lease]) {
      if (lease !== undefined) void this.#store.revoker.revoke(lease.id, lease.ttlMs);
    }
  }

  get #runtime(): Runtime {
    return this.#store.host.runtime;
  }
}
