import { MalformedError, type Reader, type Writer } from './jute.ts';

/** The metadata of a node. Transaction ids (zxids) and session ids are 64 bits wide. */
export interface Stat {
  /** The transaction that created the node; grows with every creation anywhere in the ensemble. */
  readonly czxid: bigint;
  /** The transaction that last changed its data. */
  readonly mzxid: bigint;
  /** The transaction that last changed its children. */
  readonly pzxid: bigint;
  /** Ms since 1970, by the clock of the leader. */
  readonly ctimeMs: bigint;
  /** The time of the last change of its data, by that clock. */
  readonly mtimeMs: bigint;
  /** Numbers of changes: of the data, of the children, of the ACL. */
  readonly version: number;
  /** The number of changes of the children. */
  readonly cversion: number;
  /** The number of changes of the ACL. */
  readonly aversion: number;
  /** The session that an ephemeral node belongs to; 0 if the node is not ephemeral. */
  readonly ephemeralOwner: bigint;
  /** The length of the data in bytes. */
  readonly dataLength: number;
  /** The number of children. */
  readonly numChildren: number;
}

export function readStat(reader: Reader): Stat {
  const [czxid, mzxid] = [reader.long(), reader.long()];
  const [ctimeMs, mtimeMs] = [reader.long(), reader.long()];
  const [version, cversion, aversion] = [reader.int(), reader.int(), reader.int()];
  const ephemeralOwner = reader.long();
  const [dataLength, numChildren] = [reader.int(), reader.int()];
  const pzxid = reader.long();
  return {
    czxid,
    mzxid,
    pzxid,
    ctimeMs,
    mtimeMs,
    version,
    cversion,
    aversion,
    ephemeralOwner,
    dataLength,
    numChildren,
  };
}

/** Requests a session: a new one (id 0), or the continuation of one. */
export interface ConnectRequest {
  /** A server that is behind this transaction closes the connection. */
  readonly lastZxid: bigint;
  readonly timeoutMs: number;
  readonly sessionId: bigint;
  readonly password: Uint8Array;
}

export interface ConnectReply {
  /** Negotiated; 0 or less when the session has expired. */
  readonly timeoutMs: number;
  /** 0 when the session has expired. */
  readonly sessionId: bigint;
  readonly password: Uint8Array;
}

const PROTOCOL_VERSION = 0;

export function writeConnectRequest(writer: Writer, request: ConnectRequest): Writer {
  const readOnly = false;
  return writer
    .int(PROTOCOL_VERSION)
    .long(request.lastZxid)
    .int(request.timeoutMs)
    .long(request.sessionId)
    .bytes(request.password)
    .bool(readOnly);
}

export function readConnectReply(reader: Reader): ConnectReply {
  reader.int();
  return { timeoutMs: reader.int(), sessionId: reader.long(), password: reader.bytes() };
}

/**
 * Throws {@link MalformedError} if the server granted another session than the requested one. The requested session may
 * still live. The nodes of the other one are not this client's.
 */
export function checkResumed({ sessionId: requested }: ConnectRequest, reply: ConnectReply): void {
  const { sessionId, timeoutMs } = reply;
  if (requested === 0n || sessionId === requested || sessionId === 0n || timeoutMs <= 0) return;
  throw new MalformedError(`answered with session ${hex(sessionId)}, not ${hex(requested)}`);
}

/** As servers write it in their logs. */
function hex(sessionId: bigint): string {
  return `0x${BigInt.asUintN(64, sessionId).toString(16)}`;
}

export interface ReplyHeader {
  readonly xid: number;
  readonly zxid: bigint;
  /** 0 when the request succeeded. */
  readonly failure: number;
}

export function readReplyHeader(reader: Reader): ReplyHeader {
  return { xid: reader.int(), zxid: reader.long(), failure: reader.int() };
}
