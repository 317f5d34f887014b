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
  expectReply,
  isOverwritten,
  isZeroOrOne,
  type Lifetime,
  leftMs,
  lifetimeOf,
  UnexpectedReply,
} from '@holdfast/redis';
import type { Reply, Script } from '@holdfast/redis/port';
import { acknowledged } from './acknowledged.ts';
import { RELEASE_FAIR } from './fair/scripts.ts';
import { RELEASE, RENEW } from './scripts.ts';
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
  /** The longest lifetime that any call so far requested. */
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
    this.#extendLifetime(lifetimeOf(from, ttlMs));
    const deadlineMs = from.monotonicMs + callDeadlineMs(ttlMs);
    try {
      const args = [this.owner, `${ttlMs}`];
      const options = acknowledged(this.#store, { deadlineMs, takesBack: false }, isRenewed);
      const reply = await node.script(RENEW, [lock, channel], args, options);
      if (expectReply(RENEW.name, reply, isZeroOrOne) === 0) return { kind: 'lost' };
      return { kind: 'renewed', validity: { from, ms: validityMs(ttlMs) } };
    } catch (cause) {
      if (isOverwritten(cause)) return { kind: 'lost' };
      reportNode(this.#store, key, cause);
      return { kind: 'unknown', cause };
    }
  }

  release(): Promise<Release> {
    return this.#sendRelease().then((first) => {
      if (first.kind === 'unknown') this.#retryRelease();
      return first;
    });
  }

  export(): string {
    return this.owner;
  }

  #sendRelease(): Promise<Release> {
    return release(this.#store, this.#hold, this.#ttlMs);
  }

  #retryRelease(): void {
    this.#store.pendingReleases.add({
      release: () => this.#sendRelease(),
      leftMs: () => leftMs(this.#lifetime, this.#store.host.runtime),
    });
  }

  #extendLifetime(lifetime: Lifetime): void {
    if (lifetime.ms > leftMs(this.#lifetime, this.#store.host.runtime)) this.#lifetime = lifetime;
  }
}

function isRenewed(reply: Reply): boolean {
  return reply !== 0;
}

/** The script that releases a hold, with its keys. */
function releaseOf({ lock, channel, line }: StoredKeys): {
  readonly script: Script;
  readonly names: readonly string[];
} {
  if (line === undefined) return { script: RELEASE, names: [lock, channel] };
  return { script: RELEASE_FAIR, names: [lock, channel, line.queue, line.present] };
}

/** Sends one release of one hold; never rejects. The call may take a tenth of `ttlMs`, and not longer than to `endMs`. */
export function release(
  store: Store,
  hold: StoredHold,
  ttlMs: number,
  endMs: number = Number.POSITIVE_INFINITY,
): Promise<Release> {
  const { keys, owner } = hold;
  const ownEndMs = store.host.runtime.now().monotonicMs + callDeadlineMs(ttlMs);
  const deadlineMs = Math.min(ownEndMs, endMs);
  const { script, names } = releaseOf(keys);
  return store.node.script(script, names, [owner], { deadlineMs }).then(
    (reply) => replied(store, keys, reply),
    (cause: unknown) => failed(store, keys, cause),
  );
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
