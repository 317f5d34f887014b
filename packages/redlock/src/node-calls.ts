import { callDeadlineMs, type Release } from '@holdfast/core/backend';
import {
  type ErrorContext,
  expectReply,
  type Failure,
  failureOf,
  foreignKeyError,
  isOverwritten,
  isRemainingMs,
  isZeroOrOne,
  type Lifetime,
  leftMs,
  lifetimeOf,
  outcomeOf,
  UnexpectedReply,
  type UnresolvedAttempts,
  undoBy,
} from '@holdfast/redis';
import { NodeUnavailable, type RedisNode, type Reply, type Script } from '@holdfast/redis/port';
import { ADOPT, GONE } from './adopt-script.ts';
import { NAME } from './identity.ts';
import { ACQUIRE_PLAIN, NO_EXPIRY } from './plain-script.ts';
import { ACQUIRE, AGREED, FOREIGN, QUIETLY, RELEASE, RENEW } from './scripts.ts';
import { reportNode, type Store, type StoredKeys } from './store.ts';
import type { Vote, VoteReply, VoteRequest } from './vote.ts';

/** Takes the attempts whose outcome is unknown, to release what they may have stored. */
export type Doubts = Pick<UnresolvedAttempts, 'add'>;

/** Everything that {@link NodeCalls} is made of. */
export interface NodeCallsParts {
  readonly store: Store;
  readonly node: RedisNode;
  readonly keys: StoredKeys;
  readonly vote: Vote;
  readonly unresolved: Doubts;
}

/**
 * The calls of one hold to one node. Knows for how long what they stored may stay there, and whether a reply came from
 * the server that gave the vote: an address may lead to another server after a reconnect.
 */
export class NodeCalls {
  readonly #parts: NodeCallsParts;
  /** The run of the server as of the latest request; it identifies the server that gave the vote. */
  #run: string | undefined;
  #ttlMs = 0;
  /** The longest lifetime that any call so far requested. */
  #lifetime: Lifetime | undefined;

  constructor(parts: NodeCallsParts) {
    this.#parts = parts;
  }

  /** The remaining time for which a value may be stored. */
  get leftMs(): number {
    const { runtime } = this.#parts.store.host;
    return this.#lifetime === undefined ? 0 : leftMs(this.#lifetime, runtime);
  }

  /**
   * Requests the vote; never rejects. Only a node that the registry has admitted on its present connection may agree:
   * else a server that is listed twice would vote twice.
   */
  async acquire(request: VoteRequest): Promise<VoteReply> {
    const { store, node } = this.#parts;
    const { registry } = store;
    const { deadlineMs } = request;
    this.#extendLifetime(request);
    let reply: Reply;
    try {
      if (!registry.has(node)) await registry.admit(node, deadlineMs);
      this.#run = registry.runOf(node);
      reply = await this.#request(request);
    } catch (cause) {
      const failure = failureOf(cause, this.#context);
      if (failure.kind === 'unknown') this.#addUnresolved(request, cause);
      return this.#reported(failure);
    }
    if (reply === AGREED) {
      return registry.has(node) ? this.#agreed() : await this.#onceAdmitted(request);
    }
    if (reply === GONE) return { kind: 'gone' };
    const { isPlain } = this.#parts.keys;
    if (isPlain && reply === NO_EXPIRY)
      return { kind: 'taken', remainingMs: Number.POSITIVE_INFINITY };
    if (isRemainingMs(reply)) return { kind: 'taken', remainingMs: reply };
    const foreign = isPlain ? undefined : FOREIGN.get(reply);
    if (foreign === undefined)
      return this.#unknown(request, new UnexpectedReply(this.#nameOf(ACQUIRE), reply));
    return this.#reported({ kind: 'refused', error: foreignKeyError(foreign, this.#context) });
  }

  /** Renews the vote; undefined if the reply is unknown, 0 if it is not stored. Never rejects. */
  async renew(
    owner: string,
    { ttlMs, from, deadlineMs }: Omit<VoteRequest, 'owner'>,
  ): Promise<0 | 1 | undefined> {
    const before = this.#lifetime;
    const lifetime = this.#extendLifetime({ from, ttlMs });
    let reply: 0 | 1;
    try {
      reply = await this.#call(RENEW, [owner, `${ttlMs}`], deadlineMs);
    } catch (cause) {
      if (!isOverwritten(cause)) {
        this.#report(cause);
        return undefined;
      }
      reply = 0;
    }
    // A server that replies 0 has lengthened nothing, whichever server it is.
    if (reply === 0 && this.#lifetime === lifetime) this.#lifetime = before;
    return reply;
  }

  /** Releases one owner value, once; never rejects. The call may take a tenth of the ttl. */
  async release(owner: string, quietly = false): Promise<Release> {
    const { store, node, vote } = this.#parts;
    const deadlineMs = store.host.runtime.now().monotonicMs + callDeadlineMs(this.#ttlMs);
    try {
      const reply = await this.#call(RELEASE, quietly ? [owner, QUIETLY] : [owner], deadlineMs);
      if (reply === 1) return { kind: 'released' };
    } catch (cause) {
      if (!isOverwritten(cause)) {
        if (!vote.isNone) this.#report(cause);
        return { kind: 'unknown', cause };
      }
    }
    if (this.isGone || (await this.provesGone(deadlineMs))) return { kind: 'not-held' };
    const cause = new Error(`${node.address}: another server may have replied`);
    return { kind: 'unknown', cause };
  }

  /**
   * True if a vote is gone that a server has just replied it does not store. The reply proves it if it came from the
   * server that gave the vote; another server to which the address leads by now never stored this vote. Once the ttl is
   * over the vote is gone anyway: else a node whose address now leads to another server would never be healed.
   */
  get isGone(): boolean {
    const { store, node } = this.#parts;
    return this.leftMs === 0 || store.registry.gaveVote(node, this.#run);
  }

  /** Checks {@link isGone} after the registry has checked the node again. */
  provesGone(deadlineMs: number): Promise<boolean> {
    const { store, node } = this.#parts;
    return store.registry.provesVoteGone(node, this.#run, deadlineMs);
  }

  /** An adoption has no undo behind it: that would leave its next attempt nothing to adopt. */
  #request({ owner, ttlMs, from, deadlineMs, exported }: VoteRequest): Promise<Reply> {
    const { node, keys } = this.#parts;
    const args = [owner, `${ttlMs}`];
    const undoKeys = [keys.vote, keys.channel];
    if (exported !== undefined)
      return node.script(ADOPT, undoKeys, [...args, exported], { deadlineMs });
    const undo = undoBy(RELEASE, undoKeys, owner, lifetimeOf(from, ttlMs));
    const acquire = keys.isPlain ? ACQUIRE_PLAIN : ACQUIRE;
    return node.script(acquire, [keys.vote], args, { deadlineMs, undo });
  }

  /** Sends one script whose reply is 0 or 1. @throws UnexpectedReply, and what `node.script` throws */
  async #call(script: Script, args: readonly string[], deadlineMs: number): Promise<0 | 1> {
    const { node, keys } = this.#parts;
    const reply = await node.script(script, [keys.vote, keys.channel], args, { deadlineMs });
    return expectReply(this.#nameOf(script), reply, isZeroOrOne);
  }

  /** The node connected anew before the request left, and may be a server that has voted under another address. */
  async #onceAdmitted(request: VoteRequest): Promise<VoteReply> {
    const { store, node } = this.#parts;
    const { connections, address } = node;
    try {
      await store.registry.admit(node, request.deadlineMs);
      // The registry may have checked a later connection than the one that replied.
      if (node.connections !== connections)
        throw new NodeUnavailable(`${address}: another server may have agreed for it`);
      return this.#agreed();
    } catch (cause) {
      return this.#unknown(request, cause);
    }
  }

  /** Takes the run that the registry knows now: the node may have connected anew since the request left. */
  #agreed(): VoteReply {
    const { store, node } = this.#parts;
    this.#run = store.registry.runOf(node);
    return { kind: 'agreed' };
  }

  #unknown(request: VoteRequest, cause: unknown): VoteReply {
    this.#addUnresolved(request, cause);
    return this.#reported({ kind: 'unknown', cause });
  }

  #addUnresolved({ owner, from }: VoteRequest, cause: unknown): void {
    this.#parts.unresolved.add(() => this.release(owner), from, cause, this.#ttlMs);
  }

  #reported(failure: Failure): Failure {
    this.#report(failure.kind === 'refused' ? failure.error : failure.cause);
    return failure;
  }

  #report(cause: unknown): void {
    const { store, node, keys } = this.#parts;
    reportNode(store.host, node, { outcome: outcomeOf(cause), key: keys.key, cause });
  }

  #extendLifetime({ from, ttlMs }: Pick<VoteRequest, 'from' | 'ttlMs'>): Lifetime {
    this.#ttlMs = ttlMs;
    const lifetime = lifetimeOf(from, ttlMs);
    if (lifetime.ms > this.leftMs) this.#lifetime = lifetime;
    return lifetime;
  }

  #nameOf({ name }: Script): string {
    return `${this.#parts.node.address}: ${name}`;
  }

  get #context(): ErrorContext {
    const { node, keys } = this.#parts;
    return { backend: NAME, key: keys.key, node: node.address };
  }
}
