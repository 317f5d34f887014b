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
import { reportNode, type Store } from '../store.ts';
import { checkSynchronous } from '../synchronous.ts';
import { hasText, SEPARATOR } from './line.ts';
import { kindOf, releaseArgs, type SharedRequest, sendMembers } from './message.ts';

/** A hold of a writer, or one beside others. */
export interface ModeHold extends SharedRequest {
  /** Compared whole, as that of an exclusive hold. */
  readonly owner: string;
}

/** An attempt in a mode that won. */
export type WonMode = ModeHold &
  Pick<WonAttempt, 'from'> & { readonly fencingToken: bigint | undefined };

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
    const { key, mode, owner, from, ttlMs, fencingToken } = won;
    this.owner = owner;
    this.fencingToken = fencingToken;
    this.leaseMs = ttlMs;
    this.validity = { from, ms: validityMs(ttlMs) };
    // Apart from its assignment: V8 keeps a function that is written there beyond all young collections.
    const exported = (): string => owner;
    if (isWriter(won)) this.export = exported;
    this.#store = store;
    this.#hold = { key, mode, ttlMs, owner };
    this.#lifetime = lifetimeOf(from, ttlMs);
    this.#ttlMs = ttlMs;
  }

  async renew(ttlMs: number): Promise<Renewal> {
    const { database, statements, modes, namespace, host, batches } = this.#store;
    const { key, owner } = this.#hold;
    const from = host.runtime.now();
    this.#ttlMs = ttlMs;
    const lifetime = lifetimeOf(from, ttlMs);
    if (lifetime.ms > leftMs(this.#lifetime, host.runtime)) this.#lifetime = lifetime;
    const deadlineMs = from.monotonicMs + callDeadlineMs(ttlMs);
    const isAlone = isWriter(this.#hold);
    const statement = isAlone ? statements.renew : modes.renew;
    const onFailed = (cause: unknown): void => reportNode(this.#store, key, cause);
    try {
      const turn = { deadlineMs, isUrgent: true };
      const kind = isAlone ? owner : `renew ${ttlMs}`;
      const call = { key, kind, turn, owner, what: 'wanted', isCrowded: false, onFailed } as const;
      const { rows, sentAt } = await batches.run(call, ({ owners }) =>
        database.run(statement, [namespace, key, owners.join(SEPARATOR), ttlMs], { deadlineMs }),
      );
      const { renewed } = rows.find((row) => 'renewed' in row) ?? {};
      if (renewed === 'true' || hasText(renewed, owner))
        return { kind: 'renewed', validity: { from: sentAt, ms: validityMs(ttlMs) } };
      const refusal = checkSynchronous(this.#store, rows.at(-1) ?? {}, key);
      return refusal === undefined ? { kind: 'lost' } : { kind: 'unknown', cause: refusal };
    } catch (cause) {
      return { kind: 'unknown', cause };
    }
  }

  async release(): Promise<Release> {
    // Not at another try: each would call one more into a call that may be lost.
    if (this.#hold.mode.kind === 'permits') this.#store.places.callNext(this.#hold);
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
  const { database, modes, host, batches, places } = store;
  const { key, mode, owner } = hold;
  const deadlineMs = host.runtime.now().monotonicMs + callDeadlineMs(ttlMs);
  const turn = { deadlineMs, isUrgent: true };
  const ofPermits = mode.kind === 'permits';
  // A writer is alone, so that its release is, too. Permits go on in the same message.
  const kind = isWriter(hold) ? owner : ofPermits ? kindOf(hold) : 'release';
  const isCrowded = ofPermits && places.isCrowded(hold);
  const onFailed = (cause: unknown): void => reportNode(store, key, cause);
  try {
    const call = { key, kind, turn, owner, what: 'released', isCrowded, onFailed } as const;
    const { rows } = await batches.run(call, (members) => {
      if (!isWriter(hold)) return sendMembers(store, hold, members, deadlineMs);
      const args = releaseArgs(store, key, members.released);
      return database.run(modes.releaseWriter, args, { deadlineMs });
    });
    const wasHeld = rows.some(
      ({ was_held: held, released }) => held === 'true' || released === owner,
    );
    return { kind: wasHeld ? 'released' : 'not-held' };
  } catch (cause) {
    return { kind: 'unknown', cause: isRowLocked(cause) ? rowLocked(key, cause) : cause };
  }
}

function isWriter({ mode }: SharedRequest): boolean {
  return mode.kind === 'exclusive';
}
