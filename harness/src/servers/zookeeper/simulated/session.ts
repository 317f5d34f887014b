import type { SimEvent } from '../../../sim/event-queue.ts';
import { toUs } from '../../../sim/kernel.ts';
import type { Program } from './program.ts';

const PASSWORD_BYTES = 16;
/** Known only to the servers. */
const SECRET = 0xb3415c00n;

/** A session, as the servers know it: replicated as a whole, and compared by identity. */
export class ServerSession {
  readonly id: bigint;
  /** As negotiated. */
  readonly timeoutMs: number;
  /**
   * The client proves with it that the session is its own. Every server can derive it from the id (`generatePasswd`).
   */
  readonly password: Uint8Array;

  constructor(id: bigint, timeoutMs: number) {
    this.id = id;
    this.timeoutMs = timeoutMs;
    this.password = new Uint8Array(PASSWORD_BYTES);
    new DataView(this.password.buffer).setBigUint64(0, id ^ SECRET);
  }

  isProvenBy(password: Uint8Array): boolean {
    return this.password.every((byte, at) => byte === password[at]);
  }
}

interface Tracked {
  /** On the leader's monotonic clock; always at a tick boundary. */
  expiresUs: number;
  /** The server at which its client was last heard; requests through other servers are refused. */
  owner: string | undefined;
}

/**
 * The leader's table of sessions, which alone decides when a session expires. It is in memory only: a new leader gives
 * every session its full timeout again (SessionTrackerImpl, ExpiryQueue).
 */
export class SessionTracker {
  readonly #program: Program;
  readonly #tickUs: number;
  readonly #expire: (session: ServerSession) => void;
  readonly #tracked = new Map<ServerSession, Tracked>();
  #event: SimEvent | undefined;
  #eventUs = Number.POSITIVE_INFINITY;

  constructor(program: Program, tickMs: number, expire: (session: ServerSession) => void) {
    this.#program = program;
    this.#tickUs = toUs(tickMs);
    this.#expire = expire;
  }

  get size(): number {
    return this.#tracked.size;
  }

  track(session: ServerSession, owner?: string): void {
    const expiresUs = this.#after(session.timeoutMs);
    this.#tracked.set(session, { expiresUs, owner });
    this.#program.machine.ensemble.holds?.tracked(this.#program, session, expiresUs);
    if (expiresUs < this.#eventUs) this.#arm(expiresUs);
  }

  /** False for a session that has ended. */
  touch(session: ServerSession): boolean {
    const tracked = this.#tracked.get(session);
    if (tracked === undefined) return false;
    const expiresUs = this.#after(session.timeoutMs);
    if (expiresUs <= tracked.expiresUs) return true;
    tracked.expiresUs = expiresUs;
    this.#program.machine.ensemble.holds?.tracked(this.#program, session, expiresUs);
    return true;
  }

  /** The client of the session is connected to that server from now on. */
  move(session: ServerSession, owner: string): void {
    const tracked = this.#tracked.get(session);
    if (tracked !== undefined) tracked.owner = owner;
  }

  /** True if requests of this session through that server are accepted. */
  accepts(session: ServerSession, server: string): boolean {
    const tracked = this.#tracked.get(session);
    if (tracked === undefined) return false;
    tracked.owner ??= server;
    return tracked.owner === server;
  }

  remove(session: ServerSession): void {
    this.#tracked.delete(session);
  }

  stop(): void {
    this.#tracked.clear();
    if (this.#event !== undefined) this.#event.cancelled = true;
  }

  #after(timeoutMs: number): number {
    const atUs = this.#program.monotonicUs + toUs(timeoutMs);
    return (Math.floor(atUs / this.#tickUs) + 1) * this.#tickUs;
  }

  /** A touch only postpones an expiry, so one event at the earliest expiry is enough. */
  #arm(atUs: number): void {
    if (this.#event !== undefined) this.#event.cancelled = true;
    this.#eventUs = atUs;
    this.#event = this.#program.at(atUs, () => this.#endExpired());
  }

  #endExpired(): void {
    const nowUs = this.#program.monotonicUs;
    this.#event = undefined;
    this.#eventUs = Number.POSITIVE_INFINITY;
    for (const [session, { expiresUs }] of this.#tracked) {
      if (expiresUs > nowUs) continue;
      this.#tracked.delete(session);
      this.#expire(session);
    }
    let next = Number.POSITIVE_INFINITY;
    for (const { expiresUs } of this.#tracked.values()) next = Math.min(next, expiresUs);
    if (next < Number.POSITIVE_INFINITY && this.#event === undefined) this.#arm(next);
  }
}
