// Every public name of this package, as the compiler emits it. Generated: npm run api

// ========== @holdfast/redis ==========

interface Acknowledgement {
  readonly replicas: number;
  readonly byMs: number;
  isNeeded?(reply: Reply): boolean;
}

interface CallOptions {
  readonly deadlineMs: number;
  readonly undo?: Undo;
  readonly acknowledged?: Acknowledgement;
}

interface ChannelEvent {
  readonly kind: 'message' | 'gap';
  readonly text?: string | undefined;
}

interface ClusterView {
  sharesSlot(keys: readonly string[]): boolean;
  masters(options: {
    readonly deadlineMs: number;
  }): Promise<readonly RedisNode[]>;
  check(options: {
    readonly deadlineMs: number;
  }): Promise<void>;
}

interface ErrorContext {
  readonly backend: string;
  readonly key: string;
  readonly node?: string;
}

const FOREIGN_REASONS: {
  readonly noExpiry: 'holds a value that never expires; a lock always does';
  readonly notAnOwner: 'holds a value that is not a lock of this library';
  readonly notAToken: 'has a fence that is not a fencing token';
  readonly notALock: 'holds something that is not a lock';
};

type Failure = Extract<Attempt, {
  readonly kind: 'unknown' | 'unavailable' | 'refused';
}>;

interface HostPort {
  readonly host: string;
  readonly port: number;
}

interface IoredisClient extends Emitter {
  readonly status: string;
  readonly options: object;
  call(...args: string[]): Promise<unknown>;
  duplicate(override?: object): IoredisClient;
  connect(): Promise<unknown>;
  disconnect(reconnect?: boolean): void;
}

interface IoredisCluster {
  readonly isCluster: true;
  readonly options: object;
}

const JITTER_MS = 50;

interface Lifetime {
  readonly from: Instant;
  readonly ms: number;
}

type NatMap = Readonly<Record<string, HostPort>> | ((address: string) => HostPort | null | undefined);

interface NodeCheck {
  readonly backend: string;
  readonly own?: OwnNode | undefined;
}

interface NodeDescription {
  readonly product: 'redis' | 'valkey' | 'unknown';
  readonly version: string | undefined;
  readonly role: 'master' | 'replica' | 'unknown';
  readonly mode: 'standalone' | 'cluster' | 'sentinel' | 'unknown';
  readonly runId: string | undefined;
  readonly evictionPolicy: string | undefined;
}

class NodeDoubt extends Error {
  readonly name = "NodeDoubt";
  readonly undo: 'ordered' | 'unordered' | 'none';
  readonly undone: Promise<boolean>;
  constructor(message: string, undo: 'ordered' | 'unordered' | 'none', undone: Promise<boolean>, cause?: unknown);
}

class NodeNotAcknowledged extends Error {
  readonly name = "NodeNotAcknowledged";
  readonly acknowledgedBy: number | undefined;
  constructor(message: string, acknowledgedBy: number | undefined, cause?: unknown);
}

interface NodeRedisClient extends Emitter {
  readonly isOpen: boolean;
  readonly isReady: boolean;
  readonly options: object | undefined;
  sendCommand(args: readonly string[], options?: object): Promise<unknown>;
  duplicate(overrides?: object): NodeRedisClient;
  connect(): Promise<unknown>;
  destroy(): void;
  ref(): void;
  unref(): void;
  subscribe(channel: string, listener: (message: string, channel: string) => void): Promise<unknown>;
  unsubscribe(channel: string, listener: (message: string, channel: string) => void): Promise<unknown>;
  sSubscribe(channel: string, listener: (message: string, channel: string) => void): Promise<unknown>;
  sUnsubscribe(channel: string, listener: (message: string, channel: string) => void): Promise<unknown>;
}

interface NodeRedisCluster {
  readonly masters: readonly object[];
  duplicate(overrides?: object): unknown;
}

interface NodeRedisSentinel {
  duplicate(overrides?: object): object;
  getMasterNode(): unknown;
  getSentinelNode(): unknown;
}

class NodeReplyError extends Error {
  readonly name = "NodeReplyError";
  readonly code: string;
  constructor(code: string, message: string, cause?: unknown);
}

class NodeUnavailable extends Error {
  readonly name = "NodeUnavailable";
  constructor(message: string, cause?: unknown);
}

interface OpenRedisNodeOptions extends SentinelOptions {
  readonly runtime: Runtime;
  readonly library?: RedisLibrary | undefined;
  readonly tls?: object | undefined;
  readonly connectMs?: number | undefined;
  readonly silenceMs?: number | undefined;
  readonly expects?: 'standalone' | 'any' | undefined;
}

interface OpenedNode {
  readonly node: RedisNode;
  readonly ownsNode: boolean;
  readonly namespace: string;
  readonly evicts?: string | false;
  readonly lateCheck?: LateCheck | undefined;
}

interface PendingRelease {
  release(): Promise<Release>;
  leftMs(): number;
  readonly pauseMsMax?: number;
}

class PendingReleases {
  constructor(runtime: Runtime);
  add(pending: PendingRelease): void;
  track(work: Promise<unknown>): void;
  onClose(run: () => void): () => void;
  get isClosed(): boolean;
  close(): Promise<void>;
}

const REPLY_TABLE: readonly ReplyRow[];

interface RecipeParts {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly evicts?: string | false | undefined;
  readonly lateCheck?: LateCheck | undefined;
  readonly runtime: Runtime;
  readonly nodes: readonly RedisNode[];
  readonly ownsNodes: boolean;
  readonly pendingReleases?: PendingReleases;
  readonly marks?: Marks;
  heldKeys?(): AsyncIterable<readonly string[]>;
  contend(request: ContendRequest & {
    readonly ttlMs: number;
  }): Contender;
  contendAll?(request: ContendAllRequest & {
    readonly ttlMs: number;
  }): Contender | undefined;
  adopt?(request: AdoptRequest & {
    readonly ttlMs: number;
  }): Contender;
  inspect(key: string): Promise<Inspection>;
  forceRelease(key: string): Promise<Release>;
  health(): Promise<Health>;
}

class RedisBackend implements Backend {
  readonly name: string;
  readonly capabilities: Capabilities;
  readonly evicts: string | false | undefined;
  readonly marks?: Marks;
  readonly heldKeys?: () => AsyncIterable<readonly string[]>;
  readonly contendAll?: (request: ContendAllRequest) => Contender | undefined;
  readonly adopt?: (request: AdoptRequest) => Contender;
  constructor(parts: RecipeParts);
  contend({ key, contender, mode, ttlMs }: ContendRequest): Contender;
  inspect(key: string): Promise<Inspection>;
  forceRelease(key: string): Promise<Release>;
  health(): Promise<Health>;
  close(options?: CloseOptions): Promise<void>;
}

type RedisClient = IoredisClient | NodeRedisClient | NodeRedisSentinel;

type RedisClusterClient = IoredisCluster | NodeRedisCluster;

type RedisLibrary = 'resp' | 'ioredis' | 'iovalkey' | 'redis';

interface RedisNode {
  readonly address: string;
  readonly connections?: number | undefined;
  readonly cluster?: ClusterView | undefined;
  command(args: readonly string[], options: CallOptions): Promise<Reply>;
  script(script: Script, keys: readonly string[], args: readonly string[], options: CallOptions): Promise<Reply>;
  subscribe(channel: string, listener: (event: ChannelEvent) => void): Promise<Subscription>;
  close(): Promise<void>;
}

type RedisSource = string | RedisClient | RedisClusterClient | {
  readonly client: RedisClient | RedisClusterClient;
  readonly shareClient: boolean;
};

type Reply = string | number | null | readonly Reply[];

type ReplyMeaning = 'not-applied' | 'unavailable' | 'refused' | 'unknown';

type ReplyRow = Row<'refused', LockErrorCode> | Row<Exclude<ReplyMeaning, 'refused'>, string>;

interface Rights {
  readonly scripted?: readonly ScriptedCommand[];
  readonly optional?: {
    readonly command: ScriptedCommand;
    readonly without: string;
  };
  readonly plain?: readonly (readonly [command: string, ...args: string[]])[];
}

const SAFETY_POLL_MS = 2000;

interface Script {
  readonly name: string;
  readonly source: string;
  readonly onCluster?: {
    readonly source: string;
    readonly keys?: number;
  };
}

type ScriptedCommand = keyof typeof HARMLESS;

interface SentinelOptions {
  readonly sentinelUsername?: string | undefined;
  readonly sentinelPassword?: string | undefined;
  readonly sentinelTls?: boolean | object | undefined;
  readonly natMap?: NatMap | undefined;
}

interface SingleNodeOptions extends SentinelOptions {
  readonly source?: RedisSource | undefined;
  readonly node?: RedisNode | undefined;
  readonly namespace?: string | undefined;
  readonly library?: RedisLibrary | undefined;
  readonly tls?: object | undefined;
}

interface StoredLocks {
  readonly host: Host;
  readonly namespace: string;
  readonly suffix: string;
}

interface Subscription {
  close(): void;
}

interface Undo {
  readonly args: readonly string[];
  readonly keepUntilMs: number;
  readonly script?: Script | undefined;
  wanted?(): boolean;
}

class UnexpectedReply extends Error {
  readonly name = "UnexpectedReply";
  constructor(request: string, reply: Reply);
}

class UnresolvedAttempts {
  constructor(runtime: Runtime, pendingReleases: PendingReleases, ttlMs: number);
  get isEmpty(): boolean;
  add(release: () => Promise<Release>, from: Instant, cause: unknown, ttlMs?: number): void;
  settle(): Promise<Withdrawal>;
}

class WakeUp {
  constructor(nodes: readonly RedisNode[], channel: string, options: WakeUpOptions);
  restart(): boolean;
  changed(signal: AbortSignal): Promise<void>;
  close(): void;
}

interface WakeUpOptions {
  readonly blocking: number;
  readonly onRefused: (node: RedisNode, cause: unknown) => void;
}

function addressOfSource(source: RedisSource): Promise<string>;

function checkNode(node: RedisNode, host: Host, check: NodeCheck): Promise<NodeDescription | undefined>;

function checkReplicas(node: RedisNode, host: Host, backend: string, replicas: number): Promise<void>;

function classifyReply(error: ErrorReply): ReplyMeaning;

function closeWithin(runtime: Runtime, { timeoutMs }: CloseOptions, end: () => Promise<void>): Promise<void>;

function describeNode(node: RedisNode, options: {
  readonly deadlineMs: number;
}): Promise<NodeDescription>;

function evictionOf(description: NodeDescription | undefined, address: string): string | false;

function expectReply<R extends Reply>(request: string, reply: Reply, isExpected: (reply: Reply) => reply is R): R;

function failureOf(cause: unknown, context: ErrorContext): Failure;

function foreignKeyError(why: string, context: ErrorContext, cause?: unknown): LockError;

function healthOf(node: RedisNode, { runtime }: Host): Promise<NodeHealth>;

function isDoubt(cause: unknown): boolean;

function isInteger(reply: Reply | undefined): reply is number;

function isOverwritten(cause: unknown): boolean;

function isRemainingMs(reply: Reply): reply is number;

function isValue(reply: Reply | undefined): reply is string | null;

function isZeroOrOne(reply: Reply): reply is 0 | 1;

function keyPrefix(namespace: string, key: string): string;

function leftMs({ from, ms }: Lifetime, runtime: Runtime): number;

function lifetimeOf(from: Instant, ttlMs: number): Lifetime;

function messageOf(cause: unknown): string;

function openRedisNode(source: RedisSource, options: OpenRedisNodeOptions): Promise<RedisNode>;

function openSingleNode(options: SingleNodeOptions, { backend, rights, clusters, more }: OpeningOptions, host: Host): Promise<OpenedNode>;

function operatorCallOptions({ runtime }: Host): CallOptions;

function operatorError(cause: unknown, context: ErrorContext): LockError;

function outcomeOf(cause: unknown): string;

function redisMarks(node: RedisNode, namespace: string, backend: string): Marks;

function requireMaster(description: NodeDescription, address: string, kind?: ServerKind): void;

function resolveAddress(address: string): Promise<readonly string[]>;

function sha1Hex(text: string): string;

function singleNodeHealth(node: RedisNode, host: Host): Promise<Health>;

function storedKeyPages(node: RedisNode, { host, namespace, suffix }: StoredLocks): AsyncGenerator<readonly string[]>;

function undoBy(script: Script, keys: readonly string[], owner: string, lifetime: Lifetime): Undo;

// ----- without a name of its own in @holdfast/redis -----

interface Emitter {
  on(event: string, listener: (...args: unknown[]) => void): unknown;
  off(event: string, listener: (...args: unknown[]) => void): unknown;
}

type ErrorReply = string | {
  readonly message: string;
};

const HARMLESS: {
  readonly get: 'KEYS[1]';
  readonly set: "KEYS[1], '', 'XX', 'PX', '1'";
  readonly del: 'KEYS[1]';
  readonly pttl: 'KEYS[1]';
  readonly pexpire: "KEYS[1], '1'";
  readonly time: '';
  readonly publish: "KEYS[1], ''";
  readonly zadd: "KEYS[1], 'XX', '0', ''";
  readonly zrem: "KEYS[1], ''";
  readonly zrange: "KEYS[1], '0', '0'";
  readonly zrank: "KEYS[1], ''";
  readonly zscore: "KEYS[1], ''";
  readonly zcard: 'KEYS[1]';
};

class LateCheck {
  constructor(options: LateCheckOptions);
  get hasPassed(): boolean;
  guard(contender: Contender, ttlMs: number): Contender;
  get runtime(): Runtime;
  start(): void;
  close(): void;
  fault(deadlineMs: number): Promise<Failure | undefined>;
}

interface LateCheckOptions extends NodeCheck {
  readonly node: RedisNode;
  readonly host: Host;
  readonly more?: ((node: RedisNode) => Promise<void>) | undefined;
}

interface OpeningOptions {
  readonly backend: string;
  readonly rights: Rights;
  readonly clusters?: boolean;
  readonly more?: ((node: RedisNode) => Promise<void>) | undefined;
}

interface OwnNode {
  readonly source: RedisSource;
  readonly options?: SentinelUrlOptions | undefined;
  readonly rights: Rights;
  readonly namespace: string;
}

interface Row<Meaning extends ReplyMeaning, Code extends string> {
  readonly code: Code;
  readonly text?: string;
  readonly meaning: Meaning;
  readonly because: string;
}

interface SentinelUrlOptions extends SentinelOptions {
  readonly library?: RedisLibrary | undefined;
  readonly tls?: object | undefined;
}

type ServerKind = 'standalone' | 'cluster';

// ========== @holdfast/redis/port ==========

// Acknowledgement, as in @holdfast/redis

// CallOptions, as in @holdfast/redis

// ChannelEvent, as in @holdfast/redis

// ClusterView, as in @holdfast/redis

// NodeDoubt, as in @holdfast/redis

// NodeNotAcknowledged, as in @holdfast/redis

// NodeReplyError, as in @holdfast/redis

// NodeUnavailable, as in @holdfast/redis

// RedisNode, as in @holdfast/redis

// Reply, as in @holdfast/redis

// Script, as in @holdfast/redis

// Subscription, as in @holdfast/redis

// Undo, as in @holdfast/redis

// sha1Hex, as in @holdfast/redis

// ========== @holdfast/redis/links ==========

class ClusterNode implements RedisNode {
  readonly address: string;
  readonly cluster: ClusterView;
  constructor(options: ClusterNodeOptions);
  command(args: readonly string[], options: CallOptions): Promise<Reply>;
  script(script: Script, keys: readonly string[], args: readonly string[], options: CallOptions): Promise<Reply>;
  subscribe(channel: string, listener: WakeUpListener): Promise<Subscription>;
  close(): Promise<void>;
}

interface ClusterNodeOptions {
  readonly runtime: Runtime;
  readonly open: (address: string) => MemberNode;
  readonly seeds: readonly string[];
  readonly natMap: NatMap | undefined;
  readonly connectMs: number;
}

interface Dialer {
  readonly address: string;
  dial(purpose: LinkPurpose, events: LinkEvents): Link;
  onNotification?(run: () => void): void;
  close?(): void;
}

interface Link {
  readonly server?: string | undefined;
  send(message: OutgoingCommand): void;
  subscribe(channel: string, isSharded: boolean): Promise<void>;
  unsubscribe(channel: string, isSharded: boolean): void;
  keepAlive(alive: boolean): void;
  close(): void;
}

interface LinkEvents {
  ready(): void;
  closed(cause: Error): void;
  published(channel: string, text?: string): void;
  unsubscribed(channel: string): void;
}

type LinkPurpose = 'commands' | 'acknowledged' | 'wake-ups';

interface MemberNode extends RedisNode {
  command(args: readonly string[], options: RoutedCall): ReturnType<RedisNode['command']>;
  script(script: Script, keys: readonly string[], args: readonly string[], options: RoutedCall): ReturnType<RedisNode['script']>;
  subscribe(channel: string, listener: WakeUpListener, isSharded?: boolean): Promise<Subscription>;
}

class Node implements MemberNode {
  readonly address: string;
  constructor(options: NodeOptions);
  get connections(): number;
  command(args: readonly string[], options: RoutedCall): Promise<Reply>;
  script(script: Script, keys: readonly string[], args: readonly string[], options: RoutedCall): Promise<Reply>;
  subscribe(channel: string, listener: WakeUpListener, isSharded?: boolean): Promise<Subscription>;
  close(): Promise<void>;
}

interface NodeOptions {
  readonly runtime: Runtime;
  readonly dialer: Dialer;
  readonly connectMs: number;
  readonly silenceMs: number;
  readonly provesWaits?: boolean | undefined;
  readonly unfit?: ((hello: Reply) => Error | undefined) | undefined;
}

interface OutgoingCommand {
  readonly args: readonly string[];
  readonly isUndo: boolean;
  readonly asking?: boolean | undefined;
  markSent(): boolean;
  readonly isSent: boolean;
  answered(reply: Reply): void;
  refused(text: string): void;
  notSent(cause: Error): void;
}

interface RoutedCall extends CallOptions {
  readonly asking?: boolean;
  readonly undo?: RoutedUndo;
}

const SLOTS = 16384;

class SentinelDialer implements Dialer {
  readonly address: string;
  constructor(options: SentinelDialerOptions);
  dial(purpose: LinkPurpose, events: LinkEvents): Link;
  onNotification(run: () => void): void;
  close(): void;
}

interface SentinelDialerOptions {
  readonly runtime: Runtime;
  readonly address: string;
  readonly name: string;
  readonly sentinels: readonly Dialer[];
  dialMaster(at: HostPort): Dialer;
  readonly connectMs: number;
}

function digestOf(script: Script): string;

function slotOf(key: string): number;

// ----- without a name of its own in @holdfast/redis/links -----

interface RoutedUndo extends Undo {
  readonly asking?: boolean;
  refused?(error: NodeReplyError): Promise<boolean> | undefined;
}

type WakeUpListener = (event: ChannelEvent) => void;
