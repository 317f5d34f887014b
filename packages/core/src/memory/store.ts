import { parseOwner } from '../owner.ts';
import type { HoldMode } from '../port.ts';
import { type ModeReply, SharedHolds } from './shared-holds.ts';

interface StoredLock {
  readonly owner: string;
  readonly token: bigint;
  readonly untilMs: number;
}

/** The reply of the store to an acquire. */
export type AcquireReply =
  | { readonly kind: 'granted'; readonly token: bigint }
  | { readonly kind: 'busy'; readonly holderRemainingMs: number };

/**
 * The store of the in-memory backend: the smallest correct server side of a lock. Every method is one atomic step.
 * Several `Locks` exclude each other if they share a store.
 * @example
 * ```ts
 * const store = new MemoryStore(() => performance.now());
 * store.acquire('orders/42', 'q3kf:1:billing', 30_000); // granted, with token 1n
 * store.acquire('orders/42', 'x8mz:1:shipping', 30_000); // busy
 * ```
 */
export class MemoryStore {
  readonly #nowMs: () => number;
  readonly #locks = new Map<string, StoredLock>();
  readonly #listeners = new Map<string, Set<() => void>>();
  readonly #marks = new Map<string, string>();
  readonly #shared: SharedHolds;
  #token = 0n;

  /** `nowMs` is the store's own monotonic clock, in ms. It alone decides when a hold expires. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#shared = new SharedHolds({
      nowMs,
      get: (key) => this.#unexpired(key),
      put: (key, owner, untilMs, token = ++this.#token) => {
        this.#locks.set(key, { owner, token, untilMs });
        return token;
      },
      delete: (key) => void this.#locks.delete(key),
      wake: (key, contender) => this.#notify(channelOf(key, contender)),
    });
  }

  /** Succeeds if the key is free, or held by an earlier attempt of this contender. */
  acquire(key: string, owner: string, ttlMs: number): AcquireReply {
    const lock = this.#unexpired(key);
    if (lock !== undefined && !isEarlierAttempt(lock.owner, owner)) {
      return { kind: 'busy', holderRemainingMs: lock.untilMs - this.#nowMs() };
    }
    return this.#grant(key, owner, ttlMs);
  }

  /**
   * Replaces exactly the exported hold, or an earlier attempt of this adopter, with a full ttl and a new token; undefined
   * if the store has neither.
   */
  adopt(key: string, exported: string, owner: string, ttlMs: number): AcquireReply | undefined {
    const stored = this.#unexpired(key)?.owner;
    if (stored === undefined || (stored !== exported && !isEarlierAttempt(stored, owner)))
      return undefined;
    return this.#grant(key, owner, ttlMs);
  }

  /**
   * Succeeds if the key can be held in this mode; else the contender has a place in line, until `placeMs` after its latest
   * request.
   */
  request(key: string, owner: string, ttlMs: number, mode: HoldMode, placeMs: number): ModeReply {
    return this.#shared.request(key, owner, ttlMs, mode, placeMs);
  }

  /** As `adopt`, but the hold becomes a reader's. */
  downgrade(key: string, exported: string, owner: string, ttlMs: number): ModeReply | undefined {
    return this.#shared.downgrade(key, exported, owner, ttlMs);
  }

  /** Gives up a contender's place in line. */
  leave(key: string, contender: string): void {
    this.#shared.leave(key, contender);
  }

  /** Lengthens the hold of exactly this owner, and never shortens it; false if this owner holds no more. */
  renew(key: string, owner: string, ttlMs: number): boolean {
    const lock = this.#unexpired(key);
    if (lock?.owner !== owner) return this.#shared.renew(key, owner, ttlMs);
    this.#locks.set(key, { ...lock, untilMs: Math.max(lock.untilMs, this.#nowMs() + ttlMs) });
    return true;
  }

  /** Ends the hold of exactly this owner; false if this owner holds no more. */
  release(key: string, owner: string): boolean {
    if (this.#unexpired(key)?.owner !== owner) return this.#shared.release(key, owner);
    return this.force(key);
  }

  /** Ends the hold of any owner; false if the key is free. */
  force(key: string): boolean {
    const held = this.#unexpired(key) !== undefined;
    this.#locks.delete(key);
    this.#shared.wake(key);
    return held;
  }

  /** Reads a key: owner value, token, remaining ms and the number of clients that wait; undefined if it is free. */
  inspect(
    key: string,
  ): { owner: string; token: bigint; remainingMs: number; waiters: number } | undefined {
    const lock = this.#unexpired(key);
    if (lock === undefined) return undefined;
    const { owner, token } = lock;
    const waiters = this.#listeners.get(key)?.size ?? 0;
    return { owner, token, remainingMs: lock.untilMs - this.#nowMs(), waiters };
  }

  /** The keys that are held now. */
  heldKeys(): readonly string[] {
    return [...this.#locks.keys()].filter((key) => this.#unexpired(key) !== undefined);
  }

  /** Returns a mark of the store; undefined if it was never written. */
  readMark(name: string): string | undefined {
    return this.#marks.get(name);
  }

  /** Writes a mark unless it exists; returns what is stored then. */
  writeMark(name: string, value: string): string {
    const stored = this.#marks.get(name) ?? value;
    this.#marks.set(name, stored);
    return stored;
  }

  /**
   * Calls `listener` whenever a hold on `key` is released, or, with a place in line, when it is the turn of `contender`.
   * Returns its removal.
   */
  subscribe(name: string, listener: () => void, contender?: string): () => void {
    const key = channelOf(name, contender);
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners)
        this.#listeners.delete(key);
    };
  }

  #notify(channel: string): void {
    for (const listener of this.#listeners.get(channel) ?? []) listener();
  }

  #grant(key: string, owner: string, ttlMs: number): AcquireReply {
    this.#token += 1n;
    this.#locks.set(key, { owner, token: this.#token, untilMs: this.#nowMs() + ttlMs });
    return { kind: 'granted', token: this.#token };
  }

  #unexpired(key: string): StoredLock | undefined {
    const lock = this.#locks.get(key);
    if (lock === undefined || lock.untilMs > this.#nowMs()) return lock;
    this.#locks.delete(key);
    return undefined;
  }
}

/** No key contains a control character. */
function channelOf(key: string, contender: string | undefined): string {
  return contender === undefined ? key : `${key}\n${contender}`;
}

function isEarlierAttempt(stored: string, candidate: string): boolean {
  const theirs = parseOwner(stored);
  const ours = parseOwner(candidate);
  return (
    theirs !== undefined &&
    ours !== undefined &&
    theirs.contender === ours.contender &&
    theirs.n < ours.n
  );
}
