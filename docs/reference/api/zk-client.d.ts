// Every public name of this package, as the compiler emits it. Generated: npm run api

// ========== @holdfast/zk-client ==========

interface Access {
  readonly acl: readonly Acl[];
  readonly stat: Stat;
}

interface Acl {
  readonly scheme: string;
  readonly id: string;
  readonly permissions: readonly Permission[];
}

interface Address {
  readonly host: string;
  readonly port?: number | undefined;
}

interface Answered {
  readonly sentAt: Instant;
  readonly zxid: bigint;
}

interface Clock {
  now(): Instant;
  timer(ms: number, run: () => void, options?: {
    readonly awaited: boolean;
  }): () => void;
  random(): number;
}

interface CloseOptions {
  readonly timeoutMs?: number | undefined;
  readonly leavesNodes?: boolean | undefined;
}

interface Content {
  readonly data: Uint8Array;
  readonly stat: Stat;
}

type CreateMode = 'persistent' | 'persistent-sequential' | 'ephemeral' | 'ephemeral-sequential' | 'container' | 'persistent-ttl' | 'persistent-sequential-ttl';

interface CreateOptions {
  readonly mode?: CreateMode | undefined;
  readonly acl?: readonly Acl[] | undefined;
  readonly ttlMs?: number | undefined;
}

interface Created {
  readonly path: string;
  readonly stat: Stat;
}

interface Credential {
  readonly scheme: string;
  readonly auth: string | Uint8Array;
}

type Data = Uint8Array | string;

type Dial = (server: ServerAddress, events: WireEvents) => Wire;

interface ExistsResult extends Answered {
  readonly stat: Stat | undefined;
}

type FailureCode = Names[keyof Names] | 'OTHER';

interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

interface Listing {
  readonly children: readonly string[];
  readonly stat: Stat;
}

type MultiOperation = ({
  readonly kind: 'create';
  readonly path: string;
  readonly data: single.Data;
} & single.CreateOptions) | {
  readonly kind: 'set';
  readonly path: string;
  readonly data: single.Data;
  readonly version?: number | undefined;
} | {
  readonly kind: 'delete';
  readonly path: string;
  readonly version?: number | undefined;
} | {
  readonly kind: 'check';
  readonly path: string;
  readonly version?: number | undefined;
};

type MultiResult = {
  readonly kind: 'create';
  readonly path: string;
  readonly stat: Stat | undefined;
} | {
  readonly kind: 'set';
  readonly stat: Stat;
} | {
  readonly kind: 'delete' | 'check';
};

interface Network {
  readonly dial: Dial;
  readonly resolve: Resolve;
  check?(): void;
}

class NetworkSession {
  protected constructor(link: SessionLink, chroot: Chroot);
  static open(options: NetworkSessionOptions): Promise<NetworkSession>;
  get id(): bigint;
  get timeoutMs(): number;
  get state(): SessionState;
  get address(): string;
  get validated(): Instant;
  onState(listener: (state: SessionState) => void): () => void;
  answeredBefore(monotonicMs: number): Instant | undefined;
  quicken(): () => void;
  create(path: string, data: Data, options?: CreateOptions): Promise<Created & Answered>;
  delete(path: string, version?: number): Promise<Answered>;
  setData(path: string, data: Data, version?: number): Promise<SetResult>;
  getData(path: string): Promise<Content & Answered>;
  getChildren(path: string): Promise<Listing & Answered>;
  exists(path: string): Promise<ExistsResult>;
  existsWatch(path: string, listener: WatchListener): Promise<ExistsResult & Watching>;
  getDataWatch(path: string, listener: WatchListener): Promise<Content & Answered & Watching>;
  getChildrenWatch(path: string, listener: WatchListener): Promise<Listing & Answered & Watching>;
  getAcl(path: string): Promise<Access & Answered>;
  setAcl(path: string, acl: readonly Acl[], version?: number): Promise<SetResult>;
  sync(path: string): Promise<Answered>;
  multi(operations: readonly MultiOperation[]): Promise<{
    readonly results: readonly MultiResult[];
  } & Answered>;
  addAuth(credential: Credential): Promise<void>;
  close({ timeoutMs, leavesNodes }?: CloseOptions): Promise<void>;
}

interface NetworkSessionOptions {
  readonly network: Network;
  readonly servers: readonly (Address | string)[];
  readonly chroot?: string | undefined;
  readonly sessionTimeoutMs?: number | undefined;
  readonly auth?: readonly Credential[] | undefined;
  readonly frameBytesMax?: number | undefined;
  readonly openMs?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly awaited?: boolean | undefined;
  readonly clock?: Clock | undefined;
}

class NotSentError extends ZooKeeperError<'DISCONNECTED' | 'EXPIRED' | 'AUTH_FAILED' | 'CLOSED'> {
  readonly name = "NotSentError";
}

class OpenError extends ZooKeeperError<'NO_SERVER' | 'NO_CHROOT' | 'AUTH_FAILED' | 'ABORTED'> {
  readonly name = "OpenError";
}

class OptionError extends ZooKeeperError<'BAD_OPTION'> {
  readonly name = "OptionError";
  constructor(message: string);
}

type Permission = keyof typeof BITS;

class ReplyError extends ZooKeeperError<FailureCode> {
  readonly name = "ReplyError";
  readonly index: number | undefined;
  constructor(code: FailureCode, message: string, index?: number);
}

class RequestError extends ZooKeeperError<'BAD_PATH' | 'BAD_ARGUMENT' | 'TOO_LARGE'> {
  readonly name = "RequestError";
}

type Resolve = (host: string, callback: (found: readonly string[] | Error) => void) => void;

class Session extends NetworkSession {
  static open({ tls, ...options }: SessionOptions): Promise<Session>;
}

interface SessionOptions extends Omit<NetworkSessionOptions, 'network'> {
  readonly tls?: TlsOptions | undefined;
}

type SessionState = 'connected' | 'disconnected' | FinalState;

interface SetResult extends Answered {
  readonly stat: Stat;
}

interface Stat {
  readonly czxid: bigint;
  readonly mzxid: bigint;
  readonly pzxid: bigint;
  readonly ctimeMs: bigint;
  readonly mtimeMs: bigint;
  readonly version: number;
  readonly cversion: number;
  readonly aversion: number;
  readonly ephemeralOwner: bigint;
  readonly dataLength: number;
  readonly numChildren: number;
}

type TlsOptions = Omit<ConnectionOptions, 'host' | 'port' | 'path' | 'socket'>;

class UnknownOutcomeError extends ZooKeeperError<'UNKNOWN_OUTCOME'> {
  readonly name = "UnknownOutcomeError";
  constructor(message: string, cause?: unknown);
}

interface WatchEvent {
  readonly type: WatchEventType;
  readonly path: string;
}

type WatchEventType = 'created' | 'deleted' | 'changed' | 'children' | 'session-ended';

type WatchListener = (event: WatchEvent) => void;

interface Watching {
  readonly unwatch: () => void;
}

interface Wire {
  write(frame: Uint8Array): void;
  keepAlive(isAwaited: boolean): void;
  destroy(): void;
}

interface WireEvents {
  up(): void;
  bytes(chunk: Uint8Array): void;
  down(cause: Error): void;
}

class ZooKeeperError<Code extends string = string> extends Error {
  readonly name: string;
  readonly code: Code;
  constructor(code: Code, message: string, cause?: unknown);
}

const creatorAcl: readonly Acl[];

const openAcl: readonly Acl[];

function systemNetwork(tls?: TlsOptions): Network;

// ----- without a name of its own in @holdfast/zk-client -----

const BITS: {
  readonly read: 1;
  readonly write: 2;
  readonly create: 4;
  readonly delete: 8;
  readonly admin: 16;
};

interface CheckedOptions {
  readonly servers: readonly Server[];
  readonly chroot: Chroot;
  readonly sessionTimeoutMs: number;
  readonly auth: readonly Credential[];
  readonly frameBytesMax: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  readonly awaited: boolean;
  readonly clock: Clock;
  readonly network: Network;
}

class Chroot {
  readonly path: string;
  constructor(path: string);
  full(path: string): string;
  fullSequential(path: string): string;
  below(full: string): string;
}

type EmptyReply = Readonly<Partial<Record<string, never>>>;

type FinalState = 'expired' | 'auth-failed' | 'closed';

const NAMES: {
  readonly [-1]: 'SYSTEMERROR';
  readonly [-2]: 'RUNTIMEINCONSISTENCY';
  readonly [-3]: 'DATAINCONSISTENCY';
  readonly [-4]: 'CONNECTIONLOSS';
  readonly [-5]: 'MARSHALLINGERROR';
  readonly [-6]: 'UNIMPLEMENTED';
  readonly [-7]: 'OPERATIONTIMEOUT';
  readonly [-8]: 'BADARGUMENTS';
  readonly [-13]: 'NEWCONFIGNOQUORUM';
  readonly [-14]: 'RECONFIGINPROGRESS';
  readonly [-100]: 'APIERROR';
  readonly [-101]: 'NONODE';
  readonly [-102]: 'NOAUTH';
  readonly [-103]: 'BADVERSION';
  readonly [-108]: 'NOCHILDRENFOREPHEMERALS';
  readonly [-110]: 'NODEEXISTS';
  readonly [-111]: 'NOTEMPTY';
  readonly [-112]: 'SESSIONEXPIRED';
  readonly [-113]: 'INVALIDCALLBACK';
  readonly [-114]: 'INVALIDACL';
  readonly [-115]: 'AUTHFAILED';
  readonly [-118]: 'SESSIONMOVED';
  readonly [-119]: 'NOTREADONLY';
  readonly [-120]: 'EPHEMERALONLOCALSESSION';
  readonly [-121]: 'NOWATCHER';
  readonly [-122]: 'REQUESTTIMEOUT';
  readonly [-123]: 'RECONFIGDISABLED';
  readonly [-124]: 'SESSIONCLOSEDREQUIRESASLAUTH';
  readonly [-125]: 'QUOTAEXCEEDED';
  readonly [-127]: 'THROTTLEDOP';
};

type Names = typeof NAMES;

class ObservableState {
  get current(): SessionState;
  get isFinal(): boolean;
  onChange(listener: (state: SessionState) => void): () => void;
  set(state: SessionState): void;
  notSent(name: string, cause: Error | undefined): NotSentError;
}

interface Operation<T> {
  readonly type: number;
  readonly name: string;
  write(writer: Writer): void;
  read(reader: Reader): T;
  readonly ifMissing?: T;
}

class QuickPings {
  constructor(onStart: () => void);
  get isOn(): boolean;
  request(): () => void;
}

class Reader {
  constructor(bytes: Uint8Array);
  get left(): number;
  bool(): boolean;
  int(): number;
  long(): bigint;
  bytes(): Uint8Array;
  string(): string;
  vector<T>(read: (reader: this) => T): T[];
}

interface ReplyHandler<T> {
  replied(value: T, reply: Answered): void;
  failed(error: ReplyError | UnknownOutcomeError): void;
}

interface Server {
  readonly host: string;
  readonly port: number;
  readonly name: string;
}

interface ServerAddress extends Server {
  readonly address: string;
}

class SessionLink {
  readonly watches: Watches;
  readonly state: ObservableState;
  readonly quickPings: QuickPings;
  constructor(options: CheckedOptions);
  get id(): bigint;
  get timeoutMs(): number;
  get address(): string;
  get validated(): Instant;
  answeredBefore(monotonicMs: number): Instant | undefined;
  open(): Promise<void>;
  rejectServer(ms: number): void;
  abortOpening(code: 'NO_SERVER' | 'ABORTED', when: string): void;
  send<T>(operation: Operation<T>, handler: ReplyHandler<T>): void;
  authenticate(credential: Credential): Promise<void>;
  close(timeoutMs: number): Promise<void>;
  abandon(): Promise<void>;
}

class SetWatchesBatch {
  readonly present: string[];
  readonly missing: string[];
  readonly children: string[];
  bytes: number;
  constructor(sinceZxid: bigint);
  add(kind: WatchKind, path: string, isMissing: boolean): void;
  get operation(): Operation<EmptyReply>;
}

type WatchKind = 'node' | 'children';

class Watches {
  constructor(onUnused: (kind: WatchKind, path: string) => void);
  get size(): number;
  expect(kind: WatchKind, path: string): () => void;
  add(kind: WatchKind, path: string, isMissing: boolean, listener: WatchListener): () => void;
  fire(event: WatchEvent): void;
  endAll(): void;
  setWatchesBatches(sinceZxid: bigint): Generator<SetWatchesBatch>;
  fireUnrestored(batch: SetWatchesBatch): void;
}

class Writer {
  bool(value: boolean): this;
  int(value: number): this;
  long(value: bigint): this;
  bytes(value: Uint8Array): this;
  string(value: string): this;
  vector<T>(items: readonly T[], write: (item: T, writer: this) => void): this;
  frame(): Uint8Array;
}

// ========== @holdfast/zk-client/jute ==========

class MalformedError extends Error {
  readonly name = "MalformedError";
  readonly code = "MALFORMED";
}

// Reader, as in 

// Writer, as in 

function int32(bytes: Uint8Array, at: number): number;

// ========== @holdfast/zk-client/network ==========

// Access, as in @holdfast/zk-client

// Acl, as in @holdfast/zk-client

// Address, as in @holdfast/zk-client

// Answered, as in @holdfast/zk-client

// Clock, as in @holdfast/zk-client

// CloseOptions, as in @holdfast/zk-client

// Content, as in @holdfast/zk-client

// CreateMode, as in @holdfast/zk-client

// CreateOptions, as in @holdfast/zk-client

// Created, as in @holdfast/zk-client

// Credential, as in @holdfast/zk-client

// Data, as in @holdfast/zk-client

// Dial, as in @holdfast/zk-client

// ExistsResult, as in @holdfast/zk-client

// FailureCode, as in @holdfast/zk-client

// Instant, as in @holdfast/zk-client

// Listing, as in @holdfast/zk-client

// MultiOperation, as in @holdfast/zk-client

// MultiResult, as in @holdfast/zk-client

// Network, as in @holdfast/zk-client

// NetworkSession, as in @holdfast/zk-client

// NetworkSessionOptions, as in @holdfast/zk-client

// NotSentError, as in @holdfast/zk-client

// OpenError, as in @holdfast/zk-client

// OptionError, as in @holdfast/zk-client

// Permission, as in @holdfast/zk-client

// ReplyError, as in @holdfast/zk-client

// RequestError, as in @holdfast/zk-client

// Resolve, as in @holdfast/zk-client

// SessionState, as in @holdfast/zk-client

// SetResult, as in @holdfast/zk-client

// Stat, as in @holdfast/zk-client

// UnknownOutcomeError, as in @holdfast/zk-client

// WatchEvent, as in @holdfast/zk-client

// WatchEventType, as in @holdfast/zk-client

// WatchListener, as in @holdfast/zk-client

// Watching, as in @holdfast/zk-client

// Wire, as in @holdfast/zk-client

// WireEvents, as in @holdfast/zk-client

// ZooKeeperError, as in @holdfast/zk-client

// creatorAcl, as in @holdfast/zk-client

// openAcl, as in @holdfast/zk-client
