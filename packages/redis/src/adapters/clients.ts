import type { Secrets } from '../failure.ts';

/**
 * The members of the client libraries that are used, as structural types. The libraries' own types are not imported, so
 * that neither library is needed to compile against this package.
 */

interface Emitter {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

/** A standalone `Redis` of ioredis 5 or 6, or of iovalkey, which began as ioredis 5. */
export interface IoredisClient extends Emitter {
  readonly status: string;
  readonly options: object;
  call(...args: string[]): Promise<unknown>;
  duplicate(override?: object): IoredisClient;
  connect(): Promise<unknown>;
  disconnect(reconnect?: boolean): void;
}

/** The client that `createClient` of node-redis 5 or 6 returns. */
export interface NodeRedisClient extends Emitter {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  readonly options: object | undefined;
  sendCommand(args: readonly string[], options?: object): Promise<unknown>;
  duplicate(overrides?: object): NodeRedisClient;
  connect(): Promise<unknown>;
  destroy(): void;
  ref(): void;
  unref(): void;
  subscribe(
    channel: string,
    listener: (message: string, channel: string) => void,
  ): Promise<unknown>;
  unsubscribe(
    channel: string,
    listener: (message: string, channel: string) => void,
  ): Promise<unknown>;
  sSubscribe(
    channel: string,
    listener: (message: string, channel: string) => void,
  ): Promise<unknown>;
  sUnsubscribe(
    channel: string,
    listener: (message: string, channel: string) => void,
  ): Promise<unknown>;
}

/** A `Cluster` of ioredis 5 or 6: used for its configuration. */
export interface IoredisCluster {
  readonly isCluster: true;
  readonly options: object;
}

/** The client that `createCluster` of node-redis 5 or 6 returns: used for its configuration. */
export interface NodeRedisCluster {
  readonly masters: readonly object[];
  duplicate(overrides?: object): unknown;
}

export type RedisClusterClient = IoredisCluster | NodeRedisCluster;

/** The client that `createSentinel` of node-redis 5 or 6 returns. It does not show its options. */
export interface NodeRedisSentinel {
  duplicate(overrides?: object): object;
  getMasterNode(): unknown;
  getSentinelNode(): unknown;
}

export type RedisClient = IoredisClient | NodeRedisClient | NodeRedisSentinel;

/** The address of one server. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Options of making connections from a client. */
export interface DialerOptions<Client> {
  readonly client: Client;
  /** True if the client itself serves commands, instead of a duplicate for each connection. */
  readonly shareClient: boolean;
  readonly address: string;
  readonly secrets: Secrets;
  readonly connectMs: number;
  /** The server to connect to, instead of the one in the client's options. */
  readonly at?: HostPort | undefined;
}
