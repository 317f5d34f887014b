import {
  type Attempt,
  type Contender,
  callDeadlineMs,
  type Grant,
  type Instant,
  ownerValue,
  type Release,
  type Validity,
  type Withdrawal,
  worstRelease,
} from '@holdfast/core/backend';
import {
  expectReply,
  type Failure,
  failureOf,
  foreignKeyError,
  isInteger,
  isZeroOrOne,
  JITTER_MS,
  lifetimeOf,
  SAFETY_POLL_MS,
  UnexpectedReply,
  UnresolvedAttempts,
  undoBy,
  WakeUp,
} from '@holdfast/redis';
import { NodeNotAcknowledged, type Reply } from '@holdfast/redis/port';
import { acknowledged } from './acknowledged.ts';
import { SimpleGrant } from './grant.ts';
import { NAME } from './identity.ts';
import { FOREIGN, isToken } from './scripts.ts';
import { ACQUIRE_ALL, RELEASE_ALL } from './scripts-for-all.ts';
import { reportNode, type Store, type StoredKeys } from './store.ts';

/**
 * Tries to acquire several keys by one script: all or none. What it stores under each key is what a contender for that key
 * alone would store, so both exclude each other, and each key is renewed and released on its own.
 */
export class SimpleContenderForAll implements Contender {
  readonly #store: Store;
  readonly #all: readonly StoredKeys[];
  readonly #contender: string;
  readonly #ttlMs: number;
  #unresolved: UnresolvedAttempts | undefined;
  /** By key; one for each key that an attempt was stuck at. */
  readonly #wakeUps = new Map<string, WakeUp>();
  /** The key that the latest attempt was stuck at. */
  #taken: StoredKeys | undefined;
  #n = 0;

  constructor(store: Store, all: readonly StoredKeys[], contender: string, ttlMs: number) {
    this.#store = store;
    this.#all = all;
    this.#contender = contender;
    this.#ttlMs = ttlMs;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    for (const wakeUp of this.#wakeUps.values()) wakeUp.restart();
    this.#n += 1;
    const { host, node } = this.#store;
    const owner = ownerValue({ contender: this.#contender, n: this.#n, label: host.label });
    // Read before the request leaves: the server starts the ttl no earlier than this.
    const from = host.runtime.now();
    const callEndMs = Math.min(deadlineMs, from.monotonicMs + callDeadlineMs(this.#ttlMs));
    const undo = undoBy(RELEASE_ALL, this.#locksAndChannels, owner, lifetimeOf(from, this.#ttlMs));
    const keys = this.#all.flatMap(({ lock, fence }) => [lock, fence]);
    let reply: Reply;
    try {
      const call = { deadlineMs: callEndMs, undo };
      const options = acknowledged(this.#store, call, areTokens);
      reply = await node.script(ACQUIRE_ALL, keys, [owner, `${this.#ttlMs}`], options);
    } catch (cause) {
      if (!(cause instanceof NodeNotAcknowledged)) return this.#failure(cause, owner, from);
      return await this.#takeBack(cause, owner, from, callEndMs);
    }
    if (areTokens(reply) && reply.length === this.#all.length) return this.#won(owner, from, reply);
    const stuck = stuckAt(reply);
    const taken = stuck && this.#all[stuck.at];
    if (stuck !== undefined && taken !== undefined) return this.#stuck(taken, stuck.code);
    return this.#failure(new UnexpectedReply(ACQUIRE_ALL.name, reply), owner, from);
  }

  changed(signal: AbortSignal): Promise<void> {
    const taken = this.#taken ?? this.#all[0];
    if (taken === undefined) return Promise.resolve();
    let wakeUp = this.#wakeUps.get(taken.key);
    if (wakeUp === undefined) {
      wakeUp = new WakeUp([this.#store.node], taken.channel, {
        blocking: 1,
        onRefused: (_, cause) => reportNode(this.#store, taken.key, cause),
      });
      this.#wakeUps.set(taken.key, wakeUp);
    }
    return wakeUp.changed(signal);
  }

  withdraw(): Promise<Withdrawal> {
    this.#closeWakeUps();
    return this.#unresolved?.settle() ?? Promise.resolve({ kind: 'clean' });
  }

  get #locksAndChannels(): readonly string[] {
    return this.#all.flatMap(({ lock, channel }) => [lock, channel]);
  }

  #closeWakeUps(): void {
    for (const wakeUp of this.#wakeUps.values()) wakeUp.close();
  }

  #won(owner: string, from: Instant, tokens: readonly string[]): Attempt {
    this.#closeWakeUps();
    const parts = new Map<string, Grant>();
    for (const [at, keys] of this.#all.entries()) {
      const fencingToken = BigInt(tokens[at] ?? 0);
      const won = { keys, owner, from, ttlMs: this.#ttlMs, fencingToken };
      parts.set(keys.key, new SimpleGrant(this.#store, won));
    }
    return { kind: 'granted', grant: new GrantOfAll(parts) };
  }

  #stuck(taken: StoredKeys, code: number): Attempt {
    this.#taken = taken;
    const { key } = taken;
    const foreign = FOREIGN.get(code);
    if (foreign !== undefined)
      return { kind: 'refused', error: foreignKeyError(foreign, { backend: NAME, key }) };
    const jitterMs = 1 + this.#store.host.runtime.random() * JITTER_MS;
    const retryAfterMs = Math.min(code + jitterMs, SAFETY_POLL_MS);
    return { kind: 'busy', key, holderRemainingMs: code, retryAfterMs };
  }

  /** Too few replicas have the keys: as for a single key. */
  async #takeBack(
    cause: NodeNotAcknowledged,
    owner: string,
    from: Instant,
    endMs: number,
  ): Promise<Attempt> {
    const key = (this.#taken ?? this.#all[0])?.key ?? '';
    const takenBack = await this.#release(owner, key, endMs);
    if (takenBack.kind === 'unknown') return this.#failure(cause, owner, from);
    reportNode(this.#store, key, cause);
    return { kind: 'unavailable', cause };
  }

  #failure(cause: unknown, owner: string, from: Instant): Failure {
    const key = (this.#taken ?? this.#all[0])?.key ?? '';
    reportNode(this.#store, key, cause);
    const failure = failureOf(cause, { backend: NAME, key });
    if (failure.kind === 'unknown') {
      this.#unresolved ??= new UnresolvedAttempts(
        this.#store.host.runtime,
        this.#store.pendingReleases,
        this.#ttlMs,
      );
      this.#unresolved.add(() => this.#release(owner, key), from, cause);
    }
    return failure;
  }

  /** Sends one release of an attempt; never rejects. */
  async #release(
    owner: string,
    key: string,
    endMs: number = Number.POSITIVE_INFINITY,
  ): Promise<Release> {
    const { node, host } = this.#store;
    const ownEndMs = host.runtime.now().monotonicMs + callDeadlineMs(this.#ttlMs);
    const deadlineMs = Math.min(ownEndMs, endMs);
    try {
      const keys = this.#locksAndChannels;
      const reply = await node.script(RELEASE_ALL, keys, [owner], { deadlineMs });
      const isReleased = expectReply(RELEASE_ALL.name, reply, isZeroOrOne) === 1;
      return { kind: isReleased ? 'released' : 'not-held' };
    } catch (cause) {
      reportNode(this.#store, key, cause);
      return { kind: 'unknown', cause };
    }
  }
}

/** The grants of one attempt, as one. */
class GrantOfAll implements Grant {
  readonly parts: ReadonlyMap<string, Grant>;
  readonly owner: string;
  readonly leaseMs: number;
  readonly validity: Validity;

  constructor(parts: ReadonlyMap<string, Grant>) {
    const [first] = parts.values();
    if (first === undefined) throw new TypeError('no key was acquired');
    this.parts = parts;
    this.owner = first.owner;
    this.leaseMs = first.leaseMs;
    this.validity = first.validity;
  }

  async release(): Promise<Release> {
    return worstRelease(
      await Promise.all(Array.from(this.parts.values(), (part) => part.release())),
    );
  }
}

function areTokens(reply: Reply): reply is readonly string[] {
  return Array.isArray(reply) && reply.every(isToken);
}

/** Reads the reply of a script that was stuck: the place of the key, and its remaining ms or why it is foreign. */
function stuckAt(reply: Reply): { readonly at: number; readonly code: number } | undefined {
  if (!Array.isArray(reply) || reply.length !== 2) return undefined;
  const [place, code]: readonly Reply[] = reply;
  if (!isInteger(place) || !isInteger(code)) return undefined;
  return code >= 0 || FOREIGN.has(code) ? { at: place - 1, code } : undefined;
}
