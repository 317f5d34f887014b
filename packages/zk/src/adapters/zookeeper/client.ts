/**
 * The used part of npm `zookeeper`, as structural types: its own types leak into the global scope, and this package must
 * compile without the library. Only its callback API reports codes as numbers.
 */

import {
  type CreateMode,
  type NodeStat,
  type ReplyCode,
  SessionDoubt,
  SessionReplyError,
  type SessionState,
} from '../../port.ts';

export interface NativeStat {
  /** Exact up to 2^53, which is some two million elections. */
  readonly czxid: number;
  /** Hexadecimal, without padding. */
  readonly ephemeralOwner: string;
  readonly version: number;
}

/** Receives the reply to a request, within the turn of the C library. */
export type NativeCallback<Values extends readonly unknown[]> = (
  code: number,
  text: string,
  ...values: Values
) => void;

type OnPath = (client: unknown, path: string) => void;

/** Every `a_…` returns 0 and then calls back once, or returns another code and never calls back. */
export interface NativeClient {
  on(event: 'connect' | 'connecting', listener: () => void): unknown;
  on(event: 'close', listener: (client: unknown, code: number) => void): unknown;
  on(event: 'created' | 'deleted' | 'changed', listener: OnPath): unknown;
  init(config: object): unknown;
  /** Blocks the thread, for up to 1.5 s if the server does not reply. */
  close(): unknown;
  /** Hexadecimal, without padding. */
  readonly client_id: string;
  /** Negotiated, in ms. */
  readonly timeout: number;
  a_create(path: string, data: string, flags: number, reply: NativeCallback<[string]>): number;
  /** With `watch`, changes arrive as the events of the client. */
  a_exists(path: string, watch: boolean, reply: NativeCallback<[NativeStat | null]>): number;
  a_get(
    path: string,
    watch: boolean,
    reply: NativeCallback<[NativeStat | null, Uint8Array | null]>,
  ): number;
  a_get_children(path: string, watch: boolean, reply: NativeCallback<[string[] | null]>): number;
  a_set(path: string, data: string, version: number, reply: NativeCallback<[]>): number;
  a_delete_(path: string, version: number, reply: NativeCallback<[]>): number;
  a_sync(path: string, reply: NativeCallback<[]>): number;
}

export type NativeConstructor = new () => NativeClient;

export const FLAGS: Readonly<Record<CreateMode, number>> = {
  persistent: 0,
  ephemeral: 1,
  'ephemeral-sequential': 3,
  container: 4,
};
export const ANY_VERSION = -1;

/** The codes in `zookeeper.h` that a server replies to a request that it did not apply. */
const REPLIES: ReadonlyMap<number, ReplyCode> = new Map([
  [-6, 'UNIMPLEMENTED'],
  [-8, 'BADARGUMENTS'],
  [-101, 'NONODE'],
  [-102, 'NOAUTH'],
  [-103, 'BADVERSION'],
  [-108, 'NOCHILDRENFOREPHEMERALS'],
  [-110, 'NODEEXISTS'],
  [-111, 'NOTEMPTY'],
  [-114, 'INVALIDACL'],
  [-119, 'OTHER'],
  [-120, 'OTHER'],
  [-125, 'QUOTAEXCEEDED'],
  [-127, 'THROTTLEDOP'],
]);

export const OK = 0;
export const NO_NODE = -101;

/** True if a server sent the code. The library makes up all others when it gives a connection up. */
export function isReply(code: number): boolean {
  return code === OK || REPLIES.has(code);
}

/** Converts a code. `text` is the library's name of it, without path or data. */
export function failureOf(code: number, text: string): SessionReplyError | SessionDoubt {
  const reply = REPLIES.get(code);
  const message = `${text} (${code})`;
  return reply === undefined ? new SessionDoubt(message) : new SessionReplyError(reply, message);
}

/** Converts the code of the `close` event; the library's own `close` gives 0. */
export function finalStateOf(
  code: number,
): Extract<SessionState, 'expired' | 'auth-failed' | 'closed'> {
  if (code === -112) return 'expired';
  return code === -113 ? 'auth-failed' : 'closed';
}

export function nodeStat(stat: NativeStat | null): NodeStat {
  if (stat === null) throw new SessionDoubt('a reply without a stat');
  const ephemeralOwner = BigInt.asIntN(64, BigInt(`0x${stat.ephemeralOwner}`));
  return { czxid: BigInt(stat.czxid), ephemeralOwner, version: stat.version };
}
