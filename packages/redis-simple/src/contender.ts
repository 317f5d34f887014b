import {
  type Attempt,
  type Contender,
  callDeadlineMs,
  type Instant,
  ownerValue,
  type Withdrawal,
} from '@holdfast/core';
import { isRemainingMs, lifetimeOf, UnexpectedReply, UnresolvedAttempts } from '@holdfast/redis';
import type { Reply, Undo } from '@holdfast/redis/port';
import { SimpleGrant } from './grant.ts';
import type { StoredKeys } from './keys.ts';
import { type Failure, failureOf, foreignKeyError, isForeign, isToken } from './replies.ts';
import { ACQUIRE } from './scripts/acquire.ts';
import { RELEASE } from './scripts/release.ts';
import { reportNode, type Store } from './store.ts';
import { release } from './stored-hold.ts';
import { WakeUp } from './wake-up.ts';

/** A waiter looks at the key at least this often, because a half-open subscription is silent for ever. */
const SAFETY_POLL_MS = 2_000;
/** Waiters of a dead holder all learn the same remaining time; they come back spread over this. */
const JITTER_MS = 50;

/** Tries to get one key: every attempt under its own owner value, so that undoing one can never touch the next. */
export class SimpleContender implements Contender {
  readonly #store: Store;
  readonly #keys: StoredKeys;
  readonly #contender: string;
  readonly #ttlMs: number;
  // Most contenders win at once and need neither.
  #unresolved: UnresolvedAttempts | undefined;
  #wakeUp: WakeUp | undefined;
  #n = 0;

  constructor(store: Store, keys: StoredKeys, contender: string, ttlMs: number) {
    this.#store = store;
    this.#keys = keys;
    this.#contender = contender;
    this.#ttlMs = ttlMs;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    this.#wakeUp?.restart();
    const owner = this.#nextOwner();
    // Read before the request leaves: the server starts the ttl no earlier than this.
    const from = this.#store.host.runtime.now();
    const callEndMs = Math.min(deadlineMs, from.monotonicMs + callDeadlineMs(this.#ttlMs));
    let reply: Reply;
    try {
      reply = await this.#store.node.script(
        ACQUIRE,
        [this.#keys.lock, this.#keys.fence],
        [owner, `${this.#ttlMs}`],
        { deadlineMs: callEndMs, undo: this.#undoOf(owner, from) },
      );
    } catch (cause) {
      return this.#failure(cause, owner, from);
    }
    if (isToken(reply)) return this.#won(owner, from, reply);
    if (isRemainingMs(reply)) return this.#taken(reply);
    if (isForeign(reply)) return { kind: 'refused', error: foreignKeyError(reply, this.#keys.key) };
    return this.#failure(new UnexpectedReply(ACQUIRE.name, reply), owner, from);
  }

  changed(signal: AbortSignal): Promise<void> {
    this.#wakeUp ??= new WakeUp(this.#store.node, this.#keys.channel, (cause) =>
      reportNode(this.#store, this.#keys.key, cause),
    );
    return this.#wakeUp.changed(signal);
  }

  withdraw(): Promise<Withdrawal> {
    this.#wakeUp?.close();
    return this.#unresolved?.settle() ?? Promise.resolve({ kind: 'clean' });
  }

  #nextOwner(): string {
    this.#n += 1;
    return ownerValue({ contender: this.#contender, n: this.#n, label: this.#store.host.label });
  }

  #undoOf(owner: string, from: Instant): Undo {
    const { lock, channel } = this.#keys;
    return {
      args: ['EVAL', RELEASE.source, '2', lock, channel, owner],
      keepUntilMs: from.monotonicMs + lifetimeOf(from, this.#ttlMs).ms,
    };
  }

  #won(owner: string, from: Instant, token: string): Attempt {
    this.#wakeUp?.close();
    const won = { keys: this.#keys, owner, from, ttlMs: this.#ttlMs, fencingToken: BigInt(token) };
    return { kind: 'granted', grant: new SimpleGrant(this.#store, won) };
  }

  #taken(holderRemainingMs: number): Attempt {
    const jitterMs = 1 + this.#store.host.runtime.random() * JITTER_MS;
    const retryAfterMs = Math.min(holderRemainingMs + jitterMs, SAFETY_POLL_MS);
    return { kind: 'busy', holderRemainingMs, retryAfterMs };
  }

  #failure(cause: unknown, owner: string, from: Instant): Failure {
    reportNode(this.#store, this.#keys.key, cause);
    const failure = failureOf(cause, this.#keys.key);
    if (failure.kind === 'unknown') {
      const hold = { keys: this.#keys, owner };
      this.#unresolved ??= new UnresolvedAttempts(
        this.#store.host.runtime,
        this.#store.pendingReleases,
        this.#ttlMs,
      );
      this.#unresolved.add(() => release(this.#store, hold, this.#ttlMs), from, cause);
    }
    return failure;
  }
}
