import type { Acl, CreateMode, ReplyCode } from '@holdfast/zk/port';
import type { ServerSession } from './session.ts';

/** A client's request to its server. `kind` is also its label in rules, anchors and traces. */
export type Request = WriteRequest | ReadRequest | SyncRequest | AuthRequest;

/** A request that goes through the leader and becomes a transaction. */
export type WriteRequest =
  | {
      readonly kind: 'create';
      readonly path: string;
      readonly data: string;
      readonly mode: CreateMode;
      readonly acl: readonly Acl[] | undefined;
    }
  | { readonly kind: 'delete'; readonly path: string }
  | {
      readonly kind: 'setData';
      readonly path: string;
      readonly data: string;
      /** Absent: whatever the version of the node. */
      readonly version?: number | undefined;
    }
  | { readonly kind: 'close' };

/** A request that goes through the leader and changes nothing. */
export interface SyncRequest {
  readonly kind: 'sync';
  readonly path: string;
}

/** Proves an identity, for this connection only. */
export interface AuthRequest {
  readonly kind: 'auth';
  readonly identity: string;
}

/** A request that the server replies to from its applied state, however old that is. */
export type ReadRequest =
  | { readonly kind: 'read' | 'list' | 'existsWatch' | 'removeWatch'; readonly path: string }
  | { readonly kind: 'ping' }
  | SetWatches;

/** The watches of a session on a new connection: on nodes that existed at `zxid`, and on paths that did not. */
export interface SetWatches {
  readonly kind: 'setWatches';
  readonly there: readonly string[];
  readonly missing: readonly string[];
  readonly zxid: number;
}

/** The first message on a connection: opens or resumes a session. */
export interface ConnectRequest {
  /** 0 if the client has no session. */
  readonly sessionId: bigint;
  readonly password: Uint8Array;
  readonly timeoutMs: number;
  /** The latest transaction that the client has seen; a server that is behind it refuses the client. */
  readonly zxid: number;
}

/** `code` is set if the request was refused; otherwise the fields that the request asks for. */
export interface ZooKeeperReply {
  /** The latest transaction that the server had applied when it replied. */
  readonly zxid: number;
  readonly code?: ReplyCode | undefined;
  readonly path?: string | undefined;
  readonly data?: string | undefined;
  readonly czxid?: number | undefined;
  readonly owner?: ServerSession | undefined;
  readonly version?: number | undefined;
  readonly children?: readonly string[] | undefined;
}

const READS: ReadonlySet<Request['kind']> = new Set([
  'read',
  'list',
  'existsWatch',
  'removeWatch',
  'ping',
  'setWatches',
]);

export function isRead(request: Request): request is ReadRequest {
  return READS.has(request.kind);
}

/** For people. */
export function describeRequest(request: Request): string {
  if (request.kind === 'create') return `${request.path} ${request.mode}`;
  return 'path' in request ? request.path : '';
}

export function describeReply({ code, path, czxid, children, data }: ZooKeeperReply): string {
  if (code !== undefined) return code;
  if (children !== undefined) return children.toSorted().join(' ');
  return [path, czxid === undefined ? undefined : zxidText(czxid), data]
    .filter((part) => part !== undefined)
    .join(' ');
}

/**
 * A transaction id has the leader's epoch above and a counter below. It is exact as a double up to two million epochs.
 */
export const EPOCH_STEP: number = 2 ** 32;

/** In hexadecimal, as ZooKeeper's own tools print it. */
function zxidText(zxid: number): string {
  return `0x${zxid.toString(16)}`;
}
