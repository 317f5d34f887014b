import { CapabilityError } from '@holdfast/core';
import {
  type Backend,
  type BackendCloseOptions,
  type Capabilities,
  type Contender,
  type ContendRequest,
  type Health,
} from '@holdfast/core/backend';
import { health } from '../operator.ts';
import { AdvisoryContender } from './contender.ts';
import { advisoryCapabilities, NAME } from './identity.ts';
import type { AdvisoryStore } from './store.ts';

/** Locks of one session: the server frees them all when it ends. */
export class PostgresAdvisory implements Backend {
  readonly name: string = NAME;
  readonly capabilities: Capabilities = advisoryCapabilities;
  readonly evicts = false;
  readonly #store: AdvisoryStore;
  readonly #ownsDatabase: boolean;

  constructor(store: AdvisoryStore, ownsDatabase: boolean) {
    this.#store = store;
    this.#ownsDatabase = ownsDatabase;
  }

  /** @throws CapabilityError for a ttl: all leases of a session end with it */
  contend({ key, contender, ttlMs }: ContendRequest): Contender {
    if (ttlMs !== undefined) throw noTtl(key, this.#store.ttlMs);
    return new AdvisoryContender(this.#store, { key, contender });
  }

  health(): Promise<Health> {
    return health(this.#store);
  }

  async close({ leavesHolds }: BackendCloseOptions = {}): Promise<void> {
    const { sessions, database, ttlMs } = this.#store;
    sessions.close(leavesHolds === true ? ttlMs : undefined);
    if (this.#ownsDatabase) await database.close();
  }
}

function noTtl(key: string, ttlMs: number): CapabilityError {
  const message = `${NAME}: no ttl per call: leases last as long as their session, ${ttlMs} ms without a reply`;
  return new CapabilityError(message, { key, backend: NAME });
}
