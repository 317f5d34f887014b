import type {
  ChannelCredentials,
  Client,
  ClientOptions,
  Metadata,
  ServiceError,
} from '@grpc/grpc-js';
import type { Runtime } from '@holdfast/core';
import { type Answered, EtcdDoubt, EtcdUnavailable } from '../../port.ts';
import { portError } from './failures.ts';
import type { Method } from './messages.ts';
import { Fields, type Writer } from './wire.ts';

/** The library `@grpc/grpc-js`. */
export type Grpc = Pick<
  typeof import('@grpc/grpc-js'),
  'Client' | 'Metadata' | 'connectivityState'
>;

const OPTIONS: ClientOptions = {
  // What was sent once is not sent again behind our back.
  'grpc.enable_retries': 0,
  // A connection that is replaced must not be shared with its successor.
  'grpc.use_local_subchannel_pool': 1,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_http_proxy': 0,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 2_000,
  // etcd refuses clients that ping more often than every 5 s.
  'grpc.keepalive_time_ms': 10_000,
  'grpc.keepalive_timeout_ms': 5_000,
  'grpc.max_receive_message_length': 4 * 1024 * 1024,
};

/** The part of a connection that all connections of one client share. */
export interface Dialling {
  /** The client library: it is optional, so it is loaded when servers are named. */
  readonly grpc: Grpc;
  readonly credentials: ChannelCredentials;
  /** The name that the certificate must have, if it is not the address. */
  readonly servername: string | undefined;
  readonly runtime: Runtime;
}

/** One connection to one server. */
export class Connection {
  readonly address: string;
  readonly #client: Client;
  readonly #states: Grpc['connectivityState'];
  readonly #runtime: Runtime;
  #isClosed = false;

  constructor(address: string, { grpc, credentials, servername, runtime }: Dialling) {
    const name = servername === undefined ? {} : { 'grpc.ssl_target_name_override': servername };
    this.address = address;
    this.#states = grpc.connectivityState;
    this.#client = new grpc.Client(address, credentials, { ...OPTIONS, ...name });
    this.#runtime = runtime;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves when requests can be sent. @throws EtcdUnavailable if that fails, or not by `deadlineMs` */
  async ready(deadlineMs: number): Promise<void> {
    const channel = this.#client.getChannel();
    for (;;) {
      const state = channel.getConnectivityState(true);
      if (state === this.#states.READY) return;
      if (state === this.#states.TRANSIENT_FAILURE) {
        throw new EtcdUnavailable(`${this.address}: no connection`);
      }
      if (state === this.#states.SHUTDOWN) {
        throw this.#closed();
      }
      await this.#limit(deadlineMs, 'no connection in time', (changed) =>
        channel.watchConnectivityState(state, Number.POSITIVE_INFINITY, () => changed()),
      );
    }
  }

  /** Sends one request on a connection that is ready. @throws EtcdUnavailable if it was closed meanwhile */
  call<Request, Reply>(
    method: Method<Request, Reply>,
    request: Request,
    { metadata, deadlineMs }: CallOptions,
  ): Promise<Reply & Pick<Answered, 'sentAt'>> {
    if (this.#isClosed) return Promise.reject(this.#closed());
    const sentAt = this.#runtime.now();
    return new Promise((resolve, reject) => {
      const end = this.#deadline(deadlineMs, () => call.cancel(), reject);
      const replied = (error: ServiceError | null, reply?: Reply): void => {
        if (!end()) return;
        if (error !== null) reject(portError(error, this.address));
        else if (reply === undefined) reject(new EtcdDoubt(`${this.address}: an empty reply`));
        else resolve({ ...reply, sentAt });
      };
      const call = this.#client.makeUnaryRequest(
        method.path,
        (message: Request) => bufferOf(method.encode(message)),
        (bytes) => method.decode(new Fields(bytes)),
        request,
        metadata,
        replied,
      );
    });
  }

  /** Sends one request on a stream of its own, and returns the first reply. */
  exchange<Request, Reply>(
    method: Method<Request, Reply>,
    request: Request,
    { metadata, deadlineMs }: CallOptions,
  ): Promise<Reply & Pick<Answered, 'sentAt'>> {
    if (this.#isClosed) return Promise.reject(this.#closed());
    const sentAt = this.#runtime.now();
    return new Promise((resolve, reject) => {
      const end = this.#deadline(deadlineMs, () => stream.cancel(), reject);
      const stream = this.#client.makeBidiStreamRequest<Request, Reply>(
        method.path,
        (message) => bufferOf(method.encode(message)),
        (bytes) => method.decode(new Fields(bytes)),
        metadata,
      );
      stream.on('data', (reply: Reply) => {
        if (end()) resolve({ ...reply, sentAt });
      });
      stream.on('error', (error: ServiceError) => {
        if (end()) reject(portError(error, this.address));
      });
      stream.on('end', () => {
        if (end()) reject(new EtcdDoubt(`${this.address}: the stream ended before its reply`));
      });
      stream.write(request);
      stream.end();
    });
  }

  /** Opens a stream that stays, and asks the server to end it if it has no leader. */
  stream(path: string, metadata: Metadata, listener: StreamListener): Stream {
    const withLeader = metadata.clone();
    withLeader.set('hasleader', 'true');
    const stream = this.#client.makeBidiStreamRequest<Writer, Fields>(
      path,
      bufferOf,
      (bytes) => new Fields(bytes),
      withLeader,
    );
    stream.on('data', (reply: Fields) => listener.received(reply));
    stream.on('error', (error: ServiceError) => listener.ended(portError(error, this.address)));
    stream.on('end', () => listener.ended(new EtcdDoubt(`${this.address}: the stream has ended`)));
    return { send: (message) => void stream.write(message), cancel: () => stream.cancel() };
  }

  /** Takes no new requests; those under way may still be answered. */
  close(): void {
    this.#isClosed = true;
    this.#client.close();
  }

  /** Another request can close the connection while this one waits for a token; the library then throws at once. */
  #closed(): EtcdUnavailable {
    return new EtcdUnavailable(`${this.address}: the connection was closed`);
  }

  /** Returns a function that ends the deadline; it is false from then on, and once the time was up. */
  #deadline(deadlineMs: number, cancel: () => void, reject: (error: Error) => void): () => boolean {
    let isOver = false;
    const ms = Math.max(0, deadlineMs - this.#runtime.now().monotonicMs);
    const expired = (): void => {
      isOver = true;
      reject(new EtcdDoubt(`${this.address}: no reply within ${Math.round(ms)} ms`));
      cancel();
    };
    const stop = this.#runtime.timer(ms, expired, { awaited: true });
    return () => {
      if (isOver) return false;
      isOver = true;
      stop();
      return true;
    };
  }

  #limit(deadlineMs: number, what: string, wait: (done: () => void) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const ms = Math.max(0, deadlineMs - this.#runtime.now().monotonicMs);
      const expired = (): void => reject(new EtcdUnavailable(`${this.address}: ${what}`));
      const stop = this.#runtime.timer(ms, expired, { awaited: true });
      wait(() => {
        stop();
        resolve();
      });
    });
  }
}

/** The part of a request that is not its message. */
export interface CallOptions {
  readonly metadata: Metadata;
  readonly deadlineMs: number;
}

/** Told of one stream; `ended` may be called more than once. */
export interface StreamListener {
  received(reply: Fields): void;
  ended(cause: unknown): void;
}

/** A stream that is open. */
export interface Stream {
  send(message: Writer): void;
  cancel(): void;
}

function bufferOf(message: Writer): Buffer {
  return Buffer.from(message.done());
}
