import type { Requirement } from '@holdfast/core';
import type { RedisClient } from '@holdfast/redis';

/** What every configuration may say, whatever the backend. */
export interface LockDefaults {
  /** For editors; ignored. */
  readonly $schema?: string | undefined;
  /** Crash-to-takeover time in integer ms, 100 to 86 400 000; default 30 000. */
  readonly ttlMs?: number | undefined;
  /** How long a caller waits for a lock, in ms; default 10 000. Infinity only from JavaScript: JSON has none. */
  readonly waitMs?: number | undefined;
  /** false: leases are never renewed and end after `ttlMs`. Default true, where the backend can renew. */
  readonly renew?: boolean | undefined;
  /** A lease ends after this many ms however often it is renewed. Default: no cap. */
  readonly maxHoldMs?: number | undefined;
  /** Promises the code relies on; opening fails when the backend does not make one of them. */
  readonly require?: readonly Requirement[] | undefined;
}

/** Locks within this process: for tests, and for one process with many tasks. */
export interface MemoryConfig extends LockDefaults {
  readonly backend: 'memory';
}

/** `SET NX PX` with fencing tokens on one Redis. */
export interface RedisSimpleConfig extends LockDefaults {
  readonly backend: 'redis-simple';
  /** `redis://` or `rediss://`. Either this or `client`. */
  readonly url?: string | undefined;
  /** Which client library opens `url`; default: the one that is installed, ioredis first. */
  readonly library?: 'ioredis' | 'redis' | undefined;
  /** For `rediss://`: options of `tls.connect`, for example `{ ca }`. */
  readonly tls?: object | undefined;
  /** An ioredis or node-redis client. It is duplicated with safe options; the copy is ours. */
  readonly client?: RedisClient | undefined;
  /** true: use this very `client`; refused, naming the options, when they are unsafe. */
  readonly asIs?: boolean | undefined;
  /** The first part of every stored name; default `holdfast`. Two namespaces are two worlds of locks. */
  readonly namespace?: string | undefined;
}

/** The legacy `SETNX` + `GETSET` timestamp lock on one Redis, for those who have to live with it: client clocks decide. */
export interface RedisGetsetConfig extends LockDefaults {
  readonly backend: 'redis-getset';
  /** `redis://` or `rediss://`. Either this or `client`. */
  readonly url?: string | undefined;
  /** Which client library opens `url`; default: the one that is installed, ioredis first. */
  readonly library?: 'ioredis' | 'redis' | undefined;
  /** For `rediss://`: options of `tls.connect`, for example `{ ca }`. */
  readonly tls?: object | undefined;
  /** An ioredis or node-redis client. It is duplicated with safe options; the copy is ours. */
  readonly client?: RedisClient | undefined;
  /** true: use this very `client`; refused, naming the options, when they are unsafe. */
  readonly asIs?: boolean | undefined;
  /** The first part of every stored name; default `holdfast`. Two namespaces are two worlds of locks. */
  readonly namespace?: string | undefined;
  /** true: a release leaves the key alone once its own stamp is past. Default false, as in the original recipe. */
  readonly checkAge?: boolean | undefined;
}

/** Redlock: a majority of independent Redis servers. */
export interface RedlockConfig extends LockDefaults {
  readonly backend: 'redlock';
  /** URLs, or ioredis or node-redis clients, which are duplicated: three or more, an odd number, without replicas. */
  readonly nodes: readonly (string | RedisClient)[];
  /** Which client library opens URLs; default: the one that is installed, ioredis first. */
  readonly library?: 'ioredis' | 'redis' | undefined;
  /** For `rediss://`: options of `tls.connect`, for example `{ ca }`. */
  readonly tls?: object | undefined;
  /** The first part of every stored name; default `holdfast`. Two namespaces are two worlds of locks. */
  readonly namespace?: string | undefined;
  /** true: fewer than three nodes will do, for a test or a migration. */
  readonly allowSmall?: boolean | undefined;
}

/** A ZooKeeper ensemble; `ttlMs` is the session timeout that is asked for. */
export interface ZkConfig extends LockDefaults {
  readonly backend: 'zk';
  /** `zk://[user:password@]host[:port][,…][/chroot][?sessionTimeout=ms]`; user and password for the scheme `digest`. */
  readonly url: string;
  /** What talks to the servers; default `zk-client`, which is ours. `zookeeper` is npm's, where that is installed. */
  readonly client?: 'zk-client' | 'zookeeper' | undefined;
  /** Talk TLS, with these options of `tls.connect`, for example `{ ca }`. Only with `zk-client`. */
  readonly tls?: object | undefined;
  /** The node under which everything is stored; default `holdfast`. Two namespaces are two worlds of locks. */
  readonly namespace?: string | undefined;
}

/** A backend from a package, or from a file (a name that starts with `.` or `/`); its other options are its own. */
export interface ImportedConfig extends LockDefaults {
  readonly backend: string;
  readonly [option: string]: unknown;
}

/** What `openLocks` takes as an object, and what a configuration file holds. */
export type Config =
  | MemoryConfig
  | RedisSimpleConfig
  | RedisGetsetConfig
  | RedlockConfig
  | ZkConfig
  | ImportedConfig;
