import type { Release } from '@holdfast/core';
import type { RedisNode } from '@holdfast/redis/port';
import { type Doubts, NodeCalls } from './node-calls.ts';
import { exportedAt, reportNode, type Store, type StoredKeys, withPlace } from './store.ts';
import { Vote, type VoteRenewal, type VoteReply, type VoteRequest } from './vote.ts';

/** A node, and its place in the list, from 1. */
export interface ListedNode {
  readonly node: RedisNode;
  readonly place: number;
}

/** One node of one hold: requests, renews and releases its vote. {@link Vote} decides whether the vote counts. */
export class NodeVote {
  readonly node: RedisNode;
  readonly key: string;
  readonly #place: number;
  readonly #store: Store;
  readonly #vote = new Vote();
  readonly #calls: NodeCalls;
  #released: Promise<Release> | undefined;
  #isQuiet = false;

  constructor(store: Store, { node, place }: ListedNode, keys: StoredKeys, unresolved: Doubts) {
    this.node = node;
    this.key = keys.key;
    this.#place = place;
    this.#store = store;
    this.#calls = new NodeCalls({ store, node, keys, vote: this.#vote, unresolved });
  }

  /** The owner value that the node was last requested to store, with its place. */
  get owner(): string {
    return this.#vote.owner;
  }

  /** The remaining time for which the node may store a value that `UnresolvedAttempts` does not know; 0 if none. */
  get mayBeStoredMs(): number {
    return this.#vote.mayBeStored ? this.#calls.leftMs : 0;
  }

  /** True if the node has not replied to the request yet. */
  get isAwaitingReply(): boolean {
    return this.#vote.isRequested;
  }

  /** The reply to the first release; undefined before it. */
  get released(): Promise<Release> | undefined {
    return this.#released;
  }

  /** True if the node has ever given its vote, in time or late. */
  get hasAgreed(): boolean {
    return this.#vote.hasAgreed;
  }

  /** True if the node has no vote that counts, and no request for one is outstanding. */
  get isFree(): boolean {
    return !this.#vote.counts && !this.#vote.isRequested;
  }

  /**
   * Requests the vote; never rejects. Releases a vote that comes too late to count, unless it is adopted: then it stays
   * for the next attempt, until the hold ends.
   */
  async acquire(request: VoteRequest): Promise<VoteReply> {
    const placed = this.#placed(request);
    this.#vote.requested(placed.owner);
    const reply = await this.#calls.acquire(placed);
    if (reply.kind !== 'agreed') {
      this.#vote.notAcquired(reply);
      return reply;
    }
    const isInTime = this.#nowMs() <= placed.deadlineMs;
    if (this.#vote.acquired(isInTime)) return reply;
    if (request.exported === undefined || this.#vote.hasEnded)
      this.#store.pendingReleases.track(this.#sendRelease());
    return isInTime ? reply : this.#lateReply();
  }

  /** Renews the vote if it counts; never rejects. */
  async renew(request: Omit<VoteRequest, 'owner'>): Promise<VoteRenewal> {
    // A vote whose request is outstanding counts from the next round.
    if (this.#vote.isRequested) return 'unknown';
    if (!this.#vote.counts) return 'gone';
    const { owner } = this.#vote;
    const reply = await this.#calls.renew(owner, request);
    if (reply !== 0) {
      void this.#store.registry.recheck(this.node);
      return reply === 1 && this.#nowMs() <= request.deadlineMs ? 'kept' : 'unknown';
    }
    if (!this.#calls.isGone && !(await this.#calls.provesGone(request.deadlineMs)))
      return 'unknown';
    this.#vote.lost(owner);
    reportNode(this.#store.host, this.node, { outcome: 'gone', key: this.key });
    return 'gone';
  }

  /**
   * Ends the hold on this node, whatever is still on its way; never rejects. Retries a doubtful release, and then always
   * wakes waiters: by that time they may know of this vote.
   */
  async release({ quietly = false }: { readonly quietly?: boolean } = {}): Promise<Release> {
    this.#isQuiet = quietly;
    this.#vote.ended();
    this.#released = this.#sendRelease();
    return await this.#released;
  }

  /** The hold was exported: nothing that the node replies from now on counts, and no release leaves for what counted. */
  end(): void {
    this.#vote.ended();
  }

  #placed({ owner, ttlMs, from, deadlineMs, exported }: VoteRequest): VoteRequest {
    const placed = { owner: withPlace(owner, this.#place), ttlMs, from, deadlineMs };
    if (exported === undefined) return placed;
    return { ...placed, exported: exportedAt(exported, this.#place) };
  }

  async #sendRelease(): Promise<Release> {
    // Healing may request another value before a retry, which must not touch that one.
    const { owner, mayBeStored } = this.#vote;
    const first = await this.#releaseOnce(owner, this.#isQuiet);
    if (first.kind !== 'unknown') return first;
    if (!mayBeStored) return this.#vote.isUnknown ? first : { kind: 'not-held' };
    this.#store.pendingReleases.add({
      release: () => this.#releaseOnce(owner),
      leftMs: () => this.#calls.leftMs,
    });
    return first;
  }

  async #releaseOnce(owner: string, quietly = false): Promise<Release> {
    const release = await this.#calls.release(owner, quietly);
    if (release.kind !== 'unknown') this.#vote.released(owner);
    return release;
  }

  #lateReply(): VoteReply {
    const cause = new Error(`${this.node.address}: agreed after the deadline`);
    reportNode(this.#store.host, this.node, { outcome: 'late', key: this.key, cause });
    return { kind: 'unknown', cause };
  }

  #nowMs(): number {
    return this.#store.host.runtime.now().monotonicMs;
  }
}
