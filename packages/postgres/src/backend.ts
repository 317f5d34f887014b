import {
  type AdoptRequest,
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
  TTL_MS_DEFAULT,
} from '@holdfast/core/backend';
import { PostgresAdopter } from './adopter.ts';
import { PostgresContender } from './contender.ts';
import { capabilities, NAME, synchronousCapabilities } from './identity.ts';
import { postgresMarks } from './marks.ts';
import { ModeContender } from './modes/contender.ts';
import { forceRelease, health, heldKeys, inspect } from './operator.ts';
import type { Store } from './store.ts';

/** The time for which `close` waits for releases by default. */
const CLOSE_MS_DEFAULT = 5_000;

/** Locks as rows of a table. */
export class Postgres implements Backend {
  readonly name: string = NAME;
  readonly capabilities: Capabilities;
  readonly evicts = false;
  readonly marks: Marks;
  readonly #store: Store;
  readonly #ownsDatabase: boolean;
  #closing: Promise<void> | undefined;

  constructor(store: Store, ownsDatabase: boolean) {
    this.capabilities = store.isSynchronous ? synchronousCapabilities : capabilities;
    this.marks = postgresMarks(store);
    this.#store = store;
    this.#ownsDatabase = ownsDatabase;
  }

  /** @throws InvalidOptionError if the ttl is not a whole number of ms within its limits */
  contend({ key, contender, ttlMs = TTL_MS_DEFAULT, mode }: ContendRequest): Contender {
    checkTtl(ttlMs, key, this.name);
    if (mode !== undefined) return new ModeContender(this.#store, { key, contender, ttlMs, mode });
    return new PostgresContender(this.#store, { key, contender, ttlMs });
  }

  /** @throws InvalidOptionError as `contend` does */
  adopt({ key, contender, ttlMs = TTL_MS_DEFAULT, exported, mode }: AdoptRequest): Contender {
    checkTtl(ttlMs, key, this.name);
    if (mode !== undefined)
      return new ModeContender(this.#store, { key, contender, ttlMs, mode, exported });
    return new PostgresAdopter(this.#store, { key, contender, ttlMs, exported });
  }

  /** @throws BackendUnavailableError if the server did not reply */
  inspect(key: string): Promise<Inspection> {
    return inspect(this.#store, key);
  }

  /** @throws BackendUnavailableError if nothing was done; LockError if the key holds no lock: it is left alone */
  forceRelease(key: string): Promise<Release> {
    return forceRelease(this.#store, key);
  }

  /** @throws BackendUnavailableError if the server did not reply */
  heldKeys(): AsyncIterable<readonly string[]> {
    return heldKeys(this.#store);
  }

  health(): Promise<Health> {
    return health(this.#store);
  }

  close({ timeoutMs = CLOSE_MS_DEFAULT }: BackendCloseOptions = {}): Promise<void> {
    this.#closing ??= this.#close(timeoutMs);
    return this.#closing;
  }

  async #close(timeoutMs: number): Promise<void> {
    const { pendingReleases, releases, database, host } = this.#store;
    await new Promise<void>((done) => {
      const cancel = host.runtime.timer(timeoutMs, done, { awaited: true });
      void pendingReleases.close().then(() => {
        cancel();
        done();
      });
    });
    releases.close();
    if (this.#ownsDatabase) await database.close();
  }
}
