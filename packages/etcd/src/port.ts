/** The port between the etcd recipe and a client of a cluster: a client library, or the simulator. */

import type { Instant } from '@holdfast/core';

/**
 * A client of one etcd cluster. Rejections are {@link EtcdDoubt}, {@link EtcdUnavailable} or {@link EtcdReplyError}, nothing
 * else. Every request is sent at most once, never after `deadlineMs`, a monotonic time, and settles by then. All requests
 * but `keepAlive` are linearizable. Keys and values are UTF-8.
 */
export interface EtcdClient {
  /** The current or latest server, for people. */
  readonly address: string;

  /** Creates a lease under an id that the caller chose. */
  grant(lease: LeaseRequest, deadlineMs: number): Promise<Granted>;
  /** Ends a lease and deletes its keys; rejects with `LEASE_NOT_FOUND` if there is none. */
  revoke(id: bigint, deadlineMs: number): Promise<Answered>;
  /** Renews a lease. The server asks the one that it believes to be the leader, without a quorum: alone it proves nothing. */
  keepAlive(id: bigint, deadlineMs: number): Promise<KeptAlive>;
  /** Reads keys. */
  range(read: ReadOp, deadlineMs: number): Promise<RangeReply>;
  /** Runs `success` if all comparisons hold, else `failure`, in one step. */
  txn(txn: Txn, deadlineMs: number): Promise<TxnReply>;
  /** Watches one key; asks the server to end the watch if it has no leader. Keeps no process alive. */
  watch(key: string, fromRevision: bigint, listener: WatchListener): () => void;
  /** Asks each server about itself; never rejects. */
  status(deadlineMs: number): Promise<readonly ServerStatus[]>;
  /** Ends all connections. Requests that are under way are {@link EtcdDoubt}. */
  close(): void;
}

/** What a server says in each reply about itself. */
export interface Header {
  /** The server that replied. */
  readonly memberId: bigint;
  /** The revision of the store: global and growing with every write. */
  readonly revision: bigint;
  /** The term of the latest entry that this server had applied. */
  readonly raftTerm: bigint;
}

/** The part that all replies have. */
export interface Answered {
  /** The server, and its state when it replied. */
  readonly header: Header;
  /** The time when the request was sent, not when the reply came. */
  readonly sentAt: Instant;
}

/** A lease to be created. */
export interface LeaseRequest {
  /** Positive, below 2^63; random, since it must be new. */
  readonly id: bigint;
  /** The servers have a minimum. */
  readonly ttlSeconds: number;
}

/** The reply to a new lease. */
export interface Granted extends Answered {
  /** The ttl that the servers granted. */
  readonly ttlSeconds: number;
}

/** The reply to a keep-alive. */
export interface KeptAlive extends Answered {
  /** 0 if the server that replied knows no such lease. */
  readonly ttlSeconds: number;
}

/** A read of one key, or of all keys from `key` up to `end`, without it. */
export interface ReadOp {
  readonly kind: 'read';
  /** The key, or the first of the range. */
  readonly key: string;
  /** The first key behind the range. */
  readonly end?: string | undefined;
  /** Only keys that were created by then. */
  readonly maxCreateRevision?: bigint | undefined;
  /** By creation, latest first; default: by key. */
  readonly latestFirst?: boolean | undefined;
  /** By creation, earliest first; default: by key. */
  readonly earliestFirst?: boolean | undefined;
  /** At most so many. */
  readonly limit?: number | undefined;
  /** Without values. */
  readonly keysOnly?: boolean | undefined;
}

/** One step of a transaction. */
export type Op =
  | ReadOp
  | {
      readonly kind: 'put';
      readonly key: string;
      readonly value: string;
      /** The lease with which the key ends; absent: it stays. */
      readonly lease?: bigint | undefined;
    }
  | { readonly kind: 'delete'; readonly key: string };

/** A condition: `revision` 0 is that of a key that does not exist. */
export interface Comparison {
  /** The key whose revision is compared. */
  readonly key: string;
  /** The revision that created the key, or that wrote it last. */
  readonly target: 'create' | 'mod';
  /** The revision that is expected. */
  readonly revision: bigint;
}

/** Several steps in one. */
export interface Txn {
  /** The conditions; none: they hold. */
  readonly compare: readonly Comparison[];
  /** Run if all conditions hold. */
  readonly success: readonly Op[];
  /** Run otherwise. */
  readonly failure: readonly Op[];
}

/** A key as it is stored. */
export interface StoredKey {
  /** Its name. */
  readonly key: string;
  /** Empty if the read was without values. */
  readonly value: string;
  /** The revision that created the key: global and growing. A later write does not change it. */
  readonly createRevision: bigint;
  /** The revision that wrote the key last. */
  readonly modRevision: bigint;
  /** 0 if the key ends with no lease. */
  readonly lease: bigint;
}

/** The reply to a read. */
export interface RangeReply extends Answered {
  /** The keys that were read, in the order that was asked for. */
  readonly keys: readonly StoredKey[];
  /** The number of keys in the range, whatever their revisions, and also behind `limit`. */
  readonly count: bigint;
}

/** The reply to a transaction. */
export interface TxnReply extends Answered {
  /** True if `success` was run. */
  readonly succeeded: boolean;
  /** The keys that each step read, in the order of the steps; empty for one that read none. */
  readonly reads: readonly (readonly StoredKey[])[];
}

/** Told of one watch. */
export interface WatchListener {
  /** The server watches from now on, and tells of what happened since the revision. */
  created(): void;
  /** The key was deleted. */
  deleted(): void;
  /** The watch has ended: the connection, its leader, or the history that it would have to tell is gone. */
  ended(cause: unknown): void;
}

/** What one server says about itself. */
export interface ServerStatus {
  /** `host:port`. */
  readonly node: string;
  /** `3.4.23`; undefined if it did not reply. */
  readonly version: string | undefined;
  /** True if it knows a leader. */
  readonly hasLeader: boolean;
  /** The time until the reply came, in ms. */
  readonly roundTripMs: number;
  /** Why it did not reply. */
  readonly cause?: unknown;
}

/**
 * The request may or may not have been applied: its reply is lost, or came too late.
 * @example
 * ```ts
 * try {
 *   await etcd.txn({ compare: [], success: [{ kind: 'delete', key }], failure: [] }, deadlineMs);
 * } catch (cause) {
 *   if (cause instanceof EtcdDoubt) return { kind: 'unknown', cause };
 *   throw cause;
 * }
 * ```
 */
export class EtcdDoubt extends Error {
  override readonly name = 'EtcdDoubt';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/**
 * Nothing was applied: no server was reached, or none that could serve.
 * @example
 * ```ts
 * try {
 *   await etcd.grant({ id: 7n, ttlSeconds: 30 }, deadlineMs);
 * } catch (cause) {
 *   if (cause instanceof EtcdUnavailable) return { kind: 'unavailable', cause };
 *   throw cause;
 * }
 * ```
 */
export class EtcdUnavailable extends Error {
  override readonly name = 'EtcdUnavailable';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** Why a server refused a request. */
export type ReplyCode =
  | 'LEASE_NOT_FOUND'
  | 'LEASE_EXISTS'
  | 'PERMISSION_DENIED'
  | 'AUTH_FAILED'
  | 'OTHER';

/**
 * A server replied that the request was not applied.
 * @example
 * ```ts
 * try {
 *   await etcd.revoke(7n, deadlineMs);
 * } catch (cause) {
 *   if (cause instanceof EtcdReplyError && cause.code === 'LEASE_NOT_FOUND') return; // it is gone
 *   throw cause;
 * }
 * ```
 */
export class EtcdReplyError extends Error {
  override readonly name = 'EtcdReplyError';
  /** The reason, for programs. */
  readonly code: ReplyCode;

  constructor(code: ReplyCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
