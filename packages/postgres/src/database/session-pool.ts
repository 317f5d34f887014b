import type { Runtime } from '@holdfast/core';
import { DatabaseUnavailable } from '../port.ts';
import { byDeadline } from './deadline.ts';
import type { Dialer, Session, SessionSource } from './session.ts';

interface Waiting {
  readonly resolve: (session: Session) => void;
  readonly reject: (cause: unknown) => void;
}

/**
 * At most so many connections of one dialer, opened when they are needed. Who waits for one is served in order.
 * @example
 * ```ts
 * const sessions = new SessionPool(pgDialer, host.runtime, 4);
 * const session = await sessions.take(deadlineMs);
 * sessions.give(session, true);
 * ```
 */
export class SessionPool implements SessionSource {
  readonly #dialer: Dialer;
  readonly #runtime: Runtime;
  readonly #max: number;
  readonly #idle: Session[] = [];
  readonly #open = new Set<Session>();
  readonly #waiting = new Set<Waiting>();
  #dialing = 0;
  #isClosed = false;

  constructor(dialer: Dialer, runtime: Runtime, max: number) {
    this.#dialer = dialer;
    this.#runtime = runtime;
    this.#max = max;
  }

  take(deadlineMs: number): Promise<Session> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return Promise.resolve(idle);
    if (this.#isClosed) return Promise.reject(this.#unavailable('the backend is closed'));
    let waiting: Waiting | undefined;
    const taken = new Promise<Session>((resolve, reject) => {
      waiting = { resolve, reject };
      this.#waiting.add(waiting);
    });
    this.#dial();
    return byDeadline(this.#runtime, deadlineMs, taken, {
      error: () => {
        if (waiting !== undefined) this.#waiting.delete(waiting);
        return this.#unavailable('no connection by the deadline');
      },
      onLate: (session) => this.give(session, true),
    });
  }

  give(session: Session, isUsable: boolean): void {
    if (!isUsable || this.#isClosed) session.close();
    if (!isUsable || !this.#open.has(session)) {
      this.#open.delete(session);
      this.#dial();
      return;
    }
    const [first] = this.#waiting;
    if (first === undefined) return void this.#idle.push(session);
    this.#waiting.delete(first);
    first.resolve(session);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const session of this.#open) session.close();
    for (const { reject } of this.#waiting) reject(this.#unavailable('the backend is closed'));
    this.#waiting.clear();
    this.#idle.length = 0;
  }

  /** Opens a connection if one is missing. */
  #dial(): void {
    const isMissing = this.#dialing < this.#waiting.size;
    if (this.#isClosed || !isMissing || this.#open.size + this.#dialing >= this.#max) return;
    this.#dialing += 1;
    this.#dialer.dial().then(
      (session) => {
        this.#dialing -= 1;
        this.#add(session);
      },
      (cause: unknown) => {
        this.#dialing -= 1;
        // One failure for each: the next waiter tries again, since the server may have refused only one more connection.
        const [first] = this.#waiting;
        if (first !== undefined) this.#waiting.delete(first);
        first?.reject(cause);
        this.#dial();
      },
    );
  }

  #add(session: Session): void {
    this.#open.add(session);
    session.onEnd(() => {
      this.#open.delete(session);
      const at = this.#idle.indexOf(session);
      if (at >= 0) this.#idle.splice(at, 1);
      this.#dial();
    });
    if (this.#open.has(session)) this.give(session, true);
  }

  #unavailable(why: string): DatabaseUnavailable {
    return new DatabaseUnavailable(`${this.#dialer.address}: ${why}`);
  }
}
