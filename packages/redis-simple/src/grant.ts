import {
  callDeadlineMs,
  type Grant,
  type Instant,
  type Release,
  type Renewal,
  type Validity,
  validityMs,
} from '@holdfast/core';
import { isZeroOrOne, type Lifetime, leftMs, lifetimeOf, UnexpectedReply } from '@holdfast/redis';
import { RENEW } from './scripts/renew.ts';
import { reportNode, type Store } from './store.ts';
import { isOverwritten, release, type StoredHold } from './stored-hold.ts';

/** A release is retried at least this often: the server may come back at any time. */
const PAUSE_MS_MAX = 2_000;

/** One attempt that won. */
export interface WonAttempt extends StoredHold {
  /** When its request left. */
  readonly from: Instant;
  readonly ttlMs: number;
  readonly fencingToken: bigint;
}

/** One hold, and the only one that it can renew or release. */
export class SimpleGrant implements Grant {
  readonly owner: string;
  readonly fencingToken: bigint;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly #store: Store;
  readonly #hold: StoredHold;
  /** Of the call after which the key stands longest. */
  #lifetime: Lifetime;
  #ttlMs: number;

  constructor(store: Store, { keys, owner, from, ttlMs, fencingToken }: WonAttempt) {
    this.owner = owner;
    this.fencingToken = fencingToken;
    this.leaseMs = ttlMs;
    this.validity = { from, ms: validityMs(ttlMs) };
    this.#store = store;
    this.#hold = { keys, owner };
    this.#lifetime = lifetimeOf(from, ttlMs);
    this.#ttlMs = ttlMs;
  }

  async renew(ttlMs: number): Promise<Renewal> {
    const { node, host } = this.#store;
    const { lock, channel, key } = this.#hold.keys;
    const from = host.runtime.now();
    this.#ttlMs = ttlMs;
    this.#mayBeStored(lifetimeOf(from, ttlMs));
    const deadlineMs = from.monotonicMs + callDeadlineMs(ttlMs);
    try {
      const args = [this.owner, `${ttlMs}`];
      const reply = await node.script(RENEW, [lock, channel], args, { deadlineMs });
      if (!isZeroOrOne(reply)) throw new UnexpectedReply(RENEW.name, reply);
      if (reply === 0) return { kind: 'lost' };
      return { kind: 'renewed', validity: { from, ms: validityMs(ttlMs) } };
    } catch (cause) {
      if (isOverwritten(cause)) return { kind: 'lost' };
      reportNode(this.#store, key, cause);
      return { kind: 'unknown', cause };
    }
  }

  async release(): Promise<Release> {
    const first = await this.#sendRelease();
    if (first.kind === 'unknown') {
      this.#store.pendingReleases.add({
        release: () => this.#sendRelease(),
        leftMs: () => leftMs(this.#lifetime, this.#store.host.runtime),
        pauseMsMax: PAUSE_MS_MAX,
      });
    }
    return first;
  }

  #sendRelease(): Promise<Release> {
    return release(this.#store, this.#hold, this.#ttlMs);
  }

  #mayBeStored(lifetime: Lifetime): void {
    if (lifetime.ms > leftMs(this.#lifetime, this.#store.host.runtime)) this.#lifetime = lifetime;
  }
}
