import { type Host, ownerValue } from '@holdfast/core/backend';
import { keyPrefix, outcomeOf, type PendingReleases } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { NAME } from './identity.ts';
import type { ModeRenewals } from './modes/renewals.ts';
import type { PassedHolds } from './passed-holds.ts';
import type { Renewals } from './renewals.ts';

/** Where the calls of one backend go. */
export interface Server {
  readonly node: RedisNode;
  readonly host: Host;
  /** The number of replicas that must have a grant or a renewal before it counts; undefined for none. */
  readonly waitReplicas?: number | undefined;
}

/** The objects that all contenders and grants of one backend share. */
export interface Store extends Server {
  readonly pendingReleases: PendingReleases;
  readonly renewals: Renewals;
  readonly modeRenewals: ModeRenewals;
  readonly passedHolds: PassedHolds;
}

/** The names under which one lock is stored in Redis. They share a hash tag, and so one slot of a cluster. */
export interface StoredKeys {
  /** The key as the user wrote it. */
  readonly key: string;
  readonly lock: string;
  readonly fence: string;
  readonly channel: string;
  /** True if `lock` is the key that the user named, shared with other libraries. */
  readonly isPlain?: true;
  /** Present if the waiters queue on the server. */
  readonly line?: LineKeys | undefined;
}

/** The names under which a lock is stored that several may hold: those of its scripts, and the fence. */
export interface ModeKeys extends StoredKeys {
  readonly names: readonly string[];
}

/** The names of what a queue of waiters needs. */
export interface LineKeys {
  /** A sorted set of waiters. */
  readonly queue: string;
  /** A sorted set of the processes that wait. */
  readonly present: string;
}

/** The last part of the name of a lock. */
export const LOCK = 'lock';

/** Returns `‹namespace›:v1:{‹key›}:lock`, `…:fence` and `…:channel`. */
export function storedKeys(namespace: string, key: string): StoredKeys {
  return new Names(namespace, key);
}

/** {@link storedKeys} with `…:queue` and `…:present`. */
export function fairKeys(namespace: string, key: string): FairKeys {
  return new FairNames(namespace, key);
}

/** {@link storedKeys} in the plain layout: the lock is the very key, and there is no fence. */
export function plainKeys(namespace: string, key: string): StoredKeys {
  return new PlainNames(namespace, key);
}

/** {@link storedKeys} with `…:holders`, `…:line` and `…:places`. */
export function modeKeys(namespace: string, key: string): ModeKeys {
  return new ModeNames(namespace, key);
}

/** Names are put together when they are needed: a lease that is held keeps none of them. */
class Names implements StoredKeys {
  readonly key: string;
  readonly #namespace: string;

  constructor(namespace: string, key: string) {
    this.key = key;
    this.#namespace = namespace;
  }

  get lock(): string {
    return this.named(LOCK);
  }

  get fence(): string {
    return this.named('fence');
  }

  get channel(): string {
    return this.named('channel');
  }

  protected named(last: string): string {
    return keyPrefix(this.#namespace, this.key) + last;
  }
}

class FairNames extends Names implements FairKeys {
  get line(): LineKeys {
    return { queue: this.named('queue'), present: this.named('present') };
  }
}

class PlainNames extends Names {
  readonly isPlain = true;

  override get lock(): string {
    return this.key;
  }
}

class ModeNames extends Names implements ModeKeys {
  get names(): readonly string[] {
    const { lock, channel } = this;
    return [lock, channel, this.named('holders'), this.named('line'), this.named('places')];
  }
}

/** The names under which a lock with a queue is stored. */
export interface FairKeys extends StoredKeys {
  readonly line: LineKeys;
}

/** The owner value of an attempt. A zero before its number says that its client keeps to the queue. */
export function ownerOf(
  { host }: Store,
  { line }: StoredKeys,
  contender: string,
  n: number,
): string {
  const { label } = host;
  return line === undefined ? ownerValue({ contender, n, label }) : `${contender}:0${n}:${label}`;
}

/** Reports that the node did not serve a call, so that an operator sees a node that is slow, down or refusing. */
export function reportNode({ node, host }: Store, key: string, cause: unknown): void {
  const outcome = outcomeOf(cause);
  host.emit({ type: 'node', backend: NAME, node: node.address, outcome, key, cause });
}
