import {
  type Attempt,
  type Contender,
  callDeadlineMs,
  type Withdrawal,
} from '@holdfast/core/backend';
import {
  type ErrorContext,
  expectReply,
  FOREIGN_REASONS,
  failureOf,
  foreignKeyError,
  isDoubt,
  isValue,
  isZeroOrOne,
  messageOf,
  UnexpectedReply,
} from '@holdfast/redis';
import { NodeDoubt, NodeUnavailable, type Reply } from '@holdfast/redis/port';
import { GetsetGrant } from './grant.ts';
import { NAME } from './identity.ts';
import { isExpired, parseStamp, type StampedWrite, stampedWriteNow, storedForMs } from './stamp.ts';
import { command, type Store, type StoredKey } from './store.ts';

/** A release sends no notification: a waiter polls after this, of which a random half is subtracted. */
const POLL_MS = 100;
/** A key that is freed twice during one attempt is contended: the next attempt may try. */
const ROUNDS_MAX = 2;

/**
 * Tries to acquire one key as https://redis.io/docs/latest/commands/setnx describes it ("Design pattern: locking with
 * SETNX"), and no better: nothing identifies the writer of a stamp, so no write is ever undone.
 */
export class GetsetContender implements Contender {
  readonly #store: Store;
  readonly #storedKey: StoredKey;
  readonly #ttlMs: number;
  /** Writes that may be stored without being a lock of ours. */
  #unresolved: StampedWrite[] = [];

  constructor(store: Store, storedKey: StoredKey, ttlMs: number) {
    this.#store = store;
    this.#storedKey = storedKey;
    this.#ttlMs = ttlMs;
  }

  async attempt(deadlineMs: number): Promise<Attempt> {
    const { monotonicMs } = this.#store.host.runtime.now();
    // All its commands together take no longer than one call may.
    const callEndMs = Math.min(deadlineMs, monotonicMs + callDeadlineMs(this.#ttlMs));
    try {
      return await this.#acquire(callEndMs);
    } catch (cause) {
      return failureOf(cause, this.#context);
    }
  }

  withdraw(): Promise<Withdrawal> {
    const remainingMs = this.#unresolved.map((write) =>
      storedForMs(write, this.#store.host.runtime),
    );
    const untilMs = Math.max(0, ...remainingMs);
    return Promise.resolve(untilMs === 0 ? { kind: 'clean' } : { kind: 'unknown', untilMs });
  }

  /** SETNX; taken → GET; expired → GETSET. */
  async #acquire(callEndMs: number): Promise<Attempt> {
    for (let start = 1; start <= ROUNDS_MAX; start++) {
      const write = stampedWriteNow(this.#store.host.runtime, this.#ttlMs);
      if (await this.#setnx(write, callEndMs)) return this.#won(write);
      const stored = await this.#get(callEndMs);
      // Freed since SETNX found it taken. GETSET would do, but might overwrite the stamp of a faster client.
      if (stored === null) continue;
      const stamp = parseStamp(stored);
      if (stamp === undefined)
        return { kind: 'refused', error: foreignKeyError(FOREIGN_REASONS.notALock, this.#context) };
      if (!isExpired(stamp, this.#wallMs)) return this.#busy(stamp);
      return await this.#takeOver(callEndMs);
    }
    return this.#busy(this.#wallMs);
  }

  /** GETSET, won only if what it returned was expired too. */
  async #takeOver(callEndMs: number): Promise<Attempt> {
    const write = stampedWriteNow(this.#store.host.runtime, this.#ttlMs);
    const previous = await this.#write('GETSET', write, callEndMs);
    // Freed since GET found it expired; no client can have come in between, since GETSET is one step.
    if (previous === null) return this.#won(write);
    const stamp = typeof previous === 'string' ? parseStamp(previous) : undefined;
    if (stamp !== undefined && isExpired(stamp, write.from.wallMs)) return this.#won(write);
    // Another client was faster, and our stamp has overwritten its own: the recipe calls that harmless.
    this.#unresolved.push(write);
    if (stamp !== undefined) return this.#busy(stamp);
    const cause = new UnexpectedReply('GETSET', previous);
    if (typeof previous !== 'string') throw cause;
    return {
      kind: 'refused',
      error: foreignKeyError(FOREIGN_REASONS.notALock, this.#context, cause),
    };
  }

  async #setnx(write: StampedWrite, callEndMs: number): Promise<boolean> {
    const reply = await this.#write('SETNX', write, callEndMs);
    if (isZeroOrOne(reply)) return reply === 1;
    this.#unresolved.push(write);
    throw new UnexpectedReply('SETNX', reply);
  }

  /** Reading changes nothing, so a missing reply leaves nothing in doubt. */
  async #get(callEndMs: number): Promise<string | null> {
    const { key, lock } = this.#storedKey;
    try {
      const reply = await command(this.#store, key, ['GET', lock], callEndMs);
      return expectReply('GET', reply, isValue);
    } catch (cause) {
      if (isDoubt(cause)) throw new NodeUnavailable(messageOf(cause), cause);
      throw cause;
    }
  }

  async #write(name: 'SETNX' | 'GETSET', write: StampedWrite, callEndMs: number): Promise<Reply> {
    const { key, lock } = this.#storedKey;
    this.#dropExpired();
    try {
      return await command(this.#store, key, [name, lock, `${write.stamp}`], callEndMs);
    } catch (cause) {
      if (cause instanceof NodeDoubt) this.#unresolved.push(write);
      throw cause;
    }
  }

  #won(write: StampedWrite): Attempt {
    return { kind: 'granted', grant: new GetsetGrant(this.#store, this.#storedKey, write) };
  }

  #busy(stamp: number): Attempt {
    const holderRemainingMs = Math.max(0, stamp + 1 - this.#wallMs);
    const pollMs = POLL_MS * (1 - this.#store.host.runtime.random() / 2);
    return { kind: 'busy', holderRemainingMs, retryAfterMs: pollMs };
  }

  /** A contender may wait for days, and lose many races. */
  #dropExpired(): void {
    const { runtime } = this.#store.host;
    this.#unresolved = this.#unresolved.filter((write) => storedForMs(write, runtime) > 0);
  }

  get #context(): ErrorContext {
    return { backend: NAME, key: this.#storedKey.key };
  }

  get #wallMs(): number {
    return this.#store.host.runtime.now().wallMs;
  }
}
