import type { Endpoint } from '../endpoint.ts';
import type { Secrets } from '../failure.ts';
import type { Dialer } from '../link.ts';

/**
 * The members of the client libraries that are used, as structural types. The libraries' own types are not imported, so
 * that neither library is needed to compile against this package.
 */

/** What both kinds of client emit events by. */
interface Emitter {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** A standalone `Redis` of ioredis 5 or 6, or of iovalkey, which began as ioredis 5. */
export interface IoredisClient extends Emitter {
  /** `wait` before the first command of a lazy client, `ready` when it can send, `end` once it never connects again. */
  readonly status: string;
  /** The options that it was made with: where the server is, the log-in, TLS. */
  readonly options: object;
  /** Sends one command; resolves with its reply, rejects with the server's error. */
  call(...args: string[]): Promise<unknown>;
  /** Returns an unconnected client with the same options, except those in `override`. */
  duplicate(override?: object): IoredisClient;
  /** Connects a client that waits; rejects if that fails. */
  connect(): Promise<unknown>;
  /** Ends the connection at once; with `reconnect`, a new one follows. */
  disconnect(reconnect?: boolean): void;
}

/** The client that `createClient` of node-redis 5 or 6 returns. */
export interface NodeRedisClient extends Emitter {
  /** True from `connect` until it is closed, also while it reconnects. */
  readonly isOpen: boolean;
  /** True if it is connected and logged in. */
  readonly isReady: boolean;
  /** The options of `createClient`: where the server is, the log-in, TLS. */
  readonly options: object | undefined;
  /** Sends one command; resolves with its reply, rejects with the server's error. */
  sendCommand(args: readonly string[], options?: object): Promise<unknown>;
  /** Returns an unconnected client with the same options, except those in `overrides`. */
  duplicate(overrides?: object): NodeRedisClient;
  /** Connects and logs in; rejects if that fails. */
  connect(): Promise<unknown>;
  /** Ends the connection at once; commands without a reply are rejected. */
  destroy(): void;
  /** Makes the connection keep the process alive. */
  ref(): void;
  /** Lets the process end although the connection is open. */
  unref(): void;
  /** Calls `listener` for each message on a channel; resolves once the server confirms. */
  subscribe(
    channel: string,
    listener: (message: string, channel: string) => void,
  ): Promise<unknown>;
  /** Ends what `subscribe` began for this listener. */
  unsubscribe(
    channel: string,
    listener: (message: string, channel: string) => void,
  ): Promise<unknown>;
  /** As `subscribe`, on a shard channel. */
  sSubscribe(
    channel: string,
    listener: (message: string, channel: string) => void,
  ): Promise<unknown>;
  /** Ends what `sSubscribe` began for this listener. */
  sUnsubscribe(
    channel: string,
    listener: (message: string, channel: string) => void,
  ): Promise<unknown>;
}

/** A `Cluster` of ioredis 5 or 6: used for its configuration. */
export interface IoredisCluster {
  /** Distinguishes it from a client of one server. */
  readonly isCluster: true;
  /** The options of all nodes, `redisOptions` among them, and `natMap`. */
  readonly options: object;
}

/** The client that `createCluster` of node-redis 5 or 6 returns: used for its configuration. */
export interface NodeRedisCluster {
  /** The masters that it knows. Distinguishes it from a client of one server. */
  readonly masters: readonly object[];
  /** Returns an unconnected client with the same options, except those in `overrides`. */
  duplicate(overrides?: object): unknown;
}

/** A client of a Redis Cluster. It is never connected or closed: it only says where the cluster is, and how to log in. */
export type RedisClusterClient = IoredisCluster | NodeRedisCluster;

/** The client that `createSentinel` of node-redis 5 or 6 returns. It does not show its options. */
export interface NodeRedisSentinel {
  /** Returns an unconnected client with the same options, except those in `overrides`. */
  duplicate(overrides?: object): object;
  /** Never called; distinguishes it from a client of one server. */
  getMasterNode(): unknown;
  /** Never called; distinguishes it from a client of one server. */
  getSentinelNode(): unknown;
}

/** A client of one server, or of the master behind sentinels. */
export type RedisClient = IoredisClient | NodeRedisClient | NodeRedisSentinel;

/** The address of one server. */
export interface HostPort {
  /** A name or an IP address; an IPv6 address without brackets. */
  readonly host: string;
  /** The TCP port. */
  readonly port: number;
}

/** Options of making connections from a client. */
export interface DialerOptions<Client> {
  readonly client: Client;
  /** True if the client itself serves commands, instead of a duplicate for each connection. */
  readonly shareClient: boolean;
  readonly address: string;
  readonly secrets: Secrets;
  /** The server to connect to, instead of the one in the client's options. */
  readonly at?: HostPort | undefined;
}

/** What makes connections of our own, without a client library. */
export interface RespClient {
  /** Where the server is, and the log-in. */
  readonly options: Endpoint;
  /** Returns one like it for the server at another place. */
  with(place: HostPort): RespClient;
  /** Returns what connects to the server, or to the one `at` another place. */
  dialer(options: RespDialerOptions): Dialer;
}

export type RespDialerOptions = Omit<DialerOptions<RespClient>, 'client' | 'shareClient'>;
