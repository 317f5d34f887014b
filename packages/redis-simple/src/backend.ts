import {
  type Backend,
  type Capabilities,
  type CloseOptions,
  type Contender,
  type ContendRequest,
  checkTtl,
  type Health,
  type Host,
  type Inspection,
  type Release,
  TTL_MS_DEFAULT,
} from '@holdfast/core';
import { closeWithin, PendingReleases } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { SimpleContender } from './contender.ts';
import { capabilities, NAME } from './identity.ts';
import { storedKeys } from './keys.ts';
import { forceRelease, health, inspect } from './operator.ts';
import type { Store } from './store.ts';

/** What the backend is made of. */
export interface RedisSimpleParts {
  readonly node: RedisNode;
  /** Closing the backend closes the node. */
  readonly ownsNode: boolean;
  readonly namespace: string;
}

/** Locks as keys with a ttl on one Redis node. */
export class RedisSimple implements Backend {
  readonly name: string = NAME;
  readonly capabilities: Capabilities = capabilities;
  readonly #store: Store;
  readonly #namespace: string;
  readonly #ownsNode: boolean;

  constructor({ node, ownsNode, namespace }: RedisSimpleParts, host: Host) {
    this.#store = { node, host, pendingReleases: new PendingReleases(host.runtime) };
    this.#namespace = namespace;
    this.#ownsNode = ownsNode;
  }

  /** @throws InvalidOptionError for a ttl that is no whole number, or too short for one call to the node */
  contend({ key, contender, ttlMs = TTL_MS_DEFAULT }: ContendRequest): Contender {
    checkTtl(ttlMs, key, NAME);
    const keys = storedKeys(this.#namespace, key);
    return new SimpleContender(this.#store, keys, contender, ttlMs);
  }

  /** @throws BackendUnavailableError without an answer; LockError where something else stands under the key */
  inspect(key: string): Promise<Inspection> {
    return inspect(this.#store, storedKeys(this.#namespace, key));
  }

  /** @throws BackendUnavailableError when nothing was done; LockError where the key holds no lock: it is left alone */
  forceRelease(key: string): Promise<Release> {
    return forceRelease(this.#store, storedKeys(this.#namespace, key));
  }

  health(): Promise<Health> {
    return health(this.#store);
  }

  close(options: CloseOptions = {}): Promise<void> {
    return closeWithin(this.#store.host.runtime, options, () => this.#end());
  }

  /** The node last: what is owed goes through it. */
  async #end(): Promise<void> {
    await this.#store.pendingReleases.close();
    if (this.#ownsNode) await this.#store.node.close();
  }
}
