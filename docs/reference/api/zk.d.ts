// Every public name of this package, as the compiler emits it. Generated: npm run api

// ========== @holdfast/zk ==========

interface Acl {
  readonly who: 'anybody' | 'creator';
  readonly may: readonly Permission[];
}

interface Answered {
  readonly sentAt: Instant;
}

interface ClientOptions extends Omit<NetworkClientOptions, 'network'> {
  readonly tls?: TlsOptions | undefined;
}

interface Content extends Answered {
  readonly data: string;
  readonly stat: NodeStat;
}

type CreateMode = 'persistent' | 'container' | 'ephemeral' | 'ephemeral-sequential';

interface CreateOptions {
  readonly mode: CreateMode;
  readonly acl?: readonly Acl[] | undefined;
}

interface Created extends Answered {
  readonly path: string;
  readonly czxid: bigint;
}

interface Listing extends Answered {
  readonly children: readonly string[];
}

interface NativeSessionOptions {
  readonly servers: readonly string[];
  readonly chroot?: string | undefined;
  readonly sessionTimeoutMs?: number | undefined;
}

interface NodeStat {
  readonly czxid: bigint;
  readonly ephemeralOwner: bigint;
  readonly version: number;
}

type OpenSession = (deadlineMs: number, opening?: Opening) => Promise<ZooKeeperSession>;

interface Opening {
  readonly signal?: AbortSignal | undefined;
  readonly awaited?: boolean | undefined;
}

type Permission = 'read' | 'write' | 'create' | 'delete' | 'admin';

type ReplyCode = 'NONODE' | 'NODEEXISTS' | 'NOTEMPTY' | 'NOAUTH' | 'BADVERSION' | 'INVALIDACL' | 'BADARGUMENTS' | 'UNIMPLEMENTED' | 'NOCHILDRENFOREPHEMERALS' | 'QUOTAEXCEEDED' | 'THROTTLEDOP' | 'OTHER';

interface SessionCloseOptions {
  readonly timeoutMs?: number | undefined;
  readonly leavesNodes?: boolean | undefined;
}

class SessionDoubt extends Error {
  readonly name = "SessionDoubt";
  constructor(message: string, cause?: unknown);
}

class SessionReplyError extends Error {
  readonly name = "SessionReplyError";
  readonly code: ReplyCode;
  constructor(code: ReplyCode, message: string, cause?: unknown);
}

type SessionState = 'connected' | 'disconnected' | 'expired' | 'auth-failed' | 'closed';

class SessionUnavailable extends Error {
  readonly name = "SessionUnavailable";
  constructor(message: string, cause?: unknown);
}

interface WatchedStat extends Answered {
  readonly stat: NodeStat | undefined;
  unwatch(): void;
}

interface ZkOptions {
  readonly servers?: readonly string[] | undefined;
  readonly open?: OpenSession | undefined;
  readonly chroot?: string | undefined;
  readonly sessionTimeoutMs?: number | undefined;
  readonly auth?: {
    readonly user: string;
    readonly password: string;
  } | undefined;
  readonly tls?: TlsOptions | undefined;
  readonly namespace?: string | undefined;
  readonly locksAt?: string | undefined;
  readonly acl?: 'anybody' | 'creator' | undefined;
}

interface ZooKeeperSession {
  readonly id: bigint;
  readonly timeoutMs: number;
  readonly state: SessionState;
  readonly address: string;
  onState(listener: (state: SessionState) => void): () => void;
  readonly validated: Instant;
  answeredBefore(monotonicMs: number): Instant | undefined;
  create(path: string, data: string, options: CreateOptions): Promise<Created>;
  existsWatch(path: string, onChange: () => void): Promise<WatchedStat>;
  read(path: string): Promise<Content>;
  list(path: string): Promise<Listing>;
  setData(path: string, data: string, version?: number): Promise<Answered>;
  delete(path: string): Promise<Answered>;
  sync(path: string): Promise<Answered>;
  close(options?: SessionCloseOptions): Promise<void>;
}

const capabilities: Capabilities & {
  readonly fencing: 'strict';
};

function clientSessions(options: ClientOptions, runtime: Runtime): OpenSession;

function nativeSessions(options: NativeSessionOptions, runtime: Runtime): OpenSession;

function openZk(options: ZkOptions, host: Host): Promise<Backend>;

// ----- without a name of its own in @holdfast/zk -----

interface NetworkClientOptions extends Pick<NetworkSessionOptions, 'network' | 'servers' | 'chroot'> {
  readonly sessionTimeoutMs: number;
  readonly auth: {
    readonly user: string;
    readonly password: string;
  } | undefined;
}

// ========== @holdfast/zk/network ==========

// NetworkClientOptions, as in 

function openSessions(options: NetworkClientOptions, clock: Clock): OpenSession;

// ========== @holdfast/zk/port ==========

// Acl, as in @holdfast/zk

// Answered, as in @holdfast/zk

// Content, as in @holdfast/zk

// CreateMode, as in @holdfast/zk

// CreateOptions, as in @holdfast/zk

// Created, as in @holdfast/zk

// Listing, as in @holdfast/zk

// NodeStat, as in @holdfast/zk

// OpenSession, as in @holdfast/zk

// Opening, as in @holdfast/zk

// Permission, as in @holdfast/zk

// ReplyCode, as in @holdfast/zk

// SessionCloseOptions, as in @holdfast/zk

// SessionDoubt, as in @holdfast/zk

// SessionReplyError, as in @holdfast/zk

// SessionState, as in @holdfast/zk

// SessionUnavailable, as in @holdfast/zk

// WatchedStat, as in @holdfast/zk

// ZooKeeperSession, as in @holdfast/zk
