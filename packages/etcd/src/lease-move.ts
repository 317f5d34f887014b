import { type Runtime, remainingMs } from '@holdfast/core/backend';
import { isLeaseGone } from './failures.ts';
import { EtcdDoubt, type StoredKey, type Txn } from './port.ts';
import { isRecentlyProven } from './proof-of-life.ts';
import { ServerLease } from './server-lease.ts';
import type { Store } from './store.ts';

/** The key of a hold. */
export interface HeldKey {
  readonly stored: string;
  readonly owner: string;
  readonly createRevision: bigint;
}

/**
 * Moves the key of a hold to a lease with another ttl: a lease cannot change its own. A write to the key keeps its create
 * revision, and so the token and the place in the queue. A move whose reply was lost is finished before anything else
 * happens to the key. Each write expects the modification that the latest reply showed, so that one that arrives late, after
 * a further move, does nothing.
 */
export class LeaseMove {
  readonly lease: ServerLease;
  readonly #store: Store;
  readonly #key: HeldKey;

  private constructor(store: Store, key: HeldKey, lease: ServerLease) {
    this.#store = store;
    this.#key = key;
    this.lease = lease;
  }

  /** Rejects as the port does. */
  static async start(
    store: Store,
    key: HeldKey,
    ttlMs: number,
    deadlineMs: number,
  ): Promise<LeaseMove> {
    return new LeaseMove(store, key, await ServerLease.grant(store, ttlMs, deadlineMs));
  }

  /** Returns false if the key is gone. Rejects as the port does; then it may be called again. */
  async finish(deadlineMs: number): Promise<boolean> {
    const before = await this.#read(deadlineMs);
    if (before === undefined) return false;
    if (before.lease !== this.lease.id) {
      const { succeeded } = await this.#store.requests.txn(this.#write(before), deadlineMs);
      if (!succeeded) throw new EtcdDoubt('the key changed while it moved to another lease');
    }
    if (isRecentlyProven(remainingMs(this.lease.validity, this.#runtime), this.lease.ttlMs))
      return true;
    const after = await this.lease.renew(() => this.#range(deadlineMs), deadlineMs);
    return this.#ownIn(after.keys) !== undefined;
  }

  /**
   * Gives the new lease up after a server said that it is gone. Returns false if the key has moved to it. Once it is
   * revoked, no write that is still under way can move the key. Rejects as the port does.
   */
  async abandon(deadlineMs: number): Promise<boolean> {
    const own = await this.#read(deadlineMs);
    if (own?.lease === this.lease.id) return false;
    try {
      await this.#store.requests.revoke(this.lease.id, deadlineMs);
    } catch (cause) {
      if (!isLeaseGone(cause)) throw cause;
    }
    return true;
  }

  #write({ modRevision }: StoredKey): Txn {
    const { stored, owner } = this.#key;
    return {
      compare: [{ key: stored, target: 'mod', revision: modRevision }],
      success: [{ kind: 'put', key: stored, value: owner, lease: this.lease.id }],
      failure: [],
    };
  }

  async #read(deadlineMs: number): Promise<StoredKey | undefined> {
    return this.#ownIn((await this.#range(deadlineMs)).keys);
  }

  #range(deadlineMs: number): ReturnType<Store['requests']['range']> {
    return this.#store.requests.range({ kind: 'read', key: this.#key.stored }, deadlineMs);
  }

  get #runtime(): Runtime {
    return this.#store.host.runtime;
  }

  #ownIn([own]: readonly StoredKey[]): StoredKey | undefined {
    return own?.createRevision === this.#key.createRevision ? own : undefined;
  }
}
