import type { Acl, CreateMode, ReplyCode } from '@holdfast/zk/port';
import type { ServerSession } from './session.ts';

/** What a client asks of the server it is connected to. `kind` is also what rules, anchors and traces call it. */
export type Request = Write | Read | Sync | Auth;

/** What goes through the leader and becomes a transaction. */
export type Write =
  | {
      readonly kind: 'create';
      readonly path: string;
      readonly data: string;
      readonly mode: CreateMode;
      readonly acl: readonly Acl[] | undefined;
    }
  | { readonly kind: 'delete'; readonly path: string }
  | { readonly kind: 'setData'; readonly path: string; readonly data: string }
  | { readonly kind: 'close' };

/** Goes through the leader too, but changes nothing. */
export interface Sync {
  readonly kind: 'sync';
  readonly path: string;
}

/** Proves an identity, for this connection alone. */
export interface Auth {
  readonly kind: 'auth';
  readonly identity: string;
}

/** What the server answers by what it has applied, however old that is. */
export type Read =
  | { readonly kind: 'read' | 'list' | 'existsWatch' | 'removeWatch'; readonly path: string }
  | { readonly kind: 'ping' }
  | SetWatches;

/** The watches of a session on a new connection: on nodes that were there, and on such as were not, at `zxid`. */
export interface SetWatches {
  readonly kind: 'setWatches';
  readonly there: readonly string[];
  readonly missing: readonly string[];
  readonly zxid: number;
}

/** The first message on a connection: opens a session, or goes on with one. */
export interface Greeting {
  /** 0 where there is none yet. */
  readonly sessionId: bigint;
  readonly password: Uint8Array;
  readonly timeoutMs: number;
  /** The latest transaction that the client has seen; a server behind it is none for this client. */
  readonly zxid: number;
}

/** `code` where the request was refused; of the others what the request asked for. */
export interface Answer {
  /** The latest transaction that the server had applied when it answered. */
  readonly zxid: number;
  readonly code?: ReplyCode | undefined;
  readonly path?: string | undefined;
  readonly data?: string | undefined;
  readonly czxid?: number | undefined;
  readonly owner?: ServerSession | undefined;
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

export function isRead(request: Request): request is Read {
  return READS.has(request.kind);
}

/** For people. */
export function describeRequest(request: Request): string {
  if (request.kind === 'create') return `${request.path} ${request.mode}`;
  return 'path' in request ? request.path : '';
}

export function describeAnswer({ code, path, czxid, children, data }: Answer): string {
  if (code !== undefined) return code;
  if (children !== undefined) return children.toSorted().join(' ');
  return [path, czxid === undefined ? undefined : zxidText(czxid), data]
    .filter((part) => part !== undefined)
    .join(' ');
}

/** A transaction's number: the leader's epoch above, a counter below. Exact as a double up to two million epochs. */
export const EPOCH_STEP: number = 2 ** 32;

/** In hexadecimal, as ZooKeeper's own tools show it. */
function zxidText(zxid: number): string {
  return `0x${zxid.toString(16)}`;
}
