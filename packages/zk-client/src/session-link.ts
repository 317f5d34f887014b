import type { Instant } from './clock.ts';
import { Connection } from './connection.ts';
import { OpenError, ReplyError } from './errors.ts';
import { type Credential, prove } from './identity.ts';
import { type Operation, XID } from './operation.ts';
import type { CheckedOptions } from './options.ts';
import { QuickPings } from './quick-pings.ts';
import { Reconnector } from './reconnector.ts';
import type { ConnectReply } from './records.ts';
import type { ReplyHandler } from './requests.ts';
import type { Endpoint } from './servers.ts';
import { SessionCloser } from './session-closer.ts';
import { type FinalState, type SessionState, StateOfSession } from './session-state.ts';
import { stopWatching, Watches } from './watches.ts';

const PASSWORD_BYTES = 16;
const NO_SESSION: ReplyHandler<unknown> = { answered: () => undefined, failed: () => undefined };

/** A session over whichever connection it has at the moment. */
export class SessionLink {
  readonly watches: Watches;
  readonly #options: CheckedOptions;
  readonly #reconnector: Reconnector;
  readonly #state = new StateOfSession();
  readonly #credentials: Credential[];
  #connection: Connection | undefined;
  #id = 0n;
  #password: Uint8Array = new Uint8Array(PASSWORD_BYTES);
  #timeoutMs: number;
  #validated: Instant;
  #lastZxid = 0n;
  #address = '';
  #lastCause: Error | undefined;
  readonly #quickPings = new QuickPings(() => this.#connection?.quickened());
  /** Called when the session can be handed out, or never will be. */
  #opened: ((error?: OpenError) => void) | undefined;
  #closer: SessionCloser | undefined;

  constructor(options: CheckedOptions) {
    const { clock, servers, network } = options;
    this.#options = options;
    this.#credentials = [...options.auth];
    this.#timeoutMs = options.sessionTimeoutMs;
    this.#validated = clock.now();
    this.watches = new Watches((kind, path) => {
      if (this.state === 'connected') this.#connection?.send(stopWatching(kind, path), NO_SESSION);
    });
    this.#reconnector = new Reconnector({
      clock,
      servers,
      resolve: network.resolve,
      timeoutMs: () => this.#timeoutMs,
      dial: (server) => this.#dial(server),
      tooLong: (ms) => this.rejectServer(ms),
      unresolved: (cause) => this.#lost(cause),
    });
  }

  get id(): bigint {
    return this.#id;
  }

  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  get state(): SessionState {
    return this.#state.now;
  }

  get address(): string {
    return this.#address;
  }

  get validated(): Instant {
    return this.#validated;
  }

  onState(listener: (state: SessionState) => void): () => void {
    return this.#state.onChange(listener);
  }

  answeredBefore(monotonicMs: number): Instant | undefined {
    return this.#connection?.answeredBefore(monotonicMs);
  }

  quicken(): () => void {
    return this.#quickPings.request();
  }

  /** Dials until a server gives a session and takes the credentials, or `giveUp` is called. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#opened = (error) => {
        this.#opened = undefined;
        if (error === undefined) resolve();
        else reject(error);
      };
      this.#reconnector.start();
    });
  }

  /** Goes on with another connection, because the server of this one does not answer. */
  rejectServer(ms: number): void {
    this.#connection?.fail(
      new Error(`${this.#address} did not answer within ${Math.round(ms)} ms`),
    );
  }

  /** Ends the opening, unless it is over. `when` completes `no session from ‹servers›`. */
  giveUp(code: 'NO_SERVER' | 'ABORTED', when: string): void {
    if (this.#opened === undefined) return;
    const names = this.#options.servers.map(({ name }) => name).join(', ');
    const last = this.#lastCause === undefined ? '' : ` (${this.#lastCause.message})`;
    this.#opened(new OpenError(code, `no session from ${names} ${when}${last}`, this.#lastCause));
    void this.close(0);
  }

  /** Throws when nothing was sent; else the waiter hears what came of it. */
  send<T>(operation: Operation<T>, waiter: ReplyHandler<T>): void {
    this.#connected(operation.name).send(operation, waiter);
  }

  /** Proves one more identity, now and on every connection to come. */
  authenticate(credential: Credential): Promise<void> {
    return new Promise((resolve, reject) => {
      const connection = this.#connected(`prove an identity of scheme ${credential.scheme}`);
      this.#credentials.push(credential);
      this.#prove(connection, credential, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Tells the servers; tries for `timeoutMs` at most, also to connect when it is not. */
  close(timeoutMs: number): Promise<void> {
    if (this.#closer !== undefined) return this.#closer.done;
    if (this.#state.isFinal) return Promise.resolve();
    const wasConnected = this.state === 'connected';
    const farewell = new SessionCloser({
      clock: this.#options.clock,
      timeoutMs,
      hasOthers: () => this.#reconnector.addresses > 1,
      finished: () => this.#shut('the session was closed'),
    });
    this.#closer = farewell;
    this.#state.become('closed');
    this.watches.endAll();
    if (wasConnected && this.#connection !== undefined) farewell.closeNow(this.#connection);
    else if (this.#reconnector.isDeserted) farewell.finish();
    return farewell.done;
  }

  /** Ends it here, and tells nobody: the servers expire the session in its time. */
  async leave(): Promise<void> {
    if (!this.#state.isFinal) this.#end('closed', 'the session was left to expire');
  }

  #connected(name: string): Connection {
    if (this.state === 'connected' && this.#connection !== undefined) return this.#connection;
    throw this.#state.notSent(name, this.#lastCause);
  }

  #dial(server: Endpoint): void {
    const { network, tls, clock, frameBytesMax, sessionTimeoutMs } = this.#options;
    this.#address = server.name;
    const connection = new Connection({
      server,
      dial: network.dial,
      tls,
      clock,
      frameBytesMax,
      request: {
        lastZxid: this.#lastZxid,
        timeoutMs: sessionTimeoutMs,
        sessionId: this.#id,
        password: this.#password,
      },
      isQuick: () => this.#quickPings.isOn,
      events: {
        connected: (reply, sentAt) => this.#onConnected(connection, reply, sentAt),
        seen: (zxid) => {
          if (zxid > this.#lastZxid) this.#lastZxid = zxid;
        },
        watched: (event) => this.watches.fire(event),
        lost: (cause) => this.#lost(cause),
      },
    });
    this.#connection = connection;
  }

  #onConnected(connection: Connection, reply: ConnectReply, sentAt: Instant): void {
    if (reply.sessionId === 0n || reply.timeoutMs <= 0) {
      if (this.#id === 0n) connection.fail(new Error(`${this.#address} gave no session`));
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

  /** Identities and watches go out before anything else can. */
  #restore(connection: Connection): void {
    let unproven = this.#credentials.length;
    const proven = (): void => {
      this.#reconnector.up();
      this.#opened?.();
    };
    for (const credential of this.#credentials) {
      this.#prove(connection, credential, (error) => {
        if (error === undefined && --unproven === 0) proven();
      });
    }
    for (const batch of this.watches.again(this.#lastZxid)) {
      connection.sendWithFixedXid(XID.setWatches, batch.operation, (failure) => {
        if (failure !== undefined && failure !== 0) this.watches.doubt(batch);
      });
    }
    if (unproven === 0) proven();
    this.#state.become('connected');
  }

  #prove(connection: Connection, credential: Credential, told: (error?: Error) => void): void {
    prove(connection, credential, (error) => {
      told(error);
      if (error instanceof ReplyError) this.#end('auth-failed', error.message);
    });
  }

  #lost(cause: Error): void {
    this.#connection = undefined;
    this.#lastCause = cause;
    this.#state.become('disconnected');
    this.#reconnector.down(cause);
    if (this.#reconnector.isDeserted) this.#closer?.finish();
  }

  #end(state: FinalState, message: string): void {
    if (this.#closer !== undefined) return this.#closer.finish();
    this.#shut(message);
    this.#state.become(state);
    this.watches.endAll();
    this.#opened?.(new OpenError(state === 'auth-failed' ? 'AUTH_FAILED' : 'NO_SERVER', message));
  }

  #shut(message: string): void {
    this.#reconnector.stop();
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.close(new Error(message));
  }
}
