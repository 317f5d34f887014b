import { LockError } from '@holdfast/core';
import { TTL_MS_DEFAULT } from '@holdfast/core/backend';
import type { Deadline } from './deadline.ts';
import { messageOf } from './failures.ts';
import { NAME } from './identity.ts';
import { pause } from './node-deleter.ts';
import { type OpenSession, type SessionCloseOptions, SessionUnavailable } from './port.ts';
import { openReplacementSession } from './replacement-session.ts';
import { SessionHandle } from './session-handle.ts';
import type { Store } from './store.ts';

export interface SessionsOptions {
  readonly open: OpenSession;
  /** The time that one opening may take. */
  readonly openMs: number;
  /** The session timeout that was requested. A warning reports a different one. */
  readonly requestedMs: number | undefined;
}

/** The reason why no other session will be opened. */
type EndReason =
  | { readonly kind: 'closed' }
  | { readonly kind: 'refused'; readonly error: LockError };

/** Keeps one session open. When it ends, another one is opened, unless the credentials were refused. */
export class Sessions {
  readonly #store: Store;
  readonly #options: SessionsOptions;
  #handle: SessionHandle | undefined;
  #ended: EndReason | undefined;
  /** Aborts an opening that is under way. */
  readonly #closing = new AbortController();
  /** Callers that wait for a change. */
  readonly #waiting = new Set<() => void>();
  #lastFailure: unknown;
  #timeoutMs: number;

  constructor(store: Store, options: SessionsOptions) {
    this.#store = store;
    this.#options = options;
    this.#timeoutMs = options.requestedMs ?? TTL_MS_DEFAULT;
  }

  /** Opens the first session. Rejects as the opening does; if no server answered, opening continues in the background. */
  async start(): Promise<SessionHandle> {
    try {
      return this.#adopt(await this.#open({ awaited: true }));
    } catch (cause) {
      this.#lastFailure = cause;
      if (!(cause instanceof LockError)) this.#replace();
      throw cause;
    }
  }

  /** The current session in any state; undefined while there is none. */
  get current(): SessionHandle | undefined {
    return this.#handle;
  }

  /** T, as negotiated last. */
  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  /** Returns the session once it is connected. @throws SessionUnavailable if it is not in time; LockError if it never will be */
  async connected(deadline: Deadline): Promise<SessionHandle> {
    for (;;) {
      const handle = this.#handle;
      if (handle?.session.state === 'connected') return handle;
      if (this.#ended?.kind === 'refused') throw this.#ended.error;
      if (this.#ended !== undefined) throw new SessionUnavailable('the backend is closed');
      await this.#awaitChange(deadline);
    }
  }

  /** Ends the session and its nodes: at once, or with `leavesNodes` when the session has expired. */
  async close(options: SessionCloseOptions): Promise<void> {
    this.#ended = { kind: 'closed' };
    this.#closing.abort();
    this.#wakeWaiters();
    // If the opener ignores the signal, its session is closed once it is open. Waiting for that could mean waiting for dead servers.
    await this.#handle?.session.close(options);
  }

  async #awaitChange(deadline: Deadline): Promise<void> {
    let wake: (() => void) | undefined;
    const changed = new Promise<void>((resolve) => {
      wake = resolve;
      this.#waiting.add(wake);
    });
    try {
      await deadline.limit(changed);
    } catch {
      // Nothing was sent, so there is no doubt.
      throw new SessionUnavailable(`${NAME}: ${this.#disconnectedMessage()}`, this.#lastFailure);
    } finally {
      if (wake !== undefined) this.#waiting.delete(wake);
    }
  }

  /** The message includes the cause, because health and logs show only messages. */
  #disconnectedMessage(): string {
    const what = this.#handle === undefined ? 'there is no session' : 'there is no connection';
    return this.#lastFailure === undefined ? what : `${what} (${messageOf(this.#lastFailure)})`;
  }

  async #open({ awaited }: { readonly awaited: boolean }): Promise<SessionHandle> {
    const { open, openMs } = this.#options;
    const { signal } = this.#closing;
    const deadlineMs = this.#store.host.runtime.now().monotonicMs + openMs;
    const session = await open(deadlineMs, { signal, awaited });
    return new SessionHandle(session, this.#store);
  }

  #adopt(handle: SessionHandle): SessionHandle {
    this.#handle = handle;
    this.#lastFailure = undefined;
    const { session } = handle;
    this.#timeoutMs = session.timeoutMs;
    this.#warnOfTimeout(session.timeoutMs);
    this.#reportNode(session.address, `session 0x${BigInt.asUintN(64, session.id).toString(16)}`);
    handle.onState((state) => {
      this.#reportNode(session.address, state);
      this.#wakeWaiters();
      this.#replaceIfDisconnected(handle);
    });
    handle.onEnd(() => this.#end(handle));
    this.#replaceIfDisconnected(handle);
    this.#wakeWaiters();
    return handle;
  }

  #replaceIfDisconnected(handle: SessionHandle): void {
    if (handle.session.state === 'disconnected') void this.#awaitReconnection(handle);
  }

  #end(handle: SessionHandle): void {
    if (this.#handle !== handle) return;
    this.#handle = undefined;
    if (this.#ended !== undefined) return;
    if (handle.session.state === 'auth-failed') {
      this.#ended = { kind: 'refused', error: authFailed(handle.session.address) };
      return this.#wakeWaiters();
    }
    this.#replace();
  }

  #replace(): void {
    void this.#reopen();
  }

  async #reopen(): Promise<void> {
    for (let failures = 0; this.#ended === undefined; failures++) {
      try {
        const handle = await this.#open({ awaited: false });
        if (this.#ended === undefined) this.#adopt(handle);
        else await handle.session.close();
        return;
      } catch (cause) {
        if (this.#ended !== undefined) return;
        this.#lastFailure = cause;
        if (cause instanceof LockError) {
          this.#ended = { kind: 'refused', error: cause };
          return this.#wakeWaiters();
        }
        this.#reportNode('ensemble', `no session: ${messageOf(cause)}`);
        await pause(this.#store.host.runtime, failures);
      }
    }
  }

  /** Replaces a session that stays without a connection. Its leases are over, and its nodes go with it. */
  async #awaitReconnection(old: SessionHandle): Promise<void> {
    const { runtime } = this.#store.host;
    const failed = (cause: unknown): void => {
      this.#lastFailure = cause;
    };
    const open = (): Promise<SessionHandle> => this.#open({ awaited: false });
    const next = await openReplacementSession(old, { runtime, open, failed });
    if (next === undefined) return;
    if (this.#ended !== undefined) return await next.session.close();
    this.#adopt(next);
    await old.session.close();
  }

  #wakeWaiters(): void {
    const waiting = [...this.#waiting];
    for (const wake of waiting) wake();
  }

  #warnOfTimeout(timeoutMs: number): void {
    const { requestedMs } = this.#options;
    if (requestedMs === undefined || requestedMs === timeoutMs) return;
    const message = `requested a session timeout of ${requestedMs} ms, and the servers grant ${timeoutMs} ms: a crashed holder blocks others for that long`;
    this.#store.host.emit({ type: 'warning', backend: NAME, code: 'session-timeout', message });
  }

  #reportNode(node: string, outcome: string): void {
    this.#store.host.emit({ type: 'node', backend: NAME, node, outcome });
  }
}

function authFailed(address: string): LockError {
  const message = `${NAME}: ${address} refused the credentials; nothing can be locked with them`;
  return new LockError('NO_AUTH', message, { backend: NAME });
}
