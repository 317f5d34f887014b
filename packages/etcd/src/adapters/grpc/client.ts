import type { Metadata } from '@grpc/grpc-js';
import type { Runtime } from '@holdfast/core';
import type {
  Answered,
  EtcdClient,
  Granted,
  KeptAlive,
  LeaseRequest,
  RangeReply,
  ReadOp,
  ServerStatus,
  Txn,
  TxnReply,
  WatchListener,
} from '../../port.ts';
import { EtcdDoubt, EtcdUnavailable } from '../../port.ts';
import type { CallOptions, Connection, Dialling, Grpc } from './connection.ts';
import { isOfThisServer, isStaleToken } from './failures.ts';
import {
  AUTHENTICATE,
  GRANT,
  KEEP_ALIVE,
  type Method,
  RANGE,
  REVOKE,
  STATUS,
  TXN,
  type User,
} from './messages.ts';
import { Servers } from './servers.ts';
import { WatchStream } from './watch-stream.ts';

/** Options of a client over gRPC. */
export interface GrpcClientOptions extends Dialling {
  /** `host:port` of each server. */
  readonly servers: readonly string[];
  readonly auth: User | undefined;
}

/** The time in which a watch must find a server, in ms. */
const WATCH_MS = 5_000;

/** A connection that is ready, and what a stream on it is opened with. */
interface WatchConnection {
  readonly connection: Connection;
  readonly metadata: Metadata;
}

/** How one request goes over a connection. */
type Way = <Request, Reply>(
  connection: Connection,
  method: Method<Request, Reply>,
  request: Request,
  options: CallOptions,
) => Promise<Reply & Pick<Answered, 'sentAt'>>;

const unary: Way = (connection, method, request, options) =>
  connection.call(method, request, options);
const exchanged: Way = (connection, method, request, options) =>
  connection.exchange(method, request, options);

/** A client through `@grpc/grpc-js`. */
export class GrpcClient implements EtcdClient {
  readonly #servers: Servers;
  readonly #auth: User | undefined;
  readonly #runtime: Runtime;
  readonly #grpc: Grpc;
  #token: Promise<string> | undefined;
  #watches: WatchStream | undefined;
  /** The latest reply that a majority confirmed: all but those to keep-alives. */
  #latest: { readonly connection: Connection; readonly sentMs: number } | undefined;

  constructor({ servers, auth, ...dialling }: GrpcClientOptions) {
    this.#servers = new Servers(servers, dialling);
    this.#auth = auth;
    this.#runtime = dialling.runtime;
    this.#grpc = dialling.grpc;
    this.#servers.onReplaced((connection) => this.#endWatches(connection));
  }

  get address(): string {
    return this.#servers.address;
  }

  grant(lease: LeaseRequest, deadlineMs: number): Promise<Granted> {
    return this.#request(GRANT, lease, deadlineMs);
  }

  revoke(id: bigint, deadlineMs: number): Promise<Answered> {
    return this.#request(REVOKE, id, deadlineMs);
  }

  keepAlive(id: bigint, deadlineMs: number): Promise<KeptAlive> {
    return this.#request(KEEP_ALIVE, id, deadlineMs, exchanged);
  }

  range(read: ReadOp, deadlineMs: number): Promise<RangeReply> {
    return this.#request(RANGE, read, deadlineMs);
  }

  txn(txn: Txn, deadlineMs: number): Promise<TxnReply> {
    return this.#request(TXN, txn, deadlineMs);
  }

  watch(key: string, fromRevision: bigint, listener: WatchListener): () => void {
    let isOver = false;
    let end: (() => void) | undefined;
    const ended = (cause: unknown): void => {
      if (!isOver) listener.ended(cause);
      isOver = true;
    };
    const guarded: WatchListener = {
      created: () => isOver || listener.created(),
      deleted: () => isOver || listener.deleted(),
      ended,
    };
    this.#watchConnection()
      .then((connected) => {
        // A stream for no watch would stay, and keep the process alive.
        if (!isOver) end = this.#watchStream(connected).watch(key, fromRevision, guarded);
      })
      .catch(ended);
    return () => {
      isOver = true;
      end?.();
    };
  }

  async status(deadlineMs: number): Promise<readonly ServerStatus[]> {
    return await Promise.all(
      this.#servers.addresses.map((address) => this.#statusOf(address, deadlineMs)),
    );
  }

  close(): void {
    this.#servers.close();
  }

  async #request<Request, Reply>(
    method: Method<Request, Reply>,
    request: Request,
    deadlineMs: number,
    way: Way = unary,
  ): Promise<Reply & Pick<Answered, 'sentAt'>> {
    const connection = await this.#servers.connected(deadlineMs);
    const { monotonicMs } = this.#runtime.now();
    try {
      const reply = await this.#authenticated(connection, deadlineMs, (metadata) =>
        way(connection, method, request, { metadata, deadlineMs }),
      );
      if (way === unary) this.#latest = { connection, sentMs: reply.sentAt.monotonicMs };
      return reply;
    } catch (cause) {
      if (isOfThisServer(cause) && !this.#hasAnsweredSince(connection, monotonicMs)) {
        this.#servers.replace(connection);
      }
      throw cause;
    }
  }

  /** True if a later request had a reply that a majority confirmed: the one without was lost behind its server. */
  #hasAnsweredSince(connection: Connection, monotonicMs: number): boolean {
    const latest = this.#latest;
    return latest?.connection === connection && latest.sentMs > monotonicMs;
  }

  /** Sends once more with a new token if the server refused the token: it applied nothing. */
  async #authenticated<T>(
    connection: Connection,
    deadlineMs: number,
    send: (metadata: Metadata) => Promise<T>,
  ): Promise<T> {
    const metadata = await this.#metadata(connection, deadlineMs);
    try {
      return await send(metadata);
    } catch (cause) {
      if (this.#auth === undefined || !isStaleToken(cause)) throw cause;
      this.#token = undefined;
      return await send(await this.#metadata(connection, deadlineMs));
    }
  }

  async #metadata(connection: Connection, deadlineMs: number): Promise<Metadata> {
    const metadata = new this.#grpc.Metadata();
    if (this.#auth === undefined) return metadata;
    this.#token ??= this.#authenticate(this.#auth, connection, deadlineMs);
    metadata.set('token', await this.#inTime(this.#token, deadlineMs));
    return metadata;
  }

  /** Several requests wait for one token, each until its own deadline; none of them has been sent yet. */
  #inTime<T>(work: Promise<T>, deadlineMs: number): Promise<T> {
    const ms = Math.max(0, deadlineMs - this.#runtime.now().monotonicMs);
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new EtcdUnavailable('no token in time'));
      const stop = this.#runtime.timer(ms, late, { awaited: true });
      work.then(resolve, reject).finally(stop);
    });
  }

  async #authenticate(auth: User, connection: Connection, deadlineMs: number): Promise<string> {
    const call = { metadata: new this.#grpc.Metadata(), deadlineMs };
    try {
      return (await connection.call(AUTHENTICATE, auth, call)).token;
    } catch (cause) {
      this.#token = undefined;
      if (!(cause instanceof EtcdDoubt)) throw cause;
      // A token that nobody got changes nothing, and the request that needs it was not sent.
      throw new EtcdUnavailable(`no token: ${cause.message}`, cause);
    }
  }

  async #watchConnection(): Promise<WatchConnection> {
    const deadlineMs = this.#runtime.now().monotonicMs + WATCH_MS;
    const connection = await this.#servers.connected(deadlineMs);
    return { connection, metadata: await this.#metadata(connection, deadlineMs) };
  }

  #watchStream({ connection, metadata }: WatchConnection): WatchStream {
    const current = this.#watches;
    if (current?.isOver === false && current.connection === connection) return current;
    if (connection.isClosed) throw new EtcdDoubt('the connection was replaced');
    this.#watches = new WatchStream(connection, metadata);
    return this.#watches;
  }

  #endWatches(connection: Connection): void {
    if (this.#watches?.connection !== connection) return;
    this.#watches.end(new EtcdDoubt(`${connection.address}: the connection was replaced`));
  }

  async #statusOf(node: string, deadlineMs: number): Promise<ServerStatus> {
    const connection = this.#servers.dial(node);
    const from = this.#runtime.now();
    const took = (): number => this.#runtime.elapsedMs(from);
    try {
      await connection.ready(deadlineMs);
      const metadata = await this.#metadata(connection, deadlineMs);
      const call = { metadata, deadlineMs };
      const { version, hasLeader } = await connection.call(STATUS, undefined, call);
      return { node, version, hasLeader, roundTripMs: took() };
    } catch (cause) {
      return { node, version: undefined, hasLeader: false, roundTripMs: took(), cause };
    } finally {
      connection.close();
    }
  }
}
