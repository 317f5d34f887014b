import {
  callDeadlineMs,
  type Grant,
  type Release,
  type Renewal,
  type Validity,
  validityMs,
} from '@holdfast/core/backend';
import { isRowLocked } from '../failures.ts';
import { rowLocked, type WonAttempt } from '../grant.ts';
import { type Lifetime, leftMs, lifetimeOf } from '../pending-releases.ts';
import { payloadOf, prefixOf, reportNode, type Store } from '../store.ts';
import { checkSynchronous } from '../synchronous.ts';
import { SEPARATOR } from './line.ts';

/** A hold of a writer, or one beside others. */
export interface ModeHold {
  readonly key: string;
  /** Compared whole, as that of an exclusive hold. */
  readonly owner: string;
  readonly isWriter: boolean;
}

/** An attempt in a mode that won. */
export type WonMode = ModeHold &
  Pick<WonAttempt, 'from' | 'ttlMs'> & { readonly fencingToken: bigint | undefined };

/** One hold in a mode, and the only one that it can renew or release. */
export class ModeGrant implements Grant {
  readonly owner: string;
  readonly fencingToken: bigint | undefined;
  readonly leaseMs: number;
  readonly validity: Validity;
  /** A writer's hold is stored as an exclusive one, and can be adopted. */
  readonly export?: () => string;
  readonly #store: Store;
  readonly #hold: ModeHold;
  /** The longest lifetime that any call so far requested. */
  #lifetime: Lifetime;
  #ttlMs: number;

  constructor(store: Store, won: WonMode) {
    const { owner, from, ttlMs, fencingToken, isWriter } = won;
    this.owner = owner;
    this.fencingToken = fencingToken;
    this.leaseMs = ttlMs;
    this.validity = { from, ms: validityMs(ttlMs) };
    // Apart from its assignment: V8 keeps a function that is written there beyond all young collections.
    const exported = (): string => owner;
    if (isWriter) this.export = exported;
    this.#store = store;
    this.#hold = { key: won.key, owner, isWriter };
    this.#lifetime = lifetimeOf(from, ttlMs);
    this.#ttlMs = ttlMs;
  }

  async renew(ttlMs: number): Promise<Renewal> {
    const { database, statements, modes, namespace, host, batches } = this.#store;
    const { key, owner, isWriter } = this.#hold;
    const from = host.runtime.now();
    this.#ttlMs = ttlMs;
    const lifetime = lifetimeOf(from, ttlMs);
    if (lifetime.ms > leftMs(this.#lifetime, host.runtime)) this.#lifetime = lifetime;
    const deadlineMs = from.monotonicMs + callDeadlineMs(ttlMs);
    const statement = isWriter ? statements.renew : modes.renew;
    const onFailed = (cause: unknown): void => reportNode(this.#store, key, cause);
    try {
      const turn = { deadlineMs, isUrgent: true };
      const kind = isWriter ? owner : `renew ${ttlMs}`;
      const { rows, sentAt } = await batches.run({ key, kind, turn, owner, onFailed }, (owners) =>
        database.run(statement, [namespace, key, owners.join(SEPARATOR), ttlMs], { deadlineMs }),
      );
      const { renewed } = rows.find((row) => 'renewed' in row) ?? {};
      if (renewed === 'true' || renewed?.split(SEPARATOR).includes(owner) === true)
        return { kind: 'renewed', validity: { from: sentAt, ms: validityMs(ttlMs) } };
      const refusal = checkSynchronous(this.#store, rows.at(-1) ?? {}, key);
      return refusal === undefined ? { kind: 'lost' } : { kind: 'unknown', cause: refusal };
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }

  async release(): Promise<Release> {
    const first = await releaseMode(this.#store, this.#hold, this.#ttlMs);
    if (first.kind === 'unknown')
      this.#store.pendingReleases.add({
        release: () => releaseMode(this.#store, this.#hold, this.#ttlMs),
        leftMs: () => leftMs(this.#lifetime, this.#store.host.runtime),
      });
    return first;
  }
}

/** Sends one release of one hold; never rejects. */
export async function releaseMode(store: Store, hold: ModeHold, ttlMs: number): Promise<Release> {
  const { database, modes, namespace, host, batches } = store;
  const { key, owner, isWriter } = hold;
  const deadlineMs = host.runtime.now().monotonicMs + callDeadlineMs(ttlMs);
  const statement = isWriter ? modes.releaseWriter : modes.release;
  const turn = { deadlineMs, isUrgent: true };
  // A writer is alone, so that its release is, too.
  const kind = isWriter ? owner : 'release';
  const onFailed = (cause: unknown): void => reportNode(store, key, cause);
  try {
    const { rows } = await batches.run({ key, kind, turn, owner, onFailed }, (owners) => {
      const args = [namespace, key, owners.join(SEPARATOR), payloadOf(store, key)];
      return database.run(statement, [...args, prefixOf(store, key)], { deadlineMs });
    });
    const wasHeld = rows.some(
      ({ was_held: held, released }) => held === 'true' || released === owner,
    );
    return { kind: wasHeld ? 'released' : 'not-held' };
  } catch (cause) {
    return { kind: 'unknown', cause: isRowLocked(cause) ? rowLocked(key, cause) : cause };
  }
}
