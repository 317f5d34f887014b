import {
  type Attempt,
  type Contender,
  callDeadlineMs,
  type Instant,
  ownerValue,
  parseOwner,
  type Withdrawal,
} from '@holdfast/core/backend';
import { type Failure, failureOf, foreignKeyError, isRowLocked } from './failures.ts';
import { PostgresGrant, release } from './grant.ts';
import type { Reply, Row } from './port.ts';
import { payloadOf, reportNode, type Store } from './store.ts';
import { checkSynchronous } from './synchronous.ts';
import { UnresolvedAttempts } from './unresolved-attempts.ts';
import { WakeUp } from './wake-up.ts';

/** A waiter polls at least this often, because a half-open connection stays silent and reports no error. */
const SAFETY_POLL_MS = 2_000;
/** The pause between two polls of a waiter that is not notified. */
const POLL_MS = 250;
/** All waiters of a dead holder learn one remaining time, so their next attempts are spread over this many ms. */
const JITTER_MS = 50;

/** The key that a contender tries to acquire. */
export interface Request {
  readonly key: string;
  readonly contender: string;
  readonly ttlMs: number;
}

/** Tries to acquire one key: each attempt under its own owner value, so that its undo can never touch the next one. */
export class PostgresContender implements Contender {
  readonly #store: Store;
  readonly #request: Request;
  // Most contenders win at once and need neither.
  #unresolved: UnresolvedAttempts | undefined;
  #wakeUp: WakeUp | undefined;
  #n = 0;

  constructor(store: Store, request: Request) {
    this.#store = store;
    this.#request = request;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    const { database, statements, namespace, host } = this.#store;
    const { key, ttlMs } = this.#request;
    this.#wakeUp?.restart();
    const owner = this.#nextOwner();
    const from = host.runtime.now();
    const callEndMs = Math.min(deadlineMs, from.monotonicMs + callDeadlineMs(ttlMs));
    let reply: Reply;
    try {
      const args = [namespace, key, owner, ttlMs];
      reply = await database.run(statements.acquire, args, { deadlineMs: callEndMs });
    } catch (cause) {
      return isRowLocked(cause) ? this.#busy(undefined) : this.#failure(cause, owner, from);
    }
    return this.#replied(reply, owner, from);
  }

  changed(signal: AbortSignal): Promise<void> {
    this.#wakeUp ??= new WakeUp(this.#store.releases, payloadOf(this.#store, this.#request.key));
    return this.#wakeUp.changed(signal);
  }

  withdraw(): Promise<Withdrawal> {
    this.#wakeUp?.close();
    return Promise.resolve(this.#unresolved?.settle() ?? { kind: 'clean' });
  }

  #nextOwner(): string {
    this.#n += 1;
    const { label } = this.#store.host;
    return ownerValue({ contender: this.#request.contender, n: this.#n, label });
  }

  #replied({ rows, sentAt }: Reply, owner: string, from: Instant): Attempt {
    const { key, ttlMs } = this.#request;
    const token = rows[0]?.['token'];
    if (typeof token === 'string' && /^\d+$/.test(token)) {
      this.#wakeUp?.close();
      // From when the request left: the server starts the ttl no earlier than this.
      const won = { key, owner, from: sentAt, ttlMs, fencingToken: BigInt(token) };
      return { kind: 'granted', grant: new PostgresGrant(this.#store, won) };
    }
    const stored = rows.at(-1);
    if (stored === undefined)
      return this.#failure(new Error('acquire: the reply has no row'), owner, from);
    const refusal = checkSynchronous(this.#store, stored, key);
    if (refusal !== undefined) return { kind: 'refused', error: refusal };
    return this.#taken(stored);
  }

  /** What is stored was read after the attempt: the holder may have released meanwhile, and then the next attempt is at once. */
  #taken({ owner, remaining_ms: remaining }: Row): Attempt {
    if (typeof owner !== 'string') return this.#busy(0);
    if (parseOwner(owner) === undefined)
      return { kind: 'refused', error: foreignKeyError(this.#request.key) };
    const remainingMs = Number(remaining ?? Number.NaN);
    return this.#busy(Number.isFinite(remainingMs) ? Math.max(0, remainingMs) : undefined);
  }

  /** Unknown how long: another transaction keeps the row locked. */
  #busy(holderRemainingMs: number | undefined): Attempt {
    const { releases, host } = this.#store;
    const jitterMs = 1 + host.runtime.random() * JITTER_MS;
    const pollMs = releases.isLive || this.#wakeUp === undefined ? SAFETY_POLL_MS : POLL_MS;
    const untilMs = holderRemainingMs ?? POLL_MS;
    return { kind: 'busy', holderRemainingMs, retryAfterMs: Math.min(untilMs, pollMs) + jitterMs };
  }

  #failure(cause: unknown, owner: string, from: Instant): Failure {
    const { key, ttlMs } = this.#request;
    reportNode(this.#store, key, cause);
    const failure = failureOf(cause, key);
    if (failure.kind === 'unknown') {
      const { host, pendingReleases } = this.#store;
      this.#unresolved ??= new UnresolvedAttempts(host.runtime, pendingReleases, ttlMs);
      this.#unresolved.add(() => release(this.#store, { key, owner }, ttlMs), from);
    }
    return failure;
  }
}
