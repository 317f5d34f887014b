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
import { capabilities, NAME } from './identity.ts';
import { storedKeys } from './keys.ts';
import type { NodeRegistry } from './node-registry.ts';
import { forceRelease, health, inspect } from './operator.ts';
import { RedlockContender } from './redlock.ts';
import type { Store } from './store.ts';
import { quorumOf } from './validity.ts';

/** What the backend is made of. */
export interface RedlockParts {
  readonly nodes: readonly RedisNode[];
  /** Closing the backend closes the nodes. */
  readonly ownsNodes: boolean;
  readonly namespace: string;
  readonly registry: NodeRegistry;
}

/** Locks as votes of independent Redis nodes. */
export class Redlock implements Backend {
  readonly name: string = NAME;
  readonly capabilities: Capabilities = capabilities;
  readonly #store: Store;
  readonly #namespace: string;
  readonly #ownsNodes: boolean;

  constructor({ nodes, ownsNodes, namespace, registry }: RedlockParts, host: Host) {
    const quorum = quorumOf(nodes.length);
    this.#store = {
      nodes,
      quorum,
      registry,
      host,
      pendingReleases: new PendingReleases(host.runtime),
    };
    this.#namespace = namespace;
    this.#ownsNodes = ownsNodes;
  }

  /** @throws InvalidOptionError for a ttl that is no whole number, or too short for one call to a node */
  contend({ key, contender, ttlMs = TTL_MS_DEFAULT }: ContendRequest): Contender {
    checkTtl(ttlMs, key, NAME);
    const keys = storedKeys(this.#namespace, key);
    return new RedlockContender(this.#store, keys, contender, ttlMs);
  }

  /** @throws BackendUnavailableError where no majority of the nodes answered */
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

  /** The nodes last: what is owed goes through them. */
  async #end(): Promise<void> {
    const { pendingReleases, nodes } = this.#store;
    await pendingReleases.close();
    if (this.#ownsNodes) await Promise.all(nodes.map((node) => node.close()));
  }
}
