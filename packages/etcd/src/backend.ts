import {
  type Backend,
  type BackendCloseOptions,
  type Capabilities,
  type Contender,
  type ContendRequest,
  checkTtl,
  type Health,
  type Inspection,
  type Marks,
  type Release,
  type Runtime,
  TTL_MS_DEFAULT,
} from '@holdfast/core/backend';
import { EtcdContender } from './contender.ts';
import { capabilities, NAME } from './identity.ts';
import { etcdMarks } from './marks.ts';
import { forceRelease, health, heldKeys, inspect } from './operator.ts';
import type { Store } from './store.ts';

/** The time for which `close` tries to reach the servers by default. */
const CLOSE_MS_DEFAULT = 5_000;

/** Locks as queues of keys with a lease each. */
export class Etcd implements Backend {
  readonly name: string = NAME;
  readonly capabilities: Capabilities = capabilities;
  readonly evicts = false;
  readonly marks: Marks;
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
    this.marks = etcdMarks(store.requests, store.layout);
  }

  /** @throws InvalidOptionError for a wrong ttl */
  contend({ key, contender, ttlMs = TTL_MS_DEFAULT, mode }: ContendRequest): Contender {
    checkTtl(ttlMs, key, NAME);
    return new EtcdContender(this.#store, { key, contender, ttlMs, mode });
  }

  /** @throws BackendUnavailableError if no server answered */
  inspect(key: string): Promise<Inspection> {
    return inspect(this.#store, key);
  }

  /** @throws BackendUnavailableError if nothing was done */
  forceRelease(key: string): Promise<Release> {
    return forceRelease(this.#store, key);
  }

  /** @throws BackendUnavailableError if no server answered */
  heldKeys(): AsyncIterable<readonly string[]> {
    return heldKeys(this.#store);
  }

  health(): Promise<Health> {
    return health(this.#store);
  }

  /** Leaves what is held to expire. */
  async close({ timeoutMs = CLOSE_MS_DEFAULT }: BackendCloseOptions = {}): Promise<void> {
    const { revoker, client, host } = this.#store;
    await settledWithin(host.runtime, timeoutMs, revoker.close());
    client.close();
  }
}

/** Resolves when `work` does, or after `ms`. */
function settledWithin(runtime: Runtime, ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const stop = runtime.timer(ms, resolve, { awaited: true });
    void work.then(() => {
      stop();
      resolve();
    });
  });
}
