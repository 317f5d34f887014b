import type { Host, Instant } from '@holdfast/core/backend';
import { byDeadline } from '../database/deadline.ts';
import {
  type Argument,
  DatabaseDoubt,
  DatabaseReplyError,
  type DatabaseSession,
  DatabaseUnavailable,
  PooledSession,
  type Reply,
  type Row,
  type Statement,
} from '../port.ts';
import { ACQUIRE, PROVE, RELEASE } from './statements.ts';

/** The hold of one attempt. */
export interface SessionHold {
  /** The whole name of the lock, with its namespace. */
  readonly name: string;
  readonly owner: string;
}

export interface LockSessionParts {
  readonly session: DatabaseSession;
  /** The text that marks the session on the server. */
  readonly mark: string;
  readonly address: string;
  readonly host: Host;
  /** A session without a reply for so long is ended: no lease on it is valid any more. */
  readonly ttlMs: number;
}

/**
 * The session that holds all locks of a process. A server lets one session take a lock several times, so it is known here
 * which are held. Calls go one after the other: the next is sent after the reply, so nothing arrives late.
 */
export class LockSession {
  readonly #parts: LockSessionParts;
  readonly #held = new Map<string, string>();
  readonly #ended = new Set<() => void>();
  #tail: Promise<unknown> = Promise.resolve();
  #isOver = false;

  constructor(parts: LockSessionParts) {
    this.#parts = parts;
    parts.session.onEnd(() => this.#end());
  }

  /** True once it has ended, with all its locks. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /**
   * Tries to lock; resolves to the instant at which the request left, or undefined if it is locked. A lock that is acquired
   * after the deadline is released before anything else is sent. Rejects as `DatabaseSession.run` does, and with a
   * DatabaseUnavailable if nothing was sent.
   */
  acquire(hold: SessionHold, deadlineMs: number): Promise<Instant | undefined> {
    const { runtime } = this.#parts.host;
    const progress = { hasSent: false, isLate: false };
    const acquiring = this.#inTurn(async () => {
      if (this.#held.has(hold.name)) return undefined;
      if (progress.isLate || deadlineMs <= runtime.now().monotonicMs) throw this.#unsent();
      progress.hasSent = true;
      const sentAt = await this.#tryLock(hold, deadlineMs);
      if (sentAt === undefined) return undefined;
      if (progress.isLate) return void (await this.#unlock(hold));
      this.#held.set(hold.name, hold.owner);
      return sentAt;
    });
    return byDeadline(runtime, deadlineMs, acquiring, {
      error: () => {
        progress.isLate = true;
        return progress.hasSent ? this.#doubt() : this.#unsent();
      },
    });
  }

  /** Releases a hold; true if it was held. Continues after the deadline, until the reply or the end of the session. */
  release(hold: SessionHold, deadlineMs: number): Promise<boolean> {
    const releasing = this.#inTurn(async () => {
      if (this.#held.get(hold.name) !== hold.owner) return false;
      const wasHeld = await this.#unlock(hold);
      this.#held.delete(hold.name);
      return wasHeld;
    });
    return byDeadline(this.#parts.host.runtime, deadlineMs, releasing, {
      error: () => this.#doubt(),
    });
  }

  /** Proves that the session lives; resolves to the instant at which the request left. */
  prove(deadlineMs: number): Promise<Instant> {
    const { runtime } = this.#parts.host;
    const proving = this.#inTurn(async () => {
      if (deadlineMs <= runtime.now().monotonicMs) throw this.#unsent();
      const { rows, sentAt } = await this.#send(PROVE, [this.#parts.mark], deadlineMs);
      this.#check(rows[0]);
      return sentAt;
    });
    return byDeadline(runtime, deadlineMs, proving, { error: () => this.#doubt() });
  }

  /** Resolves once everything that was sent has its reply, or the session has ended; rejects at the deadline. */
  async settled(deadlineMs: number): Promise<void> {
    await byDeadline(this.#parts.host.runtime, deadlineMs, this.#tail, {
      error: () => this.#doubt(),
    });
  }

  /** Calls `listener` once it has ended, at once if it has. Returns the removal of the listener. */
  onEnd(listener: () => void): () => void {
    if (this.#isOver) listener();
    else this.#ended.add(listener);
    return () => void this.#ended.delete(listener);
  }

  close(): void {
    this.#parts.session.close();
    this.#end();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#tail.then(() => {
      if (this.#isOver) throw this.#unsent();
      return work();
    });
    this.#tail = turn.then(nothing, nothing);
    return turn;
  }

  async #tryLock(hold: SessionHold, deadlineMs: number): Promise<Instant | undefined> {
    try {
      const { rows, sentAt } = await this.#send(ACQUIRE, this.#argsOf(hold), deadlineMs);
      this.#check(rows[0]);
      return rows[0]?.['owner'] === hold.owner ? sentAt : undefined;
    } catch (cause) {
      // A statement may have locked before its limit ended it: no error undoes that.
      if (cause instanceof DatabaseReplyError) await this.#unlock(hold);
      throw cause;
    }
  }

  /** Unlocks, or ends the session: nothing may stay locked that nobody holds. */
  async #unlock(hold: SessionHold): Promise<boolean> {
    const { host, ttlMs } = this.#parts;
    try {
      const deadlineMs = host.runtime.now().monotonicMs + ttlMs;
      const { rows } = await this.#send(RELEASE, this.#argsOf(hold), deadlineMs);
      if (rows[0]?.['is_own'] !== 'true') throw this.#pooled();
      return rows[0]['was_held'] === 'true';
    } catch (cause) {
      this.close();
      throw cause;
    }
  }

  #argsOf({ name, owner }: SessionHold): readonly Argument[] {
    return [name, owner, this.#parts.mark];
  }

  async #send(statement: Statement, args: readonly Argument[], deadlineMs: number): Promise<Reply> {
    const { session, host, ttlMs } = this.#parts;
    const cancel = host.runtime.timer(ttlMs, () => this.close());
    try {
      return await session.run(statement, args, { deadlineMs });
    } catch (cause) {
      // The connection broke: what it had locked stays so until the server notices, whenever its end is reported here.
      if (!(cause instanceof DatabaseReplyError)) this.close();
      throw cause;
    } finally {
      cancel();
    }
  }

  /** @throws PooledSession, DatabaseUnavailable: then the session ends, because its locks exclude nobody */
  #check(row: Row | undefined): void {
    if (row?.['is_own'] === 'true' && row['is_standby'] === 'false') return;
    this.close();
    if (row?.['is_own'] !== 'true') throw this.#pooled();
    throw new DatabaseUnavailable(`${this.#parts.address}: it is a standby`);
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#held.clear();
    for (const listener of this.#ended) listener();
    this.#ended.clear();
  }

  #doubt(): DatabaseDoubt {
    return new DatabaseDoubt(`${this.#parts.address}: no reply by the deadline`);
  }

  #unsent(): DatabaseUnavailable {
    return new DatabaseUnavailable(`${this.#parts.address}: the session has ended, or is busy`);
  }

  #pooled(): PooledSession {
    return new PooledSession(
      `${this.#parts.address}: a transaction pooler has changed the session`,
    );
  }
}

function nothing(): void {}
