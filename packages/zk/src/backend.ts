import { CapabilityError } from '@holdfast/core';
import {
  type Backend,
  type BackendCloseOptions,
  type Capabilities,
  type Contender,
  type ContendRequest,
  type Health,
  type Inspection,
  type Marks,
  type Release,
} from '@holdfast/core/backend';
import { ZkContender } from './contender.ts';
import { capabilities, NAME } from './identity.ts';
import { zkMarks } from './marks.ts';
import { forceRelease, health, heldKeys, inspect } from './operator.ts';
import type { Sessions } from './sessions.ts';
import type { Store } from './store.ts';

/** The time for which `close` tries to reach the ensemble by default. */
const CLOSE_MS_DEFAULT = 5_000;

/** Locks as queues of ephemeral nodes. */
export class Zk implements Backend {
  readonly name: string = NAME;
  readonly capabilities: Capabilities = capabilities;
  readonly evicts = false;
  readonly marks: Marks;
  readonly #store: Store;
  readonly #sessions: Sessions;

  constructor(store: Store, sessions: Sessions) {
    this.#store = store;
    this.#sessions = sessions;
    this.marks = zkMarks(store, sessions);
  }

  /** @throws CapabilityError for a ttl: all leases of a session end with it */
  contend({ key, contender, ttlMs, mode }: ContendRequest): Contender {
    if (ttlMs !== undefined) throw noTtl(key, this.#sessions.timeoutMs);
    return new ZkContender(this.#store, this.#sessions, { key, contender, mode });
  }

  /** @throws BackendUnavailableError if no server answered */
  inspect(key: string): Promise<Inspection> {
    return inspect(this.#store, this.#sessions, key);
  }

  /** @throws BackendUnavailableError if nothing was done */
  forceRelease(key: string): Promise<Release> {
    return forceRelease(this.#store, this.#sessions, key);
  }

  /** @throws BackendUnavailableError if no server answered */
  heldKeys(): AsyncIterable<readonly string[]> {
    return heldKeys(this.#store, this.#sessions);
  }

  health(): Promise<Health> {
    return health(this.#store, this.#sessions);
  }

  close({ timeoutMs = CLOSE_MS_DEFAULT, leavesHolds }: BackendCloseOptions = {}): Promise<void> {
    return this.#sessions.close(leavesHolds === true ? { leavesNodes: true } : { timeoutMs });
  }
}

function noTtl(key: string, timeoutMs: number): CapabilityError {
  const message = `${NAME}: no ttl per call: leases last as long as their session, ${timeoutMs} ms`;
  return new CapabilityError(message, { key, backend: NAME });
}
