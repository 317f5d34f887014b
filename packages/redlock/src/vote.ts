import type { Instant } from '@holdfast/core';
import type { Failure } from '@holdfast/redis';

/** A request for the vote of a node under one owner value. */
export interface VoteRequest {
  readonly owner: string;
  readonly ttlMs: number;
  /** Read before anything leaves: no node starts the ttl earlier than this. */
  readonly from: Instant;
  /** Monotonic. */
  readonly deadlineMs: number;
  /** The exported owner value to replace, instead of a free vote to take. */
  readonly exported?: string;
}

/** A node's reply to a {@link VoteRequest}; `gone`: it has no exported vote to replace. */
export type VoteReply =
  | { readonly kind: 'agreed' | 'gone' }
  | { readonly kind: 'taken'; readonly remainingMs: number }
  | Failure;

/** The result of renewing the vote of one node. */
export type VoteRenewal = 'kept' | 'gone' | 'unknown';

/**
 * The vote of one node for one hold, and the rule which vote counts:
 *
 * **A vote counts only if its acquire reply came in time. An owner value for which an undo or a release was ever sent to
 * a node is never counted there again.**
 *
 * Two majorities share a node, and a node stores one owner value at a time. So two holds exclude each other as long as
 * every vote that counts stays stored until its holder ends the hold or the ttl is over. A node that loses its data and
 * an operator's forced release cost that vote. Besides these only an undo or a release deletes a vote. Both compare the
 * whole owner value, and none is ever under way to a node for a value that counts there:
 *
 * 1. The connection sends an undo only behind a call that it gave up, which then rejects. If the reply came in time, the
 *    call was not given up: {@link acquired} is the only way to `counts`.
 * 2. The client releases a value after a late reply, which leads to `stored`; after an unknown outcome, which leads to
 *    `unknown`; or at the end of the hold. From {@link ended} on no reply leads to `counts`.
 * 3. Every owner value is requested from a node once: each attempt, and each healing, uses the next n. So an undo or
 *    release of an earlier request, however late, names another value. An earlier request that arrives late changes
 *    nothing, because the script overwrites only a smaller n.
 */
export class Vote {
  /**
   * - `requested`: the node has not replied.
   * - `counts`: the node agreed in time.
   * - `stored`: the node agreed, but the vote must not count: a release of it may be under way.
   * - `unknown`: the vote may be stored; `UnresolvedAttempts` releases it.
   */
  #state: 'none' | 'requested' | 'counts' | 'stored' | 'unknown' = 'none';
  #owner = '';
  #hasAgreed = false;
  #hasEnded = false;

  /** The value that the node was last requested to store. */
  get owner(): string {
    return this.#owner;
  }

  get isNone(): boolean {
    return this.#state === 'none';
  }

  get isRequested(): boolean {
    return this.#state === 'requested';
  }

  get counts(): boolean {
    return this.#state === 'counts';
  }

  get isUnknown(): boolean {
    return this.#state === 'unknown';
  }

  /** True if the node may store a value that `UnresolvedAttempts` does not know. */
  get mayBeStored(): boolean {
    return this.#state === 'requested' || this.#state === 'counts' || this.#state === 'stored';
  }

  /** True if the node has ever given its vote, in time or late. */
  get hasAgreed(): boolean {
    return this.#hasAgreed;
  }

  /** A request leaves. Its owner value is a new one. */
  requested(owner: string): void {
    this.#owner = owner;
    this.#state = 'requested';
  }

  /** The node agreed. Returns true if the vote counts; if not, the caller releases it. */
  acquired(isInTime: boolean): boolean {
    this.#hasAgreed = true;
    const counts = isInTime && !this.#hasEnded;
    this.#state = counts ? 'counts' : 'stored';
    return counts;
  }

  /** The node did not agree, or its reply is unknown. */
  notAcquired({ kind }: VoteReply): void {
    this.#state = kind === 'unknown' ? 'unknown' : 'none';
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The hold ends, and a release leaves, or the hold is exported: nothing that the node replies from now on counts. */
  ended(): void {
    this.#hasEnded = true;
  }

  /** A renewal proved that `owner` is gone. Ignored if the node has been requested to store another value meanwhile. */
  lost(owner: string): void {
    if (this.#state === 'counts' && this.#owner === owner) this.#state = 'none';
  }

  /**
   * A release of `owner` had a definite reply. Ignored while the reply to the request is outstanding: the request may
   * still be executed after the release.
   */
  released(owner: string): void {
    if (this.#owner === owner && this.#state !== 'requested') this.#state = 'none';
  }
}
