/** The port between the ZooKeeper recipe and a client of an ensemble: a client library, or the simulator. */

import type { Instant } from '@holdfast/core';

/**
 * `disconnected` says nothing about the session: its servers decide, and report on the next connection. The last three
 * are final; to replace a session that has ended, open another one.
 */
export type SessionState = 'connected' | 'disconnected' | 'expired' | 'auth-failed' | 'closed';

/**
 * One ZooKeeper session. Nothing is queued while disconnected. Rejections are {@link SessionDoubt},
 * {@link SessionUnavailable} or {@link SessionReplyError}, nothing else. Every request settles, at the latest when the
 * connection counts as dead. Paths are absolute, below the chroot of the session.
 */
export interface ZooKeeperSession {
  /** The id that the servers gave it; the owner of its ephemeral nodes. */
  readonly id: bigint;
  /** T: the negotiated session timeout, in ms. */
  readonly timeoutMs: number;
  /** The state now; only the servers know more while it is disconnected. */
  readonly state: SessionState;
  /** The current or latest server, for people. */
  readonly address: string;
  /** The listener is not called for the current state. Returns the removal of the listener. */
  onState(listener: (state: SessionState) => void): () => void;

  /** The send time of the request that created the session or, later, validated it on a new connection. The leader does both. */
  readonly validated: Instant;
  /** The send time of the latest request that was answered by `monotonicMs`, pings included; undefined without one on this connection. */
  answeredBefore(monotonicMs: number): Instant | undefined;

  /** Creates a node. */
  create(path: string, data: string, options: CreateOptions): Promise<Created>;
  /** Returns the stat, and calls `onChange` at most once: when the node is created, deleted or changed, or when the session has ended. */
  existsWatch(path: string, onChange: () => void): Promise<WatchedStat>;
  /** Reads data and metadata; rejects with `NONODE` if there is no such node. */
  read(path: string): Promise<Content>;
  /** Lists the children. */
  list(path: string): Promise<Listing>;
  /** Replaces the data; with `version`, only if the node has it: else it rejects with `BADVERSION`. */
  setData(path: string, data: string, version?: number): Promise<Answered>;
  /** Deletes the node, whatever its version. */
  delete(path: string): Promise<Answered>;
  /** Resolves when this server has seen what the leader had committed when the request reached the leader. */
  sync(path: string): Promise<Answered>;
  /** Ends the session at the servers, so that ephemeral nodes are deleted at once. Settles within `timeoutMs`, never rejects. */
  close(options?: SessionCloseOptions): Promise<void>;
}

/** Options of `close`. */
export interface SessionCloseOptions {
  /** The time for which it tries to reach the servers, in ms. */
  readonly timeoutMs?: number | undefined;
  /** Ends the session here, and sends nothing: its nodes must stay until the servers expire it. */
  readonly leavesNodes?: boolean | undefined;
}

/**
 * Opens a new session, connected when resolved. Rejects with {@link SessionUnavailable} if no server replied by
 * `deadlineMs`, a monotonic time.
 */
export type OpenSession = (deadlineMs: number, opening?: Opening) => Promise<ZooKeeperSession>;

/** Further parameters of an opening. An opener that ignores them delays the end of the process until its deadline. */
export interface Opening {
  /** Aborts when the session is not needed any more: reject with {@link SessionUnavailable}. */
  readonly signal?: AbortSignal | undefined;
  /** True if a caller waits for the session, so that the opening keeps the process alive. Default true. */
  readonly awaited?: boolean | undefined;
}

/** The servers reap `container` nodes once their last child is gone. */
export type CreateMode = 'persistent' | 'container' | 'ephemeral' | 'ephemeral-sequential';

/** Options of a new node. */
export interface CreateOptions {
  /** How long it lives, and whether the server numbers it. */
  readonly mode: CreateMode;
  /** Absent: every client may do anything. */
  readonly acl?: readonly Acl[] | undefined;
}

/** `creator` is every identity that the session has proven (ZooKeeper's scheme `auth`), `anybody` every client. */
export interface Acl {
  /** The identities that this is about. */
  readonly who: 'anybody' | 'creator';
  /** What they may do. */
  readonly may: readonly Permission[];
}

/** What an identity may do with a node; `create` and `delete` are about its children, `admin` about its ACL. */
export type Permission = 'read' | 'write' | 'create' | 'delete' | 'admin';

/** The part that all replies have. */
export interface Answered {
  /** The time when the request was sent, not when the reply came. */
  readonly sentAt: Instant;
}

/** The reply to a creation. */
export interface Created extends Answered {
  /** The path with the sequence number that the server appended. */
  readonly path: string;
  /** The transaction that created the node: global and growing. */
  readonly czxid: bigint;
}

/** The metadata of a node. */
export interface NodeStat {
  /** The transaction that created the node: global and growing. */
  readonly czxid: bigint;
  /** 0 if the node is not ephemeral. */
  readonly ephemeralOwner: bigint;
  /** The number of changes of its data. */
  readonly version: number;
}

/** The reply to a look at a node that is watched from then on. */
export interface WatchedStat extends Answered {
  /** Undefined if there is no such node. It is watched too. */
  readonly stat: NodeStat | undefined;
  /** Removes the watch: `onChange` is not called any more, and nothing is kept for it. */
  unwatch(): void;
}

/** The data of a node. */
export interface Content extends Answered {
  /** The text that is stored. */
  readonly data: string;
  /** The metadata, as of the same moment. */
  readonly stat: NodeStat;
}

/** The children of a node. */
export interface Listing extends Answered {
  /** Names, not paths; in no order. */
  readonly children: readonly string[];
}

/**
 * The request may or may not have been applied: the connection was lost, or counted as lost, before the reply.
 * @example
 * ```ts
 * try {
 *   await zk.delete(path);
 * } catch (cause) {
 *   if (cause instanceof SessionDoubt) return { kind: 'unknown', cause };
 *   throw cause;
 * }
 * ```
 */
export class SessionDoubt extends Error {
  override readonly name = 'SessionDoubt';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/**
 * Nothing was sent: there is no connection, or the session has ended.
 * @example
 * ```ts
 * try {
 *   await zk.create(path, owner, { mode: 'ephemeral-sequential' });
 * } catch (cause) {
 *   if (cause instanceof SessionUnavailable) return { kind: 'unavailable', cause };
 *   throw cause;
 * }
 * ```
 */
export class SessionUnavailable extends Error {
  override readonly name = 'SessionUnavailable';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** ZooKeeper's own names of errors, without the leading Z or KeeperException. */
export type ReplyCode =
  | 'NONODE'
  | 'NODEEXISTS'
  | 'NOTEMPTY'
  | 'NOAUTH'
  | 'BADVERSION'
  | 'INVALIDACL'
  | 'BADARGUMENTS'
  | 'UNIMPLEMENTED'
  | 'NOCHILDRENFOREPHEMERALS'
  | 'QUOTAEXCEEDED'
  | 'THROTTLEDOP'
  | 'OTHER';

/**
 * A server replied that the request was not applied.
 * @example
 * ```ts
 * try {
 *   await zk.delete(path);
 * } catch (cause) {
 *   if (cause instanceof SessionReplyError && cause.code === 'NONODE') return; // it is gone
 *   throw cause;
 * }
 * ```
 */
export class SessionReplyError extends Error {
  override readonly name = 'SessionReplyError';
  /** The reason, for programs. */
  readonly code: ReplyCode;

  constructor(code: ReplyCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
