import {
  callDeadlineMs,
  type Grant,
  type Release,
  type Renewal,
  type Validity,
  validityMs,
} from '@holdfast/core/backend';
import { isZeroOrOne, type Lifetime, leftMs, lifetimeOf, UnexpectedReply } from '@holdfast/redis';
import type { WonAttempt } from '../grant.ts';
import { type ModeKeys, reportNode, type Store } from '../store.ts';
import { RELEASE_MODE } from './scripts.ts';

/** A hold of a writer, or of one of several; `stored` is what is compared, whole. */
export interface ModeHold {
  readonly keys: ModeKeys;
  readonly stored: string;
}

/** An attempt in a mode that won. */
export type WonMode = ModeHold &
  Pick<WonAttempt, 'owner' | 'from' | 'ttlMs'> & {
    readonly fencingToken: bigint | undefined;
  };

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
  /** The longest lifetime that any request so far may have given it. */
  #lifetime: Lifetime;
  #ttlMs: number;

  constructor(store: Store, { keys, stored, owner, from, ttlMs, fencingToken }: WonMode) {
    this.owner = owner;
    this.fencingToken = fencingToken;
    this.leaseMs = ttlMs;
    this.validity = { from, ms: validityMs(ttlMs) };
    // Apart from its assignment: V8 keeps a function that is written there beyond all young collections.
    const exported = (): string => owner;
    if (isWriter(stored)) this.export = exported;
    this.#store = store;
    this.#hold = { keys, stored };
    this.#lifetime = lifetimeOf(from, ttlMs);
    this.#ttlMs = ttlMs;
  }

  async renew(ttlMs: number): Promise<Renewal> {
    const { renewals, modeRenewals, host } = this.#store;
    const { keys, stored } = this.#hold;
    const from = host.runtime.now();
    this.#ttlMs = ttlMs;
    const lifetime = lifetimeOf(from, ttlMs);
    if (lifetime.ms > leftMs(this.#lifetime, host.runtime)) this.#lifetime = lifetime;
    const deadlineMs = from.monotonicMs + callDeadlineMs(ttlMs);
    try {
      const isHeld = isWriter(stored)
        ? await renewals.renew({ keys, owner: this.owner }, ttlMs, deadlineMs)
        : await modeRenewals.renew(this.#hold, ttlMs, deadlineMs);
      if (!isHeld) return { kind: 'lost' };
      return { kind: 'renewed', validity: { from, ms: validityMs(ttlMs) } };
    } catch (cause) {
      reportNode(this.#store, keys.key, cause);
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
export async function releaseMode(
  store: Store,
  { keys, stored }: ModeHold,
  ttlMs: number,
  endMs: number = Number.POSITIVE_INFINITY,
): Promise<Release> {
  const ownEndMs = store.host.runtime.now().monotonicMs + callDeadlineMs(ttlMs);
  const options = { deadlineMs: Math.min(ownEndMs, endMs) };
  try {
    const reply = await store.node.script(RELEASE_MODE, keys.names, [stored], options);
    if (isZeroOrOne(reply)) return { kind: reply === 1 ? 'released' : 'not-held' };
    throw new UnexpectedReply(RELEASE_MODE.name, reply);
  } catch (cause) {
    reportNode(store, keys.key, cause);
    return { kind: 'unknown', cause };
  }
}

function isWriter(stored: string): boolean {
  return stored.startsWith('x/');
}
