import type { Acl, CreateMode, Permission, ReplyCode } from '@holdfast/zk/port';
import { Reader, Writer } from '@holdfast/zk-client/jute';
import type { ConnectRequest, Request, ZooKeeperReply } from './request.ts';
import type { ServerSession } from './session.ts';
import type { WatchedChange } from './watchers.ts';

/** Offset of a frame's body, behind its length. */
const BODY = 4;
/**
 * As in `ZooDefs.OpCode`. The servers have a table of their own, so that a client with wrong codes is not understood.
 */
const KINDS: ReadonlyMap<number, Request['kind']> = new Map([
  [15, 'create'],
  [19, 'create'],
  [2, 'delete'],
  [3, 'existsWatch'],
  [4, 'read'],
  [12, 'list'],
  [5, 'setData'],
  [9, 'sync'],
  [11, 'ping'],
  [18, 'removeWatch'],
  [100, 'auth'],
  [101, 'setWatches'],
  [-11, 'close'],
]);
const MODES: ReadonlyMap<number, CreateMode> = new Map([
  [0, 'persistent'],
  [1, 'ephemeral'],
  [3, 'ephemeral-sequential'],
  [4, 'container'],
]);
const PERMISSIONS: readonly Permission[] = ['read', 'write', 'create', 'delete', 'admin'];
const ALL = 31;
/** As in `KeeperException.Code`. */
const CODES: Readonly<Partial<Record<ReplyCode, number>>> = {
  NONODE: -101,
  NOAUTH: -102,
  BADVERSION: -103,
  NOCHILDRENFOREPHEMERALS: -108,
  NODEEXISTS: -110,
  NOTEMPTY: -111,
  INVALIDACL: -114,
};
/** As in `Watcher.Event.EventType`. */
const EVENTS: Readonly<Record<WatchedChange, number>> = { created: 1, deleted: 2, changed: 3 };
const CONNECTED = 3;
const ANY_VERSION = -1;
const NO_PASSWORD = new Uint8Array(16);
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A request with its xid, which the reply repeats. */
export interface NumberedRequest {
  readonly xid: number;
  readonly request: Request;
}

/** Reads the first frame on a connection. */
export function readConnectRequest(frame: Uint8Array): ConnectRequest {
  const reader = new Reader(frame.subarray(BODY));
  reader.int();
  const zxid = Number(reader.long());
  const timeoutMs = reader.int();
  return { zxid, timeoutMs, sessionId: reader.long(), password: reader.bytes() };
}

/** Reads any other frame. @throws Error for requests that the simulated servers do not support */
export function readRequest(frame: Uint8Array): NumberedRequest {
  const reader = new Reader(frame.subarray(BODY));
  const xid = reader.int();
  const type = reader.int();
  const kind = KINDS.get(type);
  if (kind === undefined) throw new Error(`request type ${type} is not simulated`);
  return { xid, request: requestOf(kind, reader) };
}

function requestOf(kind: Request['kind'], reader: Reader): Request {
  if (kind === 'ping' || kind === 'close') return { kind };
  if (kind === 'auth') return { kind, identity: readIdentity(reader) };
  if (kind === 'setWatches') return readWatches(reader);
  const path = reader.string();
  if (kind === 'create') return { kind, path, ...readCreation(reader) };
  if (kind === 'sync' || kind === 'removeWatch') return { kind, path };
  if (kind === 'setData') {
    const data = decoder.decode(reader.bytes());
    const version = reader.int();
    return { kind, path, data, version: version === ANY_VERSION ? undefined : version };
  }
  if (kind === 'delete') checkAnyVersion(reader);
  else checkWatch(reader, kind === 'existsWatch');
  return { kind, path };
}

function readCreation(reader: Reader): {
  readonly data: string;
  readonly mode: CreateMode;
  readonly acl: readonly Acl[] | undefined;
} {
  const data = decoder.decode(reader.bytes());
  const entries = reader.vector(readAcl);
  const flags = reader.int();
  const mode = MODES.get(flags);
  if (mode === undefined) throw new Error(`create mode ${flags} is not simulated`);
  return { data, mode, acl: entries.includes(undefined) ? undefined : entries.flatMap(present) };
}

/** Undefined means that every client may do everything. */
function readAcl(reader: Reader): Acl | undefined {
  const bits = reader.int();
  const who = reader.string() === 'auth' ? 'creator' : 'anybody';
  reader.string();
  if (who === 'anybody' && bits === ALL) return undefined;
  return { who, may: PERMISSIONS.filter((_, at) => (bits & (1 << at)) !== 0) };
}

function present<T>(value: T | undefined): readonly T[] {
  return value === undefined ? [] : [value];
}

function readIdentity(reader: Reader): string {
  reader.int();
  return `${reader.string()}:${decoder.decode(reader.bytes())}`;
}

function readWatches(reader: Reader): Request {
  const zxid = Number(reader.long());
  const paths = (): readonly string[] => reader.vector((each) => each.string());
  const [there, missing, children] = [paths(), paths(), paths()];
  if (children.length > 0) throw new Error('watches on children are not simulated');
  return { kind: 'setWatches', there, missing, zxid };
}

function checkAnyVersion(reader: Reader): void {
  if (reader.int() !== ANY_VERSION)
    throw new Error('deletions of one version are not simulated; use -1');
}

function checkWatch(reader: Reader, isWatched: boolean): void {
  if (reader.bool() !== isWatched)
    throw new Error('only exists may set a watch on simulated servers, and has to');
}

/** `session` is undefined if it has ended. */
export function connectReplyFrame(session: ServerSession | undefined): Uint8Array {
  return new Writer()
    .int(0)
    .int(session?.timeoutMs ?? 0)
    .long(session?.id ?? 0n)
    .bytes(session?.password ?? NO_PASSWORD)
    .bool(false)
    .frame();
}

export function replyFrame({ xid, request }: NumberedRequest, reply: ZooKeeperReply): Uint8Array {
  const { zxid, code } = reply;
  const writer = new Writer().int(xid).long(BigInt(zxid)).int(numberOf(code));
  if (code === undefined) writeReply(writer, request, reply);
  return writer.frame();
}

/** A notification that a watched node has changed. */
export function eventFrame(change: WatchedChange, path: string): Uint8Array {
  const writer = new Writer().int(-1).long(-1n).int(0);
  return writer.int(EVENTS[change]).int(CONNECTED).string(path).frame();
}

function numberOf(code: ReplyCode | undefined): number {
  if (code === undefined) return 0;
  const number = CODES[code];
  if (number === undefined) throw new Error(`reply code ${code} is not simulated`);
  return number;
}

function writeReply(writer: Writer, request: Request, reply: ZooKeeperReply): void {
  switch (request.kind) {
    case 'create':
      return writeStat(writer.string(reply.path ?? request.path), reply);
    case 'read':
      return writeStat(writer.bytes(encoder.encode(reply.data ?? '')), reply);
    case 'list':
      writer.vector(reply.children ?? [], (name, each) => void each.string(name));
      return writeStat(writer, reply);
    case 'setData':
    case 'existsWatch':
      return writeStat(writer, reply);
    case 'sync':
      return void writer.string(request.path);
    case 'delete':
    case 'close':
    case 'ping':
    case 'auth':
    case 'setWatches':
    case 'removeWatch':
  }
}

/**
 * Writes what the reply contains: the session that owns the node, the transaction that created it, and its version. Other
 * fields are 0, because the recipe's port does not have them.
 */
function writeStat(writer: Writer, { czxid = 0, owner, version = 0 }: ZooKeeperReply): void {
  writer.long(BigInt(czxid)).long(0n).long(0n).long(0n).int(version).int(0).int(0);
  writer
    .long(owner?.id ?? 0n)
    .int(0)
    .int(0)
    .long(0n);
}
