/** The seam between the ZooKeeper recipe and whatever talks to an ensemble: a client library, or the simulator. */

import type { Instant } from '@holdfast/core';

/**
 * `disconnected` says nothing about the session: its servers decide, and tell on the next connection. The last three
 * are final; a session that has ended is replaced by opening another.
 */
export type SessionState = 'connected' | 'disconnected' | 'expired' | 'auth-failed' | 'closed';

/**
 * One ZooKeeper session. Nothing is queued while disconnected. Rejections are {@link SessionDoubt},
 * {@link SessionUnavailable} or {@link SessionReplyError}, nothing else; every request settles, at the latest when the
 * connection counts as dead. Paths are absolute, below the chroot of whoever opened it.
 */
export interface ZooKeeperSession {
  readonly id: bigint;
  /** T: the negotiated session timeout, in ms. */
  readonly timeoutMs: number;
  readonly state: SessionState;
  /** The server it talks to or talked to last, for people. */
  readonly address: string;
  /** Not called for the present state. Returns its removal. */
  onState(listener: (state: SessionState) => void): () => void;

  /** When the request left that created the session or, later, re-validated it on a new connection: the leader does both. */
  readonly validated: Instant;
  /** When the latest request left whose answer was here by `monotonicMs`, pings included; undefined without one on this connection. */
  answeredBefore(monotonicMs: number): Instant | undefined;

  create(path: string, data: string, options: CreateOptions): Promise<Created>;
  /** Looks, and calls `onChange` at most once: when the node is created, deleted or changed, or when the session has ended. */
  existsWatch(path: string, onChange: () => void): Promise<WatchedStat>;
  read(path: string): Promise<Content>;
  list(path: string): Promise<Listing>;
  setData(path: string, data: string): Promise<Answered>;
  /** Deletes whatever version stands there. */
  delete(path: string): Promise<Answered>;
  /** Resolves when the server asked has seen what the leader had committed when the request came. */
  sync(path: string): Promise<Answered>;
  /** Tells the server, so that ephemeral nodes go at once; settles within `timeoutMs` and never rejects. */
  close(options?: SessionCloseOptions): Promise<void>;
}

export interface SessionCloseOptions {
  readonly timeoutMs?: number | undefined;
  /** Some of its nodes are still relied on: it is final here, but they must stay for T. The servers are not told. */
  readonly leavesNodes?: boolean | undefined;
}

/** Opens a new session, connected when resolved. Rejects with {@link SessionUnavailable} when no server answered by `deadlineMs` (monotonic). */
export type OpenSession = (deadlineMs: number, opening?: Opening) => Promise<ZooKeeperSession>;

/** What an opener is told besides; one that ignores it holds up the end of the process until its deadline. */
export interface Opening {
  /** The session is not wanted any more: reject with {@link SessionUnavailable}. */
  readonly signal?: AbortSignal | undefined;
  /** Whether somebody waits for it, so that it keeps the process alive. Default true. */
  readonly awaited?: boolean | undefined;
}

/** `container` nodes are reaped by the servers once their last child is gone. */
export type CreateMode = 'persistent' | 'container' | 'ephemeral' | 'ephemeral-sequential';

export interface CreateOptions {
  readonly mode: CreateMode;
  /** Absent: anybody may do anything. */
  readonly acl?: readonly Acl[] | undefined;
}

/** `creator` stands for every identity that the session has proven (ZooKeeper's scheme `auth`), `anybody` for all. */
export interface Acl {
  readonly who: 'anybody' | 'creator';
  readonly may: readonly Permission[];
}

export type Permission = 'read' | 'write' | 'create' | 'delete' | 'admin';

/** What every reply carries. */
export interface Answered {
  /** When the request left, never when the reply came. */
  readonly sentAt: Instant;
}

export interface Created extends Answered {
  /** With the sequence number that the server appended. */
  readonly path: string;
  /** The transaction that created the node: global and growing. */
  readonly czxid: bigint;
}

export interface NodeStat {
  readonly czxid: bigint;
  /** 0 where the node is not ephemeral. */
  readonly ephemeralOwner: bigint;
}

export interface WatchedStat extends Answered {
  /** Undefined: there is no such node (which is watched too). */
  readonly stat: NodeStat | undefined;
  /** No longer interested: `onChange` is never called from here on, and nothing is kept for it. */
  unwatch(): void;
}

export interface Content extends Answered {
  readonly data: string;
  readonly stat: NodeStat;
}

export interface Listing extends Answered {
  /** Names, not paths; in no order. */
  readonly children: readonly string[];
}

/** The request may or may not have been applied: the connection was lost, or counted as lost, before the answer. */
export class SessionDoubt extends Error {
  override readonly name = 'SessionDoubt';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** Nothing was sent: there is no connection, or the session has ended. */
export class SessionUnavailable extends Error {
  override readonly name = 'SessionUnavailable';

  constructor(message: string, cause?: unknown) {
    super(message, { cause });
  }
}

/** ZooKeeper's own names of what can be wrong with a request, without the leading Z or KeeperException. */
export type ReplyCode =
  | 'NONODE'
  | 'NODEEXISTS'
  | 'NOTEMPTY'
  | 'NOAUTH'
  | 'INVALIDACL'
  | 'BADARGUMENTS'
  | 'UNIMPLEMENTED'
  | 'NOCHILDRENFOREPHEMERALS'
  | 'QUOTAEXCEEDED'
  | 'THROTTLEDOP'
  | 'OTHER';

/** A server answered that the request was not applied. */
export class SessionReplyError extends Error {
  override readonly name = 'SessionReplyError';
  readonly code: ReplyCode;

  constructor(code: ReplyCode, message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}
