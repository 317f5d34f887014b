import { type Host, type Instant, remainingMs, type Validity } from '@holdfast/core/backend';
import { sessionNodeOf } from './keys.ts';
import type { Answered, ZooKeeperSession } from './port.ts';
import {
  isLasting,
  isRecentlyProven,
  isReusable,
  type LeaderReplies,
  validityOf,
} from './proof-of-life.ts';
import { ensureRoots, isReplyCode } from './roots.ts';
import type { Store } from './store.ts';

/** A write, and the validity of leases that it proves. */
export interface Proven {
  readonly validity: Validity;
}

/**
 * Proves that a session lives, by writes to an ephemeral node of its own. Writes to contender nodes would wake the
 * waiters that watch them.
 */
export class SessionProver {
  readonly #session: ZooKeeperSession;
  readonly #store: Store;
  readonly #leaderReplies: LeaderReplies;
  readonly #path: string;
  /** True if the node exists, as far as is known. */
  #isCreated = false;
  #latest: { readonly sentAt: Instant; readonly validity: Validity } | undefined;
  #proving: Promise<Validity> | undefined;
  #preparing: Promise<void> | undefined;
  /** The time that the leader's latest reply took. */
  #roundTripMs = 0;

  constructor(session: ZooKeeperSession, store: Store, leaderReplies: LeaderReplies) {
    this.#session = session;
    this.#store = store;
    this.#leaderReplies = leaderReplies;
    this.#path = sessionNodeOf(store.layout, session.id);
  }

  /** Makes sure that a creation which is sent next proves enough: syncs first, unless the leader has replied lately. */
  async prepare(): Promise<void> {
    if (isRecentlyProven(this.#provableMs(), this.#session.timeoutMs)) return;
    this.#preparing ??= this.syncWithLeader().finally(() => {
      this.#preparing = undefined;
    });
    await this.#preparing;
  }

  /** Sends a write. The proof counts with the p that is known when it is sent, not with later replies. */
  async proveBy<T extends Answered>(write: () => Promise<T>): Promise<T & Proven> {
    const touched = this.#touched();
    const answered = await write();
    this.#recordReply(answered);
    const validity = validityOf({ sentAt: answered.sentAt, touched }, this.#session.timeoutMs);
    return { ...answered, validity };
  }

  /** Returns the validity of the latest proof if that is less than T/6 old, else of a new one. Rejects as the session does. */
  prove(): Promise<Validity> {
    const latest = this.#recentProof();
    if (latest !== undefined) return Promise.resolve(latest);
    this.#proving ??= this.#write().finally(() => {
      this.#proving = undefined;
    });
    return this.#proving;
  }

  /** Sends a request that the leader must answer. Rejects as the session does. */
  async syncWithLeader(): Promise<void> {
    this.#recordReply(await this.#session.sync(this.#store.layout.locks));
  }

  /** Syncs first if too little would be left by the time of the reply: a write for nothing takes longer. */
  async #write(): Promise<Validity> {
    const leftMs = this.#provableMs() - this.#roundTripMs;
    if (!isLasting(leftMs, this.#session.timeoutMs)) await this.syncWithLeader();
    const { sentAt, validity } = await this.proveBy(() => this.#writeSessionNode());
    this.#isCreated = true;
    this.#latest = { sentAt, validity };
    return validity;
  }

  #recordReply(answered: Answered): void {
    this.#leaderReplies.add(answered);
    this.#roundTripMs = this.#host.runtime.elapsedMs(answered.sentAt);
  }

  #recentProof(): Validity | undefined {
    if (this.#latest === undefined) return undefined;
    const { runtime } = this.#host;
    const { timeoutMs } = this.#session;
    const { sentAt, validity } = this.#latest;
    const isEnough = isReusable(
      runtime.elapsedMs(sentAt),
      remainingMs(validity, runtime),
      timeoutMs,
    );
    return isEnough ? validity : undefined;
  }

  /** Any write is a proof, also the creation of the node. */
  async #writeSessionNode(): Promise<Answered> {
    if (!this.#isCreated) return await this.#createNode();
    try {
      return await this.#rewrite();
    } catch (cause) {
      if (!isReplyCode(cause, 'NONODE')) throw cause;
      return await this.#createNode();
    }
  }

  async #createNode(): Promise<Answered> {
    const { acl, layout } = this.#store;
    const create = (): Promise<Answered> =>
      this.#session.create(this.#path, this.#host.label, { mode: 'ephemeral', acl });
    try {
      return await create();
    } catch (cause) {
      // The reply to an earlier creation was lost.
      if (isReplyCode(cause, 'NODEEXISTS')) return await this.#rewrite();
      if (!isReplyCode(cause, 'NONODE')) throw cause;
      return await ensureRoots(this.#session, layout.roots, acl).then(create);
    }
  }

  #rewrite(): Promise<Answered> {
    return this.#session.setData(this.#path, this.#host.label);
  }

  /** The validity that is left of a write that is sent now. */
  #provableMs(): number {
    const { runtime } = this.#host;
    const proof = { sentAt: runtime.now(), touched: this.#touched() };
    return remainingMs(validityOf(proof, this.#session.timeoutMs), runtime);
  }

  /** p, for a write that is sent now. */
  #touched(): Instant {
    return this.#leaderReplies.touched();
  }

  get #host(): Host {
    return this.#store.host;
  }
}
