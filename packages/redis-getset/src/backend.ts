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
import { closeWithin, keyPrefix } from '@holdfast/redis';
import type { RedisNode } from '@holdfast/redis/port';
import { GetsetContender } from './contender.ts';
import { capabilities, NAME } from './identity.ts';
import { forceRelease, health, inspect } from './operator.ts';
import type { Store, StoredKey } from './store.ts';

/** What the backend is made of. */
export interface RedisGetsetParts {
  readonly node: RedisNode;
  /** Closing the backend closes the node. */
  readonly ownsNode: boolean;
  readonly namespace: string;
  readonly checkAge: boolean;
}

/** Locks as wall-clock stamps on one Redis node. */
export class RedisGetset implements Backend {
  readonly name: string = NAME;
  readonly capabilities: Capabilities = capabilities;
  readonly #store: Store;
  readonly #namespace: string;
  readonly #ownsNode: boolean;

  constructor({ node, ownsNode, namespace, checkAge }: RedisGetsetParts, host: Host) {
    this.#store = { node, host, checkAge };
    this.#namespace = namespace;
    this.#ownsNode = ownsNode;
  }

  /** @throws InvalidOptionError for a ttl that is no whole number, or too short for one call to the node */
  contend({ key, ttlMs = TTL_MS_DEFAULT }: ContendRequest): Contender {
    checkTtl(ttlMs, key, NAME);
    return new GetsetContender(this.#store, this.#storedKey(key), ttlMs);
  }

  /** @throws BackendUnavailableError without an answer; LockError where something else stands under the key */
  inspect(key: string): Promise<Inspection> {
    return inspect(this.#store, this.#storedKey(key));
  }

  /** @throws BackendUnavailableError when nothing was done; LockError where the key holds no lock: it is left alone */
  forceRelease(key: string): Promise<Release> {
    return forceRelease(this.#store, this.#storedKey(key));
  }

  health(): Promise<Health> {
    return health(this.#store);
  }

  close(options: CloseOptions = {}): Promise<void> {
    if (!this.#ownsNode) return Promise.resolve();
    const { node, host } = this.#store;
    return closeWithin(host.runtime, options, () => node.close());
  }

  /** The name that redis-simple uses too: each takes the other's value for foreign, so a swap locks nothing twice. */
  #storedKey(key: string): StoredKey {
    return { key, lock: `${keyPrefix(this.#namespace, key)}lock` };
  }
}
