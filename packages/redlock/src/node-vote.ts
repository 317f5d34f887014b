import { callDeadlineMs, type Instant, type Release } from '@holdfast/core';
import {
  isRemainingMs,
  type Lifetime,
  leftMs,
  lifetimeOf,
  outcomeOf,
  type UnresolvedAttempts,
} from '@holdfast/redis';
import { NodeUnavailable, type RedisNode, type Reply } from '@holdfast/redis/port';
import type { StoredKeys } from './keys.ts';
import {
  type Failure,
  failureOf,
  foreignKeyError,
  isForeign,
  isOverwritten,
  type KeyOnNode,
} from './replies.ts';
import { ACQUIRE, AGREED } from './scripts/acquire.ts';
import { reportNode, type Store } from './store.ts';
import { releaseVote, renewVote, undoOf, unexpectedReply } from './vote-calls.ts';
import { withPlace } from './with-place.ts';

/** One question to a node: whether it gives its vote to this owner value. */
export interface VoteRequest {
  readonly owner: string;
  readonly ttlMs: number;
  /** Read before anything leaves: no node starts the ttl earlier than this. */
  readonly from: Instant;
  /** Monotonic. */
  readonly deadlineMs: number;
}

/** A node, and where in the list it stands, from 1. */
export interface ListedNode {
  readonly node: RedisNode;
  readonly place: number;
}

/** What a node said to it. */
export type VoteReply =
  | { readonly kind: 'agreed' }
  | { readonly kind: 'taken'; readonly remainingMs: number }
  | Failure;

/** What became of the vote of one node when it was to be renewed. */
export type VoteRenewal = 'kept' | 'gone' | 'unknown';

/** A release is retried at least this often: the node may come back at any time. */
const PAUSE_MS_MAX = 2_000;

/**
 * One node, as one hold sees it: which owner value it was asked for last, and whether that value counts there.
 *
 * `counts` is the only state in which the node's vote may be counted. It is reached by an agreement that came in time,
 * and every owner value is asked for once: so no undo of a value that counts was ever sent to its node.
 */
export class NodeVote {
  readonly node: RedisNode;
  readonly #place: number;
  readonly #store: Store;
  readonly #keys: StoredKeys;
  readonly #unresolved: UnresolvedAttempts;
  /** `stands`: agreed, but must not count any more. `doubted`: nobody knows, and the doubts take care of it. */
  #state: 'none' | 'asking' | 'counts' | 'stands' | 'doubted' = 'none';
  #owner = '';
  /** What the node was as it was asked. */
  #run: string | undefined;
  #ttlMs = 0;
  /** Of the call after which the vote stands longest. */
  #lifetime: Lifetime | undefined;
  #released: Promise<Release> | undefined;
  #isQuiet = false;
  #hasAgreed = false;

  constructor(
    store: Store,
    { node, place }: ListedNode,
    keys: StoredKeys,
    unresolved: UnresolvedAttempts,
  ) {
    this.#store = store;
    this.node = node;
    this.#place = place;
    this.#keys = keys;
    this.#unresolved = unresolved;
  }

  /** Whether something may stand here of which the doubts do not know. */
  get mayBeStored(): boolean {
    return this.#state === 'asking' || this.#state === 'counts' || this.#state === 'stands';
  }

  /** How much longer that may be; 0 where nothing stands. */
  get mayBeStoredMs(): number {
    return this.mayBeStored ? this.#leftMs() : 0;
  }

  /** Whether the node has not answered the question yet. */
  get isAwaitingReply(): boolean {
    return this.#state === 'asking';
  }

  /** The answer to the first release; undefined before one. */
  get released(): Promise<Release> | undefined {
    return this.#released;
  }

  /** Whether the node has ever given its vote, wanted or not. */
  get hasAgreed(): boolean {
    return this.#hasAgreed;
  }

  /** Whether the node has no vote of ours that counts, and is not being asked for one. */
  get isFree(): boolean {
    return this.#state !== 'counts' && this.#state !== 'asking';
  }

  get key(): string {
    return this.#keys.key;
  }

  /** Asks the node for its vote; never rejects. What comes too late to count is given back. */
  async acquire(request: VoteRequest): Promise<VoteReply> {
    const placed = { ...request, owner: withPlace(request.owner, this.#place) };
    this.#owner = placed.owner;
    this.#state = 'asking';
    this.#mayBeStoredThere(placed);
    const reply = await this.#request(placed);
    if (reply.kind !== 'agreed') {
      this.#state = reply.kind === 'unknown' ? 'doubted' : 'none';
      return reply;
    }
    this.#hasAgreed = true;
    const isInTime = this.#nowMs() <= placed.deadlineMs;
    if (isInTime && this.#released === undefined) {
      this.#state = 'counts';
      return reply;
    }
    // From here on a release of this value may be under way, so it never counts.
    this.#state = 'stands';
    this.#store.pendingReleases.track(this.#sendRelease());
    return isInTime ? reply : this.#lateReply();
  }

  /** Lengthens the vote if it counts; never rejects. */
  async renew(request: Omit<VoteRequest, 'owner'>): Promise<VoteRenewal> {
    // The answer to a question that is still open counts from the next round.
    if (this.#state === 'asking') return 'unknown';
    if (this.#state !== 'counts') return 'gone';
    const owner = this.#owner;
    const before = this.#lifetime;
    const lifetime = this.#mayBeStoredThere(request);
    const reply = await this.#sendRenewal(owner, request);
    if (reply !== 0) {
      void this.#store.registry.recheck(this.node);
      return reply === 1 && this.#nowMs() <= request.deadlineMs ? 'kept' : 'unknown';
    }
    // Whoever it was that said so has lengthened nothing.
    if (this.#lifetime === lifetime) this.#lifetime = before;
    if (!this.#isGone && !(await this.#provesGone(request.deadlineMs))) return 'unknown';
    // Unless the node has been asked for another value meanwhile.
    if (this.#isCounting(owner)) this.#state = 'none';
    reportNode(this.#store.host, this.node, { outcome: 'gone', key: this.#keys.key });
    return 'gone';
  }

  /**
   * Ends the hold here, whatever is still on its way; never rejects. A doubtful release is sent again, and then wakes
   * waiters in any case: by that time they may know of this vote.
   */
  async release({ quietly = false }: { readonly quietly?: boolean } = {}): Promise<Release> {
    this.#isQuiet = quietly;
    this.#released = this.#sendRelease();
    return await this.#released;
  }

  async #sendRelease(): Promise<Release> {
    // By the time of a retry the node may have been asked for another value, which this must not touch.
    const owner = this.#owner;
    const isOurs = this.mayBeStored;
    const first = await this.#undo(owner, this.#isQuiet);
    if (first.kind !== 'unknown') return first;
    if (!isOurs) return this.#state === 'doubted' ? first : { kind: 'not-held' };
    this.#store.pendingReleases.add({
      release: () => this.#undo(owner),
      leftMs: () => this.#leftMs(),
      pauseMsMax: PAUSE_MS_MAX,
    });
    return first;
  }

  async #undo(owner: string, quietly = false): Promise<Release> {
    const release = await this.#send(owner, quietly);
    // Where the answer to the question is still to come, the question may yet be executed behind this.
    const isSettled = this.#owner === owner && this.#state !== 'asking';
    if (release.kind !== 'unknown' && isSettled) this.#state = 'none';
    return release;
  }

  async #request(ask: VoteRequest): Promise<VoteReply> {
    const { owner, ttlMs, deadlineMs, from } = ask;
    const options = { deadlineMs, undo: undoOf(this.#keys, ask) };
    let reply: Reply;
    try {
      if (!this.#store.registry.has(this.node))
        await this.#store.registry.admit(this.node, deadlineMs);
      this.#run = this.#store.registry.runOf(this.node);
      reply = await this.node.script(ACQUIRE, [this.#keys.vote], [owner, `${ttlMs}`], options);
    } catch (cause) {
      const failure = failureOf(cause, this.#keyOnNode);
      if (failure.kind === 'unknown') this.#addUnresolved(owner, from, cause);
      return this.#reported(failure);
    }
    if (reply === AGREED) {
      return this.#store.registry.has(this.node) ? this.#agreed() : await this.#onceAdmitted(ask);
    }
    if (isRemainingMs(reply)) return { kind: 'taken', remainingMs: reply };
    if (!isForeign(reply)) return this.#unexpectedReply(ask, reply);
    return this.#reported({ kind: 'refused', error: foreignKeyError(reply, this.#keyOnNode) });
  }

  /** It connected anew before the question left, and may be a server that votes already. */
  async #onceAdmitted({ owner, from, deadlineMs }: VoteRequest): Promise<VoteReply> {
    const { connections, address } = this.node;
    try {
      await this.#store.registry.admit(this.node, deadlineMs);
      // What was looked at may be behind a later connection than what has agreed.
      if (this.node.connections !== connections)
        throw new NodeUnavailable(`${address}: another server may have agreed for it`);
      return this.#agreed();
    } catch (cause) {
      this.#addUnresolved(owner, from, cause);
      return this.#reported({ kind: 'unknown', cause });
    }
  }

  /** By what the node is known to be now: it may have connected anew since it was asked. */
  #agreed(): VoteReply {
    this.#run = this.#store.registry.runOf(this.node);
    return { kind: 'agreed' };
  }

  async #sendRenewal(
    owner: string,
    { ttlMs, deadlineMs }: Omit<VoteRequest, 'owner'>,
  ): Promise<Reply> {
    try {
      return await renewVote(this.node, this.#keys, { owner, ttlMs, deadlineMs });
    } catch (cause) {
      if (isOverwritten(cause)) return 0;
      this.#report(cause);
      return null;
    }
  }

  /** Asks the node once to release one owner value; a call may take a tenth of the ttl. */
  async #send(owner: string, quietly = false): Promise<Release> {
    const deadlineMs = this.#nowMs() + callDeadlineMs(this.#ttlMs);
    try {
      const reply = await releaseVote(this.node, this.#keys, { owner, quietly, deadlineMs });
      if (reply === 1) return { kind: 'released' };
    } catch (cause) {
      if (!isOverwritten(cause)) {
        if (this.#state !== 'none') this.#report(cause);
        return { kind: 'unknown', cause };
      }
    }
    if (this.#isGone || (await this.#provesGone(deadlineMs))) return { kind: 'not-held' };
    const cause = new Error(`${this.node.address}: another server may have answered for it`);
    return { kind: 'unknown', cause };
  }

  /**
   * Whether a vote is gone of which it has just been said. It is where the server said so that gave it; another one to
   * which the address leads by now has no vote of this place, and knows nothing of the one that was given. And it is once
   * its time is over: else a node whose address is another's for good would never be asked for a vote again.
   */
  get #isGone(): boolean {
    return this.#leftMs() === 0 || this.#store.registry.gaveVote(this.node, this.#run);
  }

  #provesGone(deadlineMs: number): Promise<boolean> {
    return this.#store.registry.provesVoteGone(this.node, this.#run, deadlineMs);
  }

  #unexpectedReply({ owner, from }: VoteRequest, reply: Reply): VoteReply {
    const cause = unexpectedReply(this.node, ACQUIRE, reply);
    this.#addUnresolved(owner, from, cause);
    return this.#reported({ kind: 'unknown', cause });
  }

  #addUnresolved(owner: string, from: Instant, cause: unknown): void {
    this.#unresolved.add(() => this.#send(owner), from, cause, this.#ttlMs);
  }

  #lateReply(): VoteReply {
    const cause = new Error(`${this.node.address}: agreed after the deadline`);
    reportNode(this.#store.host, this.node, { outcome: 'late', key: this.#keys.key, cause });
    return { kind: 'unknown', cause };
  }

  #reported(failure: Failure): Failure {
    this.#report(failure.kind === 'refused' ? failure.error : failure.cause);
    return failure;
  }

  #report(cause: unknown): void {
    const outcome = outcomeOf(cause);
    reportNode(this.#store.host, this.node, { outcome, key: this.#keys.key, cause });
  }

  #isCounting(owner: string): boolean {
    return this.#state === 'counts' && this.#owner === owner;
  }

  #mayBeStoredThere({ from, ttlMs }: Omit<VoteRequest, 'owner'>): Lifetime {
    this.#ttlMs = ttlMs;
    const lifetime = lifetimeOf(from, ttlMs);
    if (lifetime.ms > this.#leftMs()) this.#lifetime = lifetime;
    return lifetime;
  }

  #leftMs(): number {
    return this.#lifetime === undefined ? 0 : leftMs(this.#lifetime, this.#store.host.runtime);
  }

  #nowMs(): number {
    return this.#store.host.runtime.now().monotonicMs;
  }

  get #keyOnNode(): KeyOnNode {
    return { key: this.#keys.key, node: this.node.address };
  }
}
