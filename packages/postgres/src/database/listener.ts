import type { Runtime } from '@holdfast/core';
import {
  type CallOptions,
  type ChannelEvent,
  DatabaseUnavailable,
  PooledSession,
  type Subscription,
} from '../port.ts';
import { byDeadline } from './deadline.ts';
import { dialBy, rejectPooled } from './own-connection.ts';
import type { Dialer, Session } from './session.ts';

type Listener = (event: ChannelEvent) => void;

const PROOF_MS = 10_000;
const PROOF_LIMIT_MS = 2_000;
const GAP: ChannelEvent = { kind: 'gap' };

/** One connection that listens for all. It is opened for the first listener, and again for the first one after it ended. */
export class ChannelListener {
  readonly #dialer: Dialer;
  readonly #runtime: Runtime;
  /** Returns the server's process behind another connection, while this one is open. */
  readonly #otherProcess: (options: CallOptions) => Promise<string>;
  readonly #listeners = new Map<string, Set<Listener>>();
  #opening: Promise<Session> | undefined;
  #session: Session | undefined;
  #isClosed = false;
  #cancelProof: () => void = () => {};

  constructor(
    dialer: Dialer,
    runtime: Runtime,
    otherProcess: (options: CallOptions) => Promise<string>,
  ) {
    this.#dialer = dialer;
    this.#runtime = runtime;
    this.#otherProcess = otherProcess;
  }

  /** Live when resolved. Rejects with a PooledSession or a DatabaseUnavailable. */
  async listen(
    channel: string,
    listener: Listener,
    { deadlineMs }: CallOptions,
  ): Promise<Subscription> {
    this.#opening ??= this.#open(channel, deadlineMs);
    const opening = this.#opening;
    try {
      await byDeadline(this.#runtime, deadlineMs, opening, {
        error: () => new DatabaseUnavailable(`${this.#dialer.address}: not listening in time`),
      });
    } catch (cause) {
      if (cause instanceof PooledSession || cause instanceof DatabaseUnavailable) throw cause;
      throw new DatabaseUnavailable(`${this.#dialer.address}: cannot listen`, cause);
    }
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    return { close: () => void listeners.delete(listener) };
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelProof();
    this.#session?.close();
  }

  async #open(channel: string, deadlineMs: number): Promise<Session> {
    const session = await this.#dial(deadlineMs);
    let hasEnded = false;
    // Once: the end of a connection that was given up comes late, when another one may listen already.
    const ended = (): void => {
      if (!hasEnded) this.#ended();
      hasEnded = true;
    };
    session.onEnd(ended);
    try {
      await byDeadline(this.#runtime, deadlineMs, this.#prepare(session, channel, deadlineMs), {
        error: () => new DatabaseUnavailable(`${this.#dialer.address}: not listening in time`),
      });
    } catch (cause) {
      session.close();
      ended();
      throw cause;
    }
    if (this.#isClosed) session.close();
    this.#session = session;
    this.#proveLater(session);
    return session;
  }

  async #prepare(session: Session, channel: string, deadlineMs: number): Promise<void> {
    await rejectPooled(session, this.#dialer.address, () => this.#otherProcess({ deadlineMs }));
    session.onNotification((name, payload) => this.#notify(name, { kind: 'message', payload }));
    await session.run(`LISTEN ${channel}`);
  }

  /** A connection that is half open is silent for hours: it must reply now and then. */
  #proveLater(session: Session): void {
    if (this.#isClosed || this.#session !== session) return;
    this.#cancelProof = this.#runtime.timer(PROOF_MS, () => void this.#prove(session));
  }

  async #prove(session: Session): Promise<void> {
    if (this.#session !== session) return;
    const deadlineMs = this.#runtime.now().monotonicMs + PROOF_LIMIT_MS;
    try {
      await byDeadline(this.#runtime, deadlineMs, session.run('SELECT'), {
        error: () => new DatabaseUnavailable(`${this.#dialer.address}: no proof of life`),
      });
      this.#proveLater(session);
    } catch {
      session.close();
    }
  }

  async #dial(deadlineMs: number): Promise<Session> {
    try {
      return await dialBy(this.#dialer, this.#runtime, deadlineMs, 'no connection to listen on');
    } catch (cause) {
      this.#opening = undefined;
      throw cause;
    }
  }

  #ended(): void {
    this.#cancelProof();
    this.#opening = undefined;
    this.#session = undefined;
    for (const channel of this.#listeners.keys()) this.#notify(channel, GAP);
    this.#listeners.clear();
  }

  #notify(channel: string, event: ChannelEvent): void {
    // A copy: a listener that another adds has missed nothing.
    for (const listener of Array.from(this.#listeners.get(channel) ?? [])) listener(event);
  }
}
