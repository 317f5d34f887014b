import {
  callDeadlineMs,
  type Grant,
  type Instant,
  type Release,
  type Renewal,
  type Validity,
  validityMs,
} from '@holdfast/core/backend';
import {
  isOverwritten,
  isZeroOrOne,
  type Lifetime,
  leftMs,
  lifetimeOf,
  UnexpectedReply,
} from '@holdfast/redis';
import type { Reply, Script } from '@holdfast/redis/port';
import { RELEASE_FAIR } from './fair/scripts.ts';
import { RELEASE_PLAIN } from './plain/scripts.ts';
import { RELEASE } from './scripts.ts';
import { reportNode, type Store, type StoredKeys } from './store.ts';

/** The value that one attempt stored, or may have stored. */
export interface StoredHold {
  readonly keys: StoredKeys;
  /** Compared whole, so that no request, however late, can touch another hold. */
  readonly owner: string;
}

/** An attempt that won. */
export interface WonAttempt extends StoredHold {
  /** The instant at which its request left. */
  readonly from: Instant;
  readonly ttlMs: number;
  /** Undefined in the plain layout. */
  readonly fencingToken?: bigint | undefined;
}

/** One hold, and the only one that it can renew or release. */
export class SimpleGrant implements Grant, StoredHold {
  readonly keys: StoredKeys;
  readonly owner: string;
  readonly fencingToken: bigint | undefined;
  readonly leaseMs: number;
  readonly validity: Validity;
  protected readonly store: Store;
  /** The longest lifetime that any renewal so far requested, if it outlasts that of the attempt. */
  #longer: Lifetime | undefined;
  protected ttlMs: number;

  constructor(store: Store, { keys, owner, from, ttlMs, fencingToken }: WonAttempt) {
    this.owner = owner;
    this.fencingToken = fencingToken;
    this.leaseMs = ttlMs;
    this.validity = { from, ms: validityMs(ttlMs) };
    this.keys = keys;
    this.store = store;
    this.ttlMs = ttlMs;
  }

  async renew(ttlMs: number): Promise<Renewal> {
    const { renewals, host } = this.store;
    const from = host.runtime.now();
    this.ttlMs = ttlMs;
    this.#extendLifetime(lifetimeOf(from, ttlMs));
    const deadlineMs = from.monotonicMs + callDeadlineMs(ttlMs);
    try {
      const isHeld = await renewals.renew(this, ttlMs, deadlineMs);
      if (!isHeld) return { kind: 'lost' };
      return { kind: 'renewed', validity: { from, ms: validityMs(ttlMs) } };
    } catch (cause) {
      if (isOverwritten(cause)) return { kind: 'lost' };
      reportNode(this.store, this.keys.key, cause);
      return { kind: 'unknown', cause };
    }
  }

  release(): Promise<Release> {
    return sendRelease(this.store, this, this.ttlMs).then(
      (reply) => this.retryUnlessDefinite(replied(this.store, this.keys, reply)),
      (cause: unknown) => this.retryUnlessDefinite(failed(this.store, this.keys, cause)),
    );
  }

  export(): string {
    return this.owner;
  }

  protected retryUnlessDefinite(first: Release): Release {
    if (first.kind === 'unknown')
      this.store.pendingReleases.add({
        release: () => release(this.store, this, this.ttlMs),
        leftMs: () => leftMs(this.#lifetime, this.store.host.runtime),
      });
    return first;
  }

  get #lifetime(): Lifetime {
    return this.#longer ?? lifetimeOf(this.validity.from, this.leaseMs);
  }

  #extendLifetime(lifetime: Lifetime): void {
    if (lifetime.ms > leftMs(this.#lifetime, this.store.host.runtime)) this.#longer = lifetime;
  }
}

/** A hold that can go straight to the next contender of its process. */
export class PassableGrant extends SimpleGrant {
  releaseToNext(): Promise<Release> {
    const { key } = this.keys;
    return new Promise((resolve) => {
      this.store.passedHolds.add({
        key,
        owner: this.owner,
        ttlMs: this.ttlMs,
        settle: (kind) => resolve({ kind }),
        doubt: (cause) => resolve(this.retryUnlessDefinite({ kind: 'unknown', cause })),
        releaseAlone: () => resolve(this.release()),
      });
    });
  }
}

/** Sends one release of one hold; never rejects. The call may take a tenth of `ttlMs`, and not longer than to `endMs`. */
export function release(
  store: Store,
  hold: StoredHold,
  ttlMs: number,
  endMs: number = Number.POSITIVE_INFINITY,
): Promise<Release> {
  return sendRelease(store, hold, ttlMs, endMs).then(
    (reply) => replied(store, hold.keys, reply),
    (cause: unknown) => failed(store, hold.keys, cause),
  );
}

/** The script that deletes one hold without a queue. */
export function releaseScriptOf({ isPlain }: StoredKeys): Script {
  return isPlain ? RELEASE_PLAIN : RELEASE;
}

function sendRelease(
  store: Store,
  { keys, owner }: StoredHold,
  ttlMs: number,
  endMs: number = Number.POSITIVE_INFINITY,
): Promise<Reply> {
  const ownEndMs = store.host.runtime.now().monotonicMs + callDeadlineMs(ttlMs);
  const { lock, channel, line } = keys;
  const options = { deadlineMs: Math.min(ownEndMs, endMs) };
  const script = releaseScriptOf(keys);
  if (line === undefined) return store.node.script(script, [lock, channel], [owner], options);
  const names = [lock, channel, line.queue, line.present];
  return store.node.script(RELEASE_FAIR, names, [owner], options);
}

function replied(store: Store, keys: StoredKeys, reply: Reply): Release {
  if (isZeroOrOne(reply)) return { kind: reply === 1 ? 'released' : 'not-held' };
  return failed(store, keys, new UnexpectedReply(RELEASE.name, reply));
}

function failed(store: Store, keys: StoredKeys, cause: unknown): Release {
  if (isOverwritten(cause)) return { kind: 'not-held' };
  reportNode(store, keys.key, cause);
  return { kind: 'unknown', cause };
}
