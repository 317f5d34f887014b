import type { Instant } from './clock.ts';
import { type Credential, sendAuth } from './credentials.ts';
import { OpenError, ReplyError } from './errors.ts';
import { QuickPings } from './liveness.ts';
import { type Operation, XID } from './operation.ts';
import type { CheckedOptions } from './options.ts';
import type { ReplyHandler } from './pending-requests.ts';
import { Reconnector } from './reconnector.ts';
import type { ConnectReply } from './records.ts';
import { ServerConnection } from './server-connection.ts';
import type { ServerAddress } from './servers.ts';
import { SessionCloser } from './session-closer.ts';
import { type FinalState, ObservableState } from './session-state.ts';
import { stopWatching, Watches } from './watches.ts';

const PASSWORD_BYTES = 16;
const IGNORE_REPLY: ReplyHandler<unknown> = { replied: () => undefined, failed: () => undefined };

/** A session over one connection at a time. */
export class SessionLink {
  readonly watches: Watches;
  readonly state: ObservableState = new ObservableState();
  readonly quickPings: QuickPings = new QuickPings(() => this.#connection?.quickPingsChanged());
  readonly #options: CheckedOptions;
  readonly #reconnector: Reconnector;
  readonly #credentials: Credential[];
  #connection: ServerConnection | undefined;
  #id = 0n;
  #password: Uint8Array = new Uint8Array(PASSWORD_BYTES);
  #timeoutMs: number;
  #validated: Instant;
  #lastZxid = 0n;
  #address = '';
  #lastCause: Error | undefined;
  /** Called when the opening has succeeded or failed. */
  #opened: ((error?: OpenError) => void) | undefined;
  #closer: SessionCloser | undefined;

  constructor(options: CheckedOptions) {
    const { clock, servers, network } = options;
    this.#options = options;
    this.#credentials = [...options.auth];
    this.#timeoutMs = options.sessionTimeoutMs;
    this.#validated = clock.now();
    this.watches = new Watches((kind, path) => {
      if (this.state.current === 'connected')
        this.#connection?.send(stopWatching(kind, path), IGNORE_REPLY);
    });
    this.#reconnector = new Reconnector({
      clock,
      servers,
      resolve: network.resolve,
      timeoutMs: () => this.#timeoutMs,
      dial: (server) => this.#dial(server),
      timedOut: (ms) => this.rejectServer(ms),
      unresolved: (cause) => this.#lost(cause),
    });
  }

  get id(): bigint {
    return this.#id;
  }

  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  get address(): string {
    return this.#address;
  }

  get validated(): Instant {
    return this.#validated;
  }

  answeredBefore(monotonicMs: number): Instant | undefined {
    return this.#connection?.answeredBefore(monotonicMs);
  }

  /** Dials until a server grants a session and accepts the credentials, or `abortOpening` is called. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const opened = (error?: OpenError): void => {
        this.#opened = undefined;
        if (error === undefined) resolve();
        else reject(error);
      };
      // Two statements: V8 allocates a function that is assigned to a property as old at once, and it would keep the session.
      this.#opened = opened;
      this.#reconnector.start();
    });
  }

  /** Switches to another connection, because the server of this one does not reply. */
  rejectServer(ms: number): void {
    this.#connection?.fail(
      new Error(`${this.#address} did not answer within ${Math.round(ms)} ms`),
    );
  }

  /** Aborts the opening, unless it is over. `when` completes the message `no session from ‹servers›`. */
  abortOpening(code: 'NO_SERVER' | 'ABORTED', when: string): void {
    if (this.#opened === undefined) return;
    const names = this.#options.servers.map(({ name }) => name).join(', ');
    const last = this.#lastCause === undefined ? '' : ` (${this.#lastCause.message})`;
    this.#opened(new OpenError(code, `no session from ${names} ${when}${last}`, this.#lastCause));
    void this.close(0);
  }

  /** Throws if nothing was sent; otherwise `handler` gets the outcome. */
  send<T>(operation: Operation<T>, handler: ReplyHandler<T>): void {
    this.#connected(operation.name).send(operation, handler);
  }

  /** Proves another identity, now and on every later connection. */
  authenticate(credential: Credential): Promise<void> {
    return new Promise((resolve, reject) => {
      const connection = this.#connected(`prove an identity of scheme ${credential.scheme}`);
      this.#credentials.push(credential);
      this.#authenticateOn(connection, credential, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Closes the session at the servers. Tries for `timeoutMs` at most, also to connect. */
  close(timeoutMs: number): Promise<void> {
    if (this.#closer !== undefined) return this.#closer.done;
    if (this.state.isFinal) return Promise.resolve();
    const wasConnected = this.state.current === 'connected';
    const closer = new SessionCloser({
      clock: this.#options.clock,
      timeoutMs,
      hasOtherServers: () => this.#reconnector.addresses > 1,
      finished: () => this.#disconnect('the session was closed'),
    });
    this.#closer = closer;
    this.state.set('closed');
    this.watches.endAll();
    if (wasConnected && this.#connection !== undefined) closer.closeNow(this.#connection);
    else if (this.#reconnector.allRefused) closer.finish();
    return closer.done;
  }

  /** Ends the session here, and sends nothing: the servers expire it in its time. */
  async abandon(): Promise<void> {
    if (!this.state.isFinal) this.#end('closed', 'the session was left to expire');
  }

  #connected(name: string): ServerConnection {
    if (this.state.current === 'connected' && this.#connection !== undefined)
      return this.#connection;
    throw this.state.notSent(name, this.#lastCause);
  }

  #dial(server: ServerAddress): void {
    const { network, clock, frameBytesMax, sessionTimeoutMs } = this.#options;
    this.#address = server.name;
    const connection = new ServerConnection({
      server,
      dial: network.dial,
      clock,
      frameBytesMax,
      request: {
        lastZxid: this.#lastZxid,
        timeoutMs: sessionTimeoutMs,
        sessionId: this.#id,
        password: this.#password,
      },
      isQuick: () => this.quickPings.isOn,
      events: {
        connected: (reply, sentAt) => this.#onConnected(connection, reply, sentAt),
        zxidSeen: (zxid) => {
          if (zxid > this.#lastZxid) this.#lastZxid = zxid;
        },
        watched: (event) => this.watches.fire(event),
        lost: (cause) => this.#lost(cause),
      },
    });
    this.#connection = connection;
  }

  #onConnected(connection: ServerConnection, reply: ConnectReply, sentAt: Instant): void {
    if (reply.sessionId === 0n || reply.timeoutMs <= 0) {
      if (this.#id === 0n) connection.fail(new Error(`${this.#address} granted no session`));
      else this.#end('expired', 'the session has expired');
      return;
    }
    this.#id = reply.sessionId;
    this.#password = reply.password;
    this.#timeoutMs = reply.timeoutMs;
    this.#validated = sentAt;
    if (this.#closer === undefined) return this.#restore(connection);
    this.#reconnector.up();
    this.#closer.closeNow(connection);
  }

  /** Sends identities and watches before anything else. */
  #restore(connection: ServerConnection): void {
    let pendingAuth = this.#credentials.length;
    const authenticated = (): void => {
      this.#reconnector.up();
      this.#opened?.();
    };
    for (const credential of this.#credentials) {
      this.#authenticateOn(connection, credential, (error) => {
        if (error === undefined && --pendingAuth === 0) authenticated();
      });
    }
    for (const batch of this.watches.setWatchesBatches(this.#lastZxid)) {
      connection.sendWithFixedXid(XID.setWatches, batch.operation, (failure) => {
        if (failure !== undefined && failure !== 0) this.watches.fireUnrestored(batch);
      });
    }
    if (pendingAuth === 0) authenticated();
    this.state.set('connected');
  }

  #authenticateOn(
    connection: ServerConnection,
    credential: Credential,
    callback: (error?: Error) => void,
  ): void {
    sendAuth(connection, credential, (error) => {
      callback(error);
      if (error instanceof ReplyError) this.#end('auth-failed', error.message);
    });
  }

  #lost(cause: Error): void {
    this.#connection = undefined;
    this.#lastCause = cause;
    this.state.set('disconnected');
    this.#reconnector.down(cause);
    if (this.#reconnector.allRefused) this.#closer?.finish();
  }

  #end(state: FinalState, message: string): void {
    if (this.#closer !== undefined) return this.#closer.finish();
    this.#disconnect(message);
    this.state.set(state);
    this.watches.endAll();
    this.#opened?.(new OpenError(state === 'auth-failed' ? 'AUTH_FAILED' : 'NO_SERVER', message));
  }

  #disconnect(message: string): void {
    this.#reconnector.stop();
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.close(new Error(message));
  }
}
