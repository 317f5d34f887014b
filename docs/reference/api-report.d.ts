// Every public name of every package, as the compiler emits it. Generated: npm run api

// ========== @holdfast/conformance ==========

interface BackendUnderTest {
  readonly capabilities: Capabilities;
  open(host: Host): Promise<Backend>;
  runtimeOf?(process: string): Runtime;
  readonly ttlMs?: number | undefined;
  readonly slackMs?: number | undefined;
  readonly renewalCalls?: number | undefined;
  readonly faults?: Faults | undefined;
  readonly flaws?: Readonly<Record<string, string>> | undefined;
  play?(run: () => Promise<void>): Promise<void>;
  close?(): Promise<void>;
}

class Breach extends Error {
  readonly name = "Breach";
}

const CHECKS: readonly Check[];

interface Check {
  readonly name: string;
  needs?(subject: BackendUnderTest): string | undefined;
  run(stage: Stage): Promise<void>;
}

interface Faults {
  stop?(): Promise<void>;
  resume?(): Promise<void>;
  loseReplies?(process: string): Promise<void>;
  restoreReplies?(process: string): Promise<void>;
  holdBack?(process: string): Promise<void>;
  letThrough?(process: string): Promise<void>;
  holdBackFew?(process: string): Promise<void>;
  restartEmpty?(): Promise<void>;
  restartFewEmpty?(): Promise<void>;
  putForeign?(key: string): Promise<() => Promise<boolean>>;
  outlive?(process: string): Promise<void>;
}

interface Outcome {
  readonly check: string;
  readonly kind: 'kept' | 'broken' | 'skipped' | 'flawed';
  readonly reason?: string | undefined;
  readonly cause?: unknown;
}

class Stage {
  readonly subject: BackendUnderTest;
  readonly faults: Faults;
  readonly shortMs: number;
  readonly renewalCalls: number;
  readonly longMs: number;
  readonly slackMs: number;
  constructor(subject: BackendUnderTest);
  actor(name: string): Promise<Actor>;
  actors(a: string, b: string): Promise<readonly [Actor, Actor]>;
  actors(a: string, b: string, c: string): Promise<readonly [Actor, Actor, Actor]>;
  key(): string;
  outlive(actor: Actor): Promise<void>;
  sleep(ms: number): Promise<void>;
  within<T>(ms: number, what: string, promise: Promise<T>): Promise<T>;
  close(): Promise<void>;
}

function checkBackend(make: () => BackendUnderTest | Promise<BackendUnderTest>): Promise<Outcome[]>;

function runCheck(check: Check, subject: BackendUnderTest): Promise<Outcome>;

// ----- without a name of its own in @holdfast/conformance -----

class Actor {
  readonly name: string;
  readonly backend: Backend;
  readonly runtime: Runtime;
  constructor(name: string, backend: Backend, runtime: Runtime, capabilities: Capabilities);
  contend(key: string, ttlMs: number, mode?: HoldMode): Contender;
  contendAll(keys: readonly string[], ttlMs: number): Contender | undefined;
  exportOf(grant: Grant): string;
  adopter(key: string, exported: string, ttlMs: number, mode?: HoldMode): Contender;
  adopt(key: string, exported: string, ttlMs: number, mode?: HoldMode): Promise<DefiniteAttempt>;
  definiteAttempt(contender: Contender): Promise<DefiniteAttempt>;
  tryAcquire(key: string, ttlMs: number, mode?: HoldMode): Promise<DefiniteAttempt>;
  mustAcquire(key: string, ttlMs: number, why: string, mode?: HoldMode): Promise<Grant>;
  mustFindBusy(key: string, ttlMs: number, why: string, mode?: HoldMode): Promise<void>;
  mustWait(contender: Contender, why: string): Promise<void>;
  waitForGrant(contender: Contender): Promise<Grant>;
  acquire(key: string, ttlMs: number): Promise<Grant>;
  renew(grant: Grant, ttlMs: number): Promise<Renewal>;
  release(grant: Grant): Promise<Release>;
  sleep(ms: number): Promise<void>;
  inMs(ms: number): number;
}

type DefiniteAttempt = Extract<Attempt, {
  readonly kind: 'granted' | 'busy' | 'refused';
}>;

// ========== @holdfast/conformance/vitest ==========

function describeBackend(name: string, make: () => BackendUnderTest | Promise<BackendUnderTest>): void;

// ========== @holdfast/core ==========

interface AcquireOptions extends HoldOptions {
  readonly waitMs?: number | undefined;
}

class BackendUnavailableError extends LockError {
  readonly name = "BackendUnavailableError";
  readonly code: 'BACKEND_UNAVAILABLE';
  constructor(message: string, details?: LockErrorDetails);
}

type Body<T, Token> = (lease: Lease<Token>) => T | Promise<T>;

interface Capabilities {
  readonly lease: 'per-call-ttl' | 'session';
  readonly timeAuthority: 'server' | 'client' | 'leader' | 'process';
  readonly consistency: 'cp' | 'ap' | 'none';
  readonly fencing: 'strict' | 'best-effort' | 'none';
  readonly queue: 'fifo' | 'none';
  readonly wakeUp: 'push' | 'poll';
  readonly modes?: readonly ('shared' | 'permits')[] | undefined;
  readonly exclusiveSince?: string | undefined;
  readonly survives?: readonly string[] | undefined;
}

class CapabilityError extends LockError {
  readonly name = "CapabilityError";
  readonly code: 'CAPABILITY';
  constructor(message: string, details?: LockErrorDetails);
}

interface CloseOptions {
  readonly timeoutMs?: number | undefined;
}

interface CloseReport {
  readonly stillHeld: readonly StillHeld[];
}

class ConcurrentReentryError extends LockError {
  readonly name = "ConcurrentReentryError";
  readonly code: 'CONCURRENT_REENTRY';
  constructor(details: LockErrorDetails & {
    readonly key: string;
  });
}

class ConfigError extends LockError {
  readonly name = "ConfigError";
  readonly code: 'CONFIG';
  constructor(message: string, details?: LockErrorDetails);
}

interface ElectOptions {
  readonly ttlMs?: number | undefined;
  readonly maxHoldMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Health {
  readonly ok: boolean;
  readonly nodes: readonly NodeHealth[];
}

interface HoldOptions {
  readonly ttlMs?: number | undefined;
  readonly renew?: boolean | undefined;
  readonly maxHoldMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface HostOptions {
  readonly runtime?: Runtime | undefined;
  readonly label?: string | undefined;
  readonly on?: {
    readonly [T in LockEventType]?: LockListener<T> | undefined;
  } | undefined;
}

interface Inspection {
  readonly key: string;
  readonly held: boolean;
  readonly owner?: string | undefined;
  readonly holder?: string | undefined;
  readonly remainingMs?: number | undefined;
  readonly fencingToken?: bigint | undefined;
  readonly fencingEpoch?: number | undefined;
  readonly waiters?: number | undefined;
}

interface Instant {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

class InvalidKeyError extends LockError {
  readonly name = "InvalidKeyError";
  readonly code: 'INVALID_KEY';
  constructor(message: string, details?: LockErrorDetails);
}

class InvalidOptionError extends LockError {
  readonly name = "InvalidOptionError";
  readonly code: 'INVALID_OPTION';
  constructor(message: string, details?: LockErrorDetails);
}

const LOCK_EVENT_TYPES: readonly LockEventType[];

interface Lease<Token = bigint | undefined> extends AsyncDisposable {
  readonly key: string;
  readonly owner: string;
  readonly fencingToken: Token;
  readonly state: 'held' | 'lost' | 'released';
  readonly signal: AbortSignal;
  remainingMs(this: void): number;
  assertHeld(this: void): void;
  extend(this: void, ttlMs: number): Promise<void>;
  export(this: void): Promise<string>;
  release(this: void): Promise<Release>;
}

interface Lock<Token = bigint | undefined> {
  readonly key: string;
  acquire(options?: AcquireOptions): Promise<Lease<Token>>;
  tryAcquire(options?: HoldOptions): Promise<Lease<Token> | null>;
  use<T>(body: Body<T, Token>, options?: AcquireOptions): Promise<T>;
  tryUse<T>(body: Body<T, Token>, options?: TryUseOptions): Promise<TryUse<T>>;
}

class LockError extends Error {
  readonly name: string;
  readonly code: LockErrorCode;
  readonly key: string | undefined;
  readonly backend: string | undefined;
  constructor(code: LockErrorCode, message: string, details?: LockErrorDetails);
}

type LockErrorCode = 'LOCK_TIMEOUT' | 'LOCK_LOST' | 'OUTCOME_UNKNOWN' | 'BACKEND_UNAVAILABLE' | 'CAPABILITY' | 'CONFIG' | 'INVALID_KEY' | 'INVALID_OPTION' | 'CONCURRENT_REENTRY' | 'CLOSED' | 'CLOSING' | 'NO_TOKEN' | 'FENCING_EPOCH' | 'STALE_TOKEN' | 'OTHER_MODE' | 'WRITE_UNKNOWN' | RefusalCode;

interface LockErrorDetails {
  readonly key?: string | undefined;
  readonly backend?: string | undefined;
  readonly cause?: unknown;
}

type LockErrorOf<C extends LockErrorCode> = C extends keyof ErrorsByCode ? ErrorsByCode[C] : LockError & {
  readonly code: C;
};

type LockEvent = (ContenderEvent & {
  readonly type: 'contended';
  readonly waitedMs: number;
  readonly holderRemainingMs?: number | undefined;
}) | (ContenderEvent & {
  readonly type: 'acquired';
  readonly waitedMs: number;
  readonly attempts: number;
  readonly leaseMs: number;
  readonly fencingToken?: bigint | undefined;
}) | (ContenderEvent & {
  readonly type: 'renewed';
  readonly tookMs: number;
  readonly remainingMs: number;
}) | (ContenderEvent & {
  readonly type: 'lost';
  readonly reason: LossReason;
  readonly heldMs: number;
}) | (ContenderEvent & {
  readonly type: 'released';
  readonly outcome: Release['kind'];
  readonly heldMs: number;
  readonly tookMs: number;
})
 | (ContenderEvent & {
  readonly type: 'exported';
  readonly heldMs: number;
})
 | (ContenderEvent & {
  readonly type: 'leaked';
  readonly heldMs: number;
})
 | (ContenderEvent & {
  readonly type: 'orphan';
  readonly reason: 'aborted' | 'late' | 'closed';
  readonly outcome: Release['kind'];
}) | {
  readonly type: 'forced';
  readonly key: string;
  readonly backend: string;
  readonly outcome: Release['kind'];
} | {
  readonly type: 'warning';
  readonly backend: string;
  readonly code: string;
  readonly message: string;
  readonly key?: string | undefined;
  readonly cause?: unknown;
}
 | {
  readonly type: 'node';
  readonly backend: string;
  readonly node: string;
  readonly outcome: string;
  readonly key?: string | undefined;
  readonly tookMs?: number | undefined;
  readonly cause?: unknown;
};

type LockEventOf<T extends LockEventType> = Extract<LockEvent, {
  readonly type: T;
}>;

type LockEventType = LockEvent['type'];

type LockListener<T extends LockEventType> = (event: LockEventOf<T>) => unknown;

class LockLostError extends LockError {
  readonly name = "LockLostError";
  readonly code: 'LOCK_LOST';
  readonly result?: unknown;
  constructor(message: string, details?: LockErrorDetails & {
    result?: unknown;
  });
}

class LockTimeoutError extends LockError {
  readonly name = "LockTimeoutError";
  readonly code: 'LOCK_TIMEOUT';
  readonly holderRemainingMs: number | undefined;
  constructor(message: string, details?: LockErrorDetails & {
    holderRemainingMs?: number | undefined;
  });
}

interface Locks<Token = bigint | undefined> extends AsyncDisposable {
  readonly backend: string;
  readonly capabilities: Capabilities;
  for(keys: readonly string[], options?: AcquireOptions): MultiLock<Token>;
  for(key: string, options?: AcquireOptions): Lock<Token>;
  read(key: string, options?: AcquireOptions): Lock<Token>;
  write(key: string, options?: AcquireOptions): Lock<Token>;
  semaphore(key: string, permits: number, options?: AcquireOptions): Semaphore;
  reenter(lease: Lease<Token>): Lease<Token>;
  downgrade(lease: Lease<Token>): Promise<Lease<Token>>;
  acquire(keys: readonly string[], options?: AcquireOptions): Promise<MultiLease<Token>>;
  acquire(key: string, options?: AcquireOptions): Promise<Lease<Token>>;
  tryAcquire(keys: readonly string[], options?: HoldOptions): Promise<MultiLease<Token> | null>;
  tryAcquire(key: string, options?: HoldOptions): Promise<Lease<Token> | null>;
  use<T>(keys: readonly string[], body: MultiBody<T, Token>, options?: AcquireOptions): Promise<T>;
  use<T>(key: string, body: Body<T, Token>, options?: AcquireOptions): Promise<T>;
  tryUse<T>(keys: readonly string[], body: MultiBody<T, Token>, options?: TryUseOptions): Promise<TryUse<T>>;
  tryUse<T>(key: string, body: Body<T, Token>, options?: TryUseOptions): Promise<TryUse<T>>;
  elect(key: string, body: Body<unknown, Token>, options?: ElectOptions): Promise<void>;
  adopt(exported: string, options?: AcquireOptions): Promise<Lease<Token>>;
  on<T extends LockEventType>(type: T, listener: LockListener<T>): () => void;
  inspect(key: string): Promise<Inspection>;
  forceRelease(key: string): Promise<Release>;
  health(): Promise<Health>;
  close(options?: CloseOptions): Promise<CloseReport>;
}

interface LocksOptions<R extends readonly Requirement[] = readonly Requirement[]> {
  readonly require?: R | undefined;
  readonly ttlMs?: number | undefined;
  readonly waitMs?: number | undefined;
  readonly renew?: boolean | undefined;
  readonly maxHoldMs?: number | undefined;
}

type LossReason =
'deadline'
 | 'renewal'
 | 'pushed'
 | 'max-hold'
 | 'closed'
 | 'leaked';

type MultiBody<T, Token> = (lease: MultiLease<Token>) => T | Promise<T>;

interface MultiLease<Token = bigint | undefined> extends AsyncDisposable {
  readonly keys: readonly string[];
  readonly fencingTokens: ReadonlyMap<string, Token>;
  readonly state: 'held' | 'lost' | 'released';
  readonly signal: AbortSignal;
  remainingMs(this: void): number;
  assertHeld(this: void): void;
  extend(this: void, ttlMs: number): Promise<void>;
  release(this: void): Promise<Release>;
}

interface MultiLock<Token = bigint | undefined> {
  readonly keys: readonly string[];
  acquire(options?: AcquireOptions): Promise<MultiLease<Token>>;
  tryAcquire(options?: HoldOptions): Promise<MultiLease<Token> | null>;
  use<T>(body: MultiBody<T, Token>, options?: AcquireOptions): Promise<T>;
  tryUse<T>(body: MultiBody<T, Token>, options?: TryUseOptions): Promise<TryUse<T>>;
}

type NamedRequirement = 'fencing' | 'strict-fencing' | 'per-call-ttl' | 'fifo' | 'cp' | 'no-eviction' | 'shared' | 'permits';

interface NodeHealth {
  readonly node: string;
  readonly ok: boolean;
  readonly roundTripMs?: number | undefined;
  readonly detail?: string | undefined;
}

class OutcomeUnknownError extends LockError {
  readonly name = "OutcomeUnknownError";
  readonly code: 'OUTCOME_UNKNOWN';
  readonly untilMs: number | undefined;
  constructor(message: string, details?: LockErrorDetails & {
    untilMs?: number | undefined;
  });
}

type Release = {
  readonly kind: 'released';
} | {
  readonly kind: 'not-held';
} | {
  readonly kind: 'unknown';
  readonly cause: unknown;
};

type Requirement = NamedRequirement | SurvivalRequirement;

interface Runtime {
  now(): Instant;
  elapsedMs(since: Instant): number;
  timer(ms: number, run: () => void, options?: {
    readonly awaited: boolean;
  }): () => void;
  randomId(): string;
  random(): number;
  onCollected(target: object, run: () => void): () => void;
}

interface Semaphore {
  readonly key: string;
  readonly permits: number;
  take(count: number): Lock<undefined>;
  acquire(count?: number, options?: AcquireOptions): Promise<Lease<undefined>>;
  tryAcquire(count?: number, options?: HoldOptions): Promise<Lease<undefined> | null>;
  use<T>(body: Body<T, undefined>, options?: AcquireOptions): Promise<T>;
  tryUse<T>(body: Body<T, undefined>, options?: TryUseOptions): Promise<TryUse<T>>;
}

interface StillHeld {
  readonly key: string;
  readonly contender: string;
  readonly remainingMs: number;
}

interface SurvivalRequirement {
  readonly survives: string;
}

type TokenOf<R extends readonly Requirement[]> = R extends readonly [
  infer Head,
  ...infer Rest extends readonly Requirement[]
] ? [Head] extends ['fencing' | 'strict-fencing'] ? bigint : TokenOf<Rest> : bigint | undefined;

type TryUse<T> = {
  readonly ran: false;
} | {
  readonly ran: true;
  readonly value: T;
};

interface TryUseOptions extends HoldOptions {
  readonly keepMs?: number | undefined;
}

function isLockError(error: unknown): error is LockError;
function isLockError<const C extends LockErrorCode>(error: unknown, code: C): error is LockErrorOf<C>;

// ----- without a name of its own in @holdfast/core -----

interface ContenderEvent {
  readonly key: string;
  readonly backend: string;
  readonly contender: string;
}

interface ErrorsByCode {
  readonly LOCK_TIMEOUT: LockTimeoutError;
  readonly LOCK_LOST: LockLostError;
  readonly OUTCOME_UNKNOWN: OutcomeUnknownError;
  readonly BACKEND_UNAVAILABLE: BackendUnavailableError;
  readonly CAPABILITY: CapabilityError;
  readonly CONFIG: ConfigError;
  readonly INVALID_KEY: InvalidKeyError;
  readonly INVALID_OPTION: InvalidOptionError;
  readonly CONCURRENT_REENTRY: ConcurrentReentryError;
}

type RefusalCode = 'FOREIGN_KEY' | 'QUEUE_FULL' | 'SEQUENCE_END' | 'NO_AUTH' | 'OLD_SERVER' | 'NOPERM' | 'NOAUTH' | 'WRONGPASS' | 'DENIED' | 'MOVED' | 'ASK' | 'CROSSSLOT' | 'WRONGTYPE' | 'ERR';

// ========== @holdfast/core/backend ==========

interface AdoptRequest extends ContendRequest {
  readonly exported: string;
}

type Attempt = {
  readonly kind: 'granted';
  readonly grant: Grant;
} | {
  readonly kind: 'busy';
  readonly key?: string | undefined;
  readonly holderRemainingMs?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly notBeforeMs?: number | undefined;
} | {
  readonly kind: 'unknown';
  readonly cause: unknown;
} | {
  readonly kind: 'unavailable';
  readonly cause: unknown;
} | {
  readonly kind: 'refused';
  readonly error: LockError;
};

interface Backend {
  readonly name: string;
  readonly capabilities: Capabilities;
  contend(request: ContendRequest): Contender;
  contendAll?(request: ContendAllRequest): Contender | undefined;
  adopt?(request: AdoptRequest): Contender;
  inspect?(key: string): Promise<Inspection>;
  forceRelease?(key: string): Promise<Release>;
  health?(): Promise<Health>;
  heldKeys?(): AsyncIterable<readonly string[]>;
  readonly evicts?: string | false | undefined;
  readonly marks?: Marks | undefined;
  close(options?: BackendCloseOptions): Promise<void>;
}

interface BackendCloseOptions extends CloseOptions {
  readonly leavesHolds?: boolean | undefined;
}

interface CallObserver {
  acquired?(this: void, holds: readonly ObservedHold[]): void;
  failed?(this: void, error: unknown): void;
  run?<T>(this: void, body: () => T): T;
}

// Capabilities, as in @holdfast/core

// CloseOptions, as in @holdfast/core

// CloseReport, as in @holdfast/core

interface ContendAllRequest {
  readonly keys: readonly string[];
  readonly contender: string;
  readonly ttlMs?: number;
}

interface ContendRequest {
  readonly key: string;
  readonly contender: string;
  readonly ttlMs?: number;
  readonly mode?: HoldMode | undefined;
}

interface Contender {
  attempt(deadlineMs: number): Promise<Attempt>;
  changed?(signal: AbortSignal): Promise<void>;
  withdraw(): Promise<Withdrawal>;
}

interface ContextStorage {
  getStore(): unknown;
  run<T>(value: unknown, body: () => T): T;
}

interface EpochBackend {
  readonly backend: Backend;
  readonly checkEpoch: () => Promise<void>;
}

const FENCING_EPOCH_MAX = 1023;

type FaultId = string;

interface Grant {
  readonly owner: string;
  readonly fencingToken?: bigint | undefined;
  readonly leaseMs: number;
  readonly validity: Validity;
  readonly parts?: ReadonlyMap<string, Grant> | undefined;
  renew?(ttlMs: number): Promise<Renewal>;
  release(): Promise<Release>;
  export?(): string;
  onLost?(listener: () => void): () => void;
}

// Health, as in @holdfast/core

type HistoryEvent =
(HoldEvent & {
  readonly type: 'acquire';
})
 | (HoldEvent & {
  readonly type: 'granted';
  readonly validUntilMs: number;
  readonly token?: string | undefined;
  readonly repliedMs?: number | undefined;
  readonly mode?: HoldMode | undefined;
})
 | (HoldEvent & {
  readonly type: 'denied';
  readonly reason: string;
})
 | (HoldEvent & {
  readonly type: 'doubt';
  readonly reason: string;
})
 | (HoldEvent & {
  readonly type: 'renewed';
  readonly validUntilMs: number;
  readonly askedMs?: number | undefined;
})
 | (HoldEvent & {
  readonly type: 'lost';
  readonly reason: string;
})
 | (HoldEvent & {
  readonly type: 'release';
}) | (HoldEvent & {
  readonly type: 'released';
  readonly outcome: 'released' | 'not-held' | 'unknown';
})
 | (HoldEvent & {
  readonly type: 'enter';
}) | (HoldEvent & {
  readonly type: 'exit';
})
 | (HoldEvent & {
  readonly type: 'write';
  readonly resource: string;
  readonly accepted: boolean;
  readonly fenced: boolean;
  readonly token?: string | undefined;
  readonly value?: number | undefined;
  readonly readValue?: number | undefined;
})
 | (ClientEvent & {
  readonly type: 'paused';
  readonly untilMs: number;
}) | (ClientEvent & {
  readonly type: 'crashed';
});

type HoldMode = {
  readonly kind: 'shared';
} | {
  readonly kind: 'exclusive';
} | {
  readonly kind: 'permits';
  readonly permits: number;
  readonly of: number;
};

interface Host {
  readonly runtime: Runtime;
  readonly label: string;
  emit(event: LockEvent): void;
  hears?(type: LockEventType): boolean;
}

// HostOptions, as in @holdfast/core

// Inspection, as in @holdfast/core

// Instant, as in @holdfast/core

interface ListenableHost extends Host {
  on<T extends LockEventType>(type: T, listener: LockListener<T>): () => void;
  readonly observe?: ObserveCall | undefined;
  readonly reentry?: Reentry | undefined;
}

interface LockCall {
  readonly method: LockingMethod;
  readonly backend: string;
  readonly keys: readonly string[];
  observe(this: void, observer: CallObserver): void;
}

type LockingMethod = 'acquire' | 'tryAcquire' | 'use' | 'tryUse' | 'adopt' | 'elect';

const MARKERS: {
  readonly shared: '-shared:1:readers';
  readonly permits: '-permits:1:holders of permits';
};

interface Marks {
  read(name: string, deadlineMs: number): Promise<string | undefined>;
  write(name: string, value: string, deadlineMs: number): Promise<string>;
}

interface MemoryLink {
  call<T>(label: string, effect: () => T): T | Promise<T>;
  deliver(label: string, run: () => void): void;
}

interface MemoryOptions {
  readonly store?: MemoryStore | undefined;
  readonly link?: MemoryLink | undefined;
}

class MemoryStore {
  constructor(nowMs: () => number);
  acquire(key: string, owner: string, ttlMs: number): AcquireReply;
  adopt(key: string, exported: string, owner: string, ttlMs: number): AcquireReply | undefined;
  request(key: string, owner: string, ttlMs: number, mode: HoldMode, placeMs: number): ModeReply;
  downgrade(key: string, exported: string, owner: string, ttlMs: number): ModeReply | undefined;
  leave(key: string, contender: string): void;
  renew(key: string, owner: string, ttlMs: number): boolean;
  release(key: string, owner: string): boolean;
  force(key: string): boolean;
  inspect(key: string): {
    owner: string;
    token: bigint;
    remainingMs: number;
    waiters: number;
  } | undefined;
  heldKeys(): readonly string[];
  readMark(name: string): string | undefined;
  writeMark(name: string, value: string): string;
  subscribe(name: string, listener: () => void, contender?: string): () => void;
}

// NodeHealth, as in @holdfast/core

type NotAdmitted = Extract<Attempt, {
  readonly kind: 'unavailable' | 'refused';
}>;

type ObserveCall = (method: LockingMethod, backend: string, key: KeyOrKeys) => CallObserver | undefined;

interface ObservedHold {
  readonly key: string;
  readonly contender: string;
  readonly fencingToken: bigint | undefined;
}

type OpenBackend<Options> = (options: Options, host: Host) => Promise<Backend>;

interface Owner {
  readonly contender: string;
  readonly n: number;
  readonly label: string;
}

type PropertyId = 'server-state' | 'validity' | 'belief' | 'resource' | 'fifo' | 'ownership' | 'answers';

const REQUIREMENTS: readonly NamedRequirement[];

interface Reentry {
  readonly storage: ContextStorage;
  readonly reenters: boolean;
}

// Release, as in @holdfast/core

type Renewal = {
  readonly kind: 'renewed';
  readonly validity: Validity;
} | {
  readonly kind: 'lost';
} | {
  readonly kind: 'unknown';
  readonly cause: unknown;
};

// Runtime, as in @holdfast/core

class SharedCheck {
  run(deadlineMs: number, check: () => Promise<void>): Promise<void>;
}

// StillHeld, as in @holdfast/core

class StoreRecord {
  constructor(marks: Marks, backend: string);
  epoch(deadlineMs: number): Promise<number | undefined>;
  claim(epoch: number, deadlineMs: number): Promise<number>;
  raise(epoch: number, deadlineMs: number): Promise<number>;
  isFlipped(epoch: number, deadlineMs: number): Promise<boolean>;
  flip(epoch: number, deadlineMs: number): Promise<void>;
  identity(candidate: string, deadlineMs: number): Promise<string>;
}

const TTL_MS_DEFAULT = 30000;

const TTL_MS_MAX = 86400000;

const TTL_MS_MIN = 100;

interface Validity {
  readonly from: Instant;
  readonly ms: number;
}

interface Verdict {
  readonly property: PropertyId;
  readonly kind: 'ok' | 'violated' | 'unknown';
  readonly message: string;
  readonly proof: readonly HistoryEvent[];
}

type Withdrawal = {
  readonly kind: 'clean';
} | {
  readonly kind: 'unknown';
  readonly untilMs: number;
};

function admission(work: Promise<void>): Promise<NotAdmitted | undefined>;

function adoptionError(where: KeyOnBackend): LockLostError;

function bound<T extends object, K extends keyof T>(object: T, name: K): T[K] | undefined;

function callDeadlineMs(ttlMs: number | undefined): number;

function checkKey(key: unknown, backend: string): asserts key is string;

function checkNamespace(namespace: unknown, backend: string): asserts namespace is string;

function checkTtl(ttlMs: number, key: string, backend: string): void;

function cleanLabel(label: string): string;

function createHost(options?: HostOptions): ListenableHost;

function createLocks<const R extends readonly Requirement[] = readonly []>(backend: Backend, host: ListenableHost, options?: LocksOptions<R>): Locks<TokenOf<R>>;

function didYouMean(word: string, known: readonly string[]): string;

function driftMs(ttlMs: number): number;

function epochToken(epoch: number, own: bigint, details: LockErrorDetails): bigint;

function nearest(word: string, known: readonly string[]): string | undefined;

function openMemory(options: MemoryOptions, host: Host): Promise<Backend>;

function otherModeError(where: {
  readonly key: string;
  readonly backend: string;
}, holds: 'shared' | 'permits'): LockError;

function ownerValue(owner: Owner): string;

function parseOwner(value: string): Owner | undefined;

function placeMs(ttlMs: number): number;

function placedBusy(holderRemainingMs: number, ttlMs: number): Attempt;

function redactText(text: string): string;

function redactUrl(input: string): string;

function remainingMs(validity: Validity, runtime: Runtime): number;

function renewAfterMs(validForMs: number, ttlMs: number): number;

function shown(value: unknown): string;

function systemRuntime(): Runtime;

function validityMs(ttlMs: number): number;

function warnIfPermitsDiffer(host: Host, { key, backend }: {
  readonly key: string;
  readonly backend: string;
}, mode: HoldMode | undefined, smallestOf: number): boolean;

function withFencingEpoch(backend: Backend, host: Host, epoch?: number): EpochBackend;

function worstRelease(releases: readonly Release[]): Release;

// ----- without a name of its own in @holdfast/core/backend -----

type AcquireReply = {
  readonly kind: 'granted';
  readonly token: bigint;
} | {
  readonly kind: 'busy';
  readonly holderRemainingMs: number;
};

interface ClientEvent {
  readonly seq: number;
  readonly atMs: number;
  readonly client: string;
  readonly key: string;
}

interface HoldEvent extends ClientEvent {
  readonly hold: string;
}

interface KeyOnBackend {
  readonly key: string;
  readonly backend: string;
}

type KeyOrKeys = string | readonly string[];

type ModeReply = {
  readonly kind: 'granted';
  readonly token: bigint | undefined;
  readonly smallestOf: number;
} | {
  readonly kind: 'busy';
  readonly holderRemainingMs: number;
  readonly smallestOf: number;
} | {
  readonly kind: 'other-mode';
  readonly holds: 'shared' | 'permits';
};

// ========== @holdfast/core/queue ==========

type PlaceInQueue =
{
  readonly kind: 'first';
  readonly lastReader?: number;
  readonly smallestOf?: number;
}
 | {
  readonly kind: 'behind';
  readonly index: number;
}
 | {
  readonly kind: 'short';
  readonly smallestOf: number;
};

class QueueModes {
  constructor(modes: readonly QueuedMode[]);
  get holders(): number;
  placeOf(index: number): PlaceInQueue;
  otherAhead(wanted: HoldMode['kind'], index: number): 'shared' | 'permits' | undefined;
}

type QueuedMode = Exclude<HoldMode, {
  readonly kind: 'exclusive';
}> | undefined;

function nameInMode(name: string, mode: HoldMode | undefined): string;

function parseNameInMode(name: string): {
  readonly contender: string;
  readonly mode: QueuedMode;
};

// ========== @holdfast/etcd ==========

interface Answered {
  readonly header: Header;
  readonly sentAt: Instant;
}

interface Comparison {
  readonly key: string;
  readonly target: 'create' | 'mod';
  readonly revision: bigint;
}

interface EtcdClient {
  readonly address: string;
  grant(lease: LeaseRequest, deadlineMs: number): Promise<Granted>;
  revoke(id: bigint, deadlineMs: number): Promise<Answered>;
  keepAlive(id: bigint, deadlineMs: number): Promise<KeptAlive>;
  range(read: ReadOp, deadlineMs: number): Promise<RangeReply>;
  txn(txn: Txn, deadlineMs: number): Promise<TxnReply>;
  watch(key: string, fromRevision: bigint, listener: WatchListener): () => void;
  status(deadlineMs: number): Promise<readonly ServerStatus[]>;
  close(): void;
}

class EtcdDoubt extends Error {
  readonly name = "EtcdDoubt";
  constructor(message: string, cause?: unknown);
}

interface EtcdOptions {
  readonly servers?: readonly string[] | undefined;
  readonly client?: EtcdClient | undefined;
  readonly auth?: {
    readonly user: string;
    readonly password: string;
  } | undefined;
  readonly tls?: object | undefined;
  readonly namespace?: string | undefined;
}

class EtcdReplyError extends Error {
  readonly name = "EtcdReplyError";
  readonly code: ReplyCode;
  constructor(code: ReplyCode, message: string, cause?: unknown);
}

class EtcdUnavailable extends Error {
  readonly name = "EtcdUnavailable";
  constructor(message: string, cause?: unknown);
}

interface Granted extends Answered {
  readonly ttlSeconds: number;
}

interface Guard {
  readonly key: string;
  readonly createRevision: bigint;
}

interface Header {
  readonly memberId: bigint;
  readonly revision: bigint;
  readonly raftTerm: bigint;
}

interface KeptAlive extends Answered {
  readonly ttlSeconds: number;
}

interface LeaseRequest {
  readonly id: bigint;
  readonly ttlSeconds: number;
}

type Op = ReadOp | {
  readonly kind: 'put';
  readonly key: string;
  readonly value: string;
  readonly lease?: bigint | undefined;
} | {
  readonly kind: 'delete';
  readonly key: string;
};

interface RangeReply extends Answered {
  readonly keys: readonly StoredKey[];
  readonly count: bigint;
}

interface ReadOp {
  readonly kind: 'read';
  readonly key: string;
  readonly end?: string | undefined;
  readonly maxCreateRevision?: bigint | undefined;
  readonly latestFirst?: boolean | undefined;
  readonly earliestFirst?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly keysOnly?: boolean | undefined;
}

type ReplyCode = 'LEASE_NOT_FOUND' | 'LEASE_EXISTS' | 'PERMISSION_DENIED' | 'AUTH_FAILED' | 'OTHER';

interface ServerStatus {
  readonly node: string;
  readonly version: string | undefined;
  readonly hasLeader: boolean;
  readonly roundTripMs: number;
  readonly cause?: unknown;
}

interface StoredKey {
  readonly key: string;
  readonly value: string;
  readonly createRevision: bigint;
  readonly modRevision: bigint;
  readonly lease: bigint;
}

interface Txn {
  readonly compare: readonly Comparison[];
  readonly success: readonly Op[];
  readonly failure: readonly Op[];
}

interface TxnReply extends Answered {
  readonly succeeded: boolean;
  readonly reads: readonly (readonly StoredKey[])[];
}

interface WatchListener {
  created(): void;
  deleted(): void;
  ended(cause: unknown): void;
}

const capabilities: Capabilities & {
  readonly fencing: 'strict';
};

function guard(lease: Pick<Lease, 'key' | 'owner' | 'fencingToken'>, { namespace }?: {
  readonly namespace?: string | undefined;
}): Guard;

function openEtcd(options: EtcdOptions, host: Host): Promise<Backend>;

// ========== @holdfast/etcd/port ==========

// Answered, as in @holdfast/etcd

// Comparison, as in @holdfast/etcd

// EtcdClient, as in @holdfast/etcd

// EtcdDoubt, as in @holdfast/etcd

// EtcdReplyError, as in @holdfast/etcd

// EtcdUnavailable, as in @holdfast/etcd

// Granted, as in @holdfast/etcd

// Header, as in @holdfast/etcd

// KeptAlive, as in @holdfast/etcd

// LeaseRequest, as in @holdfast/etcd

// Op, as in @holdfast/etcd

// RangeReply, as in @holdfast/etcd

// ReadOp, as in @holdfast/etcd

// ReplyCode, as in @holdfast/etcd

// ServerStatus, as in @holdfast/etcd

// StoredKey, as in @holdfast/etcd

// Txn, as in @holdfast/etcd

// TxnReply, as in @holdfast/etcd

// WatchListener, as in @holdfast/etcd

// ========== @holdfast/guard ==========

interface BlindWrite {
  readonly table: string;
  readonly where: Readonly<Record<string, string>>;
  readonly set: Readonly<Record<string, string>>;
  readonly fence?: string | undefined;
}

interface BuilderOptions<Dialect extends SqlDialectName> {
  readonly dialect: Dialect;
  readonly table?: string | undefined;
}

interface DrizzleDatabase<Tx> {
  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
}

interface DrizzleTransaction<Query> {
  execute(query: Query): PromiseLike<unknown>;
}

type ExpressMiddleware<Request> = (request: Request, response: HttpResponse, next: (error?: unknown) => void) => Promise<void>;

type FastifyHook<Request> = (request: Request, reply: FastifyReply) => Promise<unknown>;

interface FastifyReply {
  code(status: number): unknown;
  send(body: unknown): unknown;
}

interface FencedLease {
  readonly key: string;
  readonly fencingToken: bigint | undefined;
}

interface FencedLeases {
  readonly fencingTokens: ReadonlyMap<string, bigint | undefined>;
}

interface GuardedScript {
  readonly source: string;
  readonly keys: readonly string[];
  readonly args?: readonly string[] | undefined;
}

class HttpGuard<Request extends HttpRequest = HttpRequest> {
  constructor(marks: Marks, options?: HttpGuardOptions<Request>);
  get express(): ExpressMiddleware<Request>;
  get fastify(): FastifyHook<Request>;
  leaseOf(request: Request): FencedLease | undefined;
}

interface HttpGuardOptions<Request> {
  readonly keyOf?: ((request: Request) => string) | undefined;
  readonly required?: boolean | undefined;
}

interface HttpRequest {
  readonly headers: RequestHeaders;
}

interface HttpResponse {
  writeHead(status: number, headers: Record<string, string>): unknown;
  end(body: string): unknown;
}

interface IoredisEval {
  eval(script: string, keys: number, ...args: string[]): Promise<unknown>;
  defineCommand: unknown;
}

interface KyselyDatabase<Tx> {
  transaction(): {
    execute<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  };
}

interface KyselyTransaction<Query> {
  executeQuery(query: Query): Promise<{
    readonly rows: SqlRow[];
  }>;
}

interface Marks {
  admit(lease: FencedLease): Promise<void> | void;
}

interface MemoryMarksOptions {
  readonly replicas: number;
}

interface Mysql2Options {
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE' | undefined;
  readonly table?: string | undefined;
}

interface Mysql2Pool {
  getConnection(): Promise<Mysql2PoolConnection>;
}

interface Mysql2PoolConnection extends Mysql2Transaction {
  release(): void;
  destroy(): void;
}

interface Mysql2Transaction {
  query(sql: string, params?: unknown[]): Promise<[unknown, unknown]>;
}

interface NodeRedisEval {
  eval(script: string, options: {
    keys: string[];
    arguments: string[];
  }): Promise<unknown>;
  sendCommand: unknown;
}

interface PgPool {
  connect(): Promise<PgPoolClient>;
}

interface PgPoolClient extends PgTransaction {
  release(isBroken?: boolean): void;
  on(event: 'error', listener: (error: Error) => void): unknown;
  off(event: 'error', listener: (error: Error) => void): unknown;
}

interface PgReply {
  readonly rows: readonly SqlRow[];
  readonly rowCount?: number | null;
  readonly command?: string;
}

interface PgTransaction {
  query(text: string, values?: unknown[]): Promise<PgReply>;
}

interface PostgresJs<Tx extends PostgresJsTransaction> {
  begin(options: string, body: (tx: Tx) => Promise<unknown>): Promise<unknown>;
}

interface PostgresJsTransaction {
  unsafe(text: string, values?: string[]): PromiseLike<readonly SqlRow[]>;
}

interface PostgresOptions {
  readonly isolation?: 'READ COMMITTED' | 'REPEATABLE READ' | 'SERIALIZABLE' | undefined;
  readonly table?: string | undefined;
}

interface PrismaClient<Tx> {
  $transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
}

interface PrismaTransaction {
  $queryRawUnsafe(sql: string, ...params: unknown[]): Promise<unknown>;
  $executeRawUnsafe(sql: string, ...params: unknown[]): Promise<unknown>;
}

type RedisEval = IoredisEval | NodeRedisEval;

class RedisGuard {
  constructor(client: RedisEval, { mark }?: RedisGuardOptions);
  admit(lease: FencedLease): Promise<void>;
  set(lease: FencedLease, key: string, value: string): Promise<void>;
  run(lease: FencedLease, { source, keys, args }: GuardedScript): Promise<unknown>;
}

interface RedisGuardOptions {
  readonly mark?: ((key: string) => string) | undefined;
}

type RequestHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

type RowOutcome = 'written' | 'refused' | 'no-row';

type RunSql = (statement: SqlStatement) => Promise<readonly Readonly<Record<string, unknown>>[]>;

type SqlDialectName = 'postgres' | 'mysql' | 'sqlite';

class SqlGuard<Tx> {
  constructor(client: SqlClient<Tx>, dialect: SqlDialect);
  get migration(): string;
  createTable(): Promise<void>;
  transaction<T>(lease: FencedLease | FencedLeases, body: (tx: Tx) => Promise<T>, { attempts }?: TransactionOptions): Promise<T>;
  raise(tx: Tx, lease: FencedLease | FencedLeases): Promise<void>;
  admit(lease: FencedLease | FencedLeases): Promise<void>;
}

type SqlRow = Readonly<Record<string, unknown>>;

interface SqlStatement {
  readonly sql: string;
  readonly params: readonly string[];
}

interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): {
    get(...params: string[]): unknown;
  };
  readonly isTransaction?: boolean;
  readonly inTransaction?: boolean;
}

class SqliteGuard {
  constructor(database: SqliteDatabase, { table }?: SqliteOptions);
  get migration(): string;
  createTable(): void;
  transaction<T>(lease: FencedLease | FencedLeases, body: () => T): T;
  raise(lease: FencedLease | FencedLeases): void;
  admit(lease: FencedLease | FencedLeases): void;
}

interface SqliteOptions {
  readonly table?: string | undefined;
}

interface StaleTokenDetails extends LockErrorDetails {
  readonly token: bigint;
  readonly largest?: bigint | undefined;
}

class StaleTokenError extends LockError {
  readonly name: string;
  readonly token: bigint;
  readonly largest: bigint | undefined;
  constructor(message: string, details: StaleTokenDetails);
}

interface TransactionOptions {
  readonly attempts?: number | undefined;
}

class WriteUnknownError extends LockError {
  readonly name: string;
  constructor(message: string, details: LockErrorDetails);
}

function drizzleGuard<Tx extends DrizzleTransaction<Query>, Query>(database: DrizzleDatabase<Tx>, options: BuilderOptions<'postgres' | 'mysql'> & {
  readonly sql: (text: TemplateStringsArray, ...params: unknown[]) => Query;
}): SqlGuard<Tx>;

function fenceHeaders(lease: FencedLease): Record<string, string>;

function kyselyGuard<Tx extends KyselyTransaction<Query>, Query>(database: KyselyDatabase<Tx>, options: BuilderOptions<SqlDialectName> & {
  readonly raw: (sql: string, params: unknown[]) => Query;
}): SqlGuard<Tx>;

function memoryMarks({ replicas }: MemoryMarksOptions): Marks;

function mysql2Guard(pool: Mysql2Pool, { isolation, table }?: Mysql2Options): SqlGuard<Mysql2Transaction>;

function pgGuard(pool: PgPool, options?: PostgresOptions): SqlGuard<PgTransaction>;

function postgresJsGuard<Tx extends PostgresJsTransaction = PostgresJsTransaction>(sql: PostgresJs<Tx>, { isolation, table }?: PostgresOptions): SqlGuard<Tx>;

function prismaGuard<Tx extends PrismaTransaction>(prisma: PrismaClient<Tx>, { dialect, table }: BuilderOptions<'postgres' | 'mysql'>): SqlGuard<Tx>;

function redisGuard(client: RedisEval, options?: RedisGuardOptions): RedisGuard;

function sqliteGuard(database: SqliteDatabase, options?: SqliteOptions): SqliteGuard;

function writeRow(run: RunSql, lease: FencedLease, write: BlindWrite): Promise<RowOutcome>;

// ----- without a name of its own in @holdfast/guard -----

interface Fence {
  readonly key: string;
  readonly token: bigint;
}

interface SqlClient<Tx> {
  transaction<T>(body: (tx: Tx) => Promise<T>): Promise<T>;
  rows(tx: Tx, statement: SqlStatement): Promise<readonly SqlRow[]>;
  readonly beforeCommit?: SqlStatement | undefined;
  readonly transactionId?: SqlStatement | undefined;
}

interface SqlDialect {
  readonly createTable: string;
  raise(fence: Fence): readonly SqlStatement[];
  largest(key: string): SqlStatement;
}

// ========== holdfast ==========

// * of @holdfast/core

type Config = MemoryConfig | RedisSimpleConfig | RedisGetsetConfig | RedlockConfig | ZkConfig | EtcdConfig | PostgresConfig | PostgresAdvisoryConfig | MovingConfig | ImportedConfig;

interface ImportedConfig extends NamedConfig, FencingOptions {
  readonly options?: Readonly<Record<string, unknown>> | undefined;
}

interface LockDefaults {
  readonly $schema?: string | undefined;
  readonly ttlMs?: number | undefined;
  readonly waitMs?: number | undefined;
  readonly renew?: boolean | undefined;
  readonly maxHoldMs?: number | undefined;
  readonly require?: readonly Requirement[] | undefined;
  readonly connect?: 'eager' | 'lazy' | undefined;
}

interface MemoryConfig extends LockDefaults, FencingOptions {
  readonly backend: 'memory';
}

interface OpenOptions<R extends readonly Requirement[] = readonly Requirement[]> extends HostOptions, StoreChoice {
  readonly require?: R | undefined;
  readonly reentrant?: 'context' | 'warn' | undefined;
}

interface PostgresConfig extends LockDefaults, FencingOptions, PostgresSourceConfig {
  readonly backend: 'postgres';
  readonly connections?: number | undefined;
  readonly schema?: string | undefined;
  readonly namespace?: string | undefined;
  readonly synchronous?: boolean | undefined;
}

interface RedisGetsetConfig extends OneRedisConfig {
  readonly backend: 'redis-getset';
  readonly checkAge?: boolean | undefined;
}

interface RedisSimpleConfig extends OneRedisConfig, FencingOptions {
  readonly backend: 'redis-simple';
  readonly waitReplicas?: number | undefined;
  readonly fair?: boolean | undefined;
  readonly layout?: 'own' | 'plain' | undefined;
}

interface RedlockConfig extends LockDefaults {
  readonly backend: 'redlock';
  readonly nodes: readonly (string | RedisClient)[];
  readonly library?: RedisLibrary | undefined;
  readonly tls?: object | undefined;
  readonly namespace?: string | undefined;
  readonly layout?: 'own' | 'plain' | undefined;
  readonly allowSmall?: boolean | undefined;
}

interface StoreChoice {
  readonly store?: string | undefined;
}

interface Stores {
  readonly $schema?: string | undefined;
  readonly stores: Readonly<Record<string, Config>>;
}

interface ZkConfig extends LockDefaults, FencingOptions {
  readonly backend: 'zk';
  readonly url: string;
  readonly client?: 'zk-client' | 'zookeeper' | undefined;
  readonly tls?: object | undefined;
  readonly namespace?: string | undefined;
  readonly locksAt?: string | undefined;
}

function loadConfig(path: string, { store }?: StoreChoice): Promise<Config>;

function openLocks<const R extends readonly Requirement[] = readonly []>(source: string | Config | Stores, options?: OpenOptions<R>): Promise<Locks<TokenOf<R>>>;

// ----- without a name of its own in holdfast -----

interface BackendModule<C extends NamedConfig> {
  readonly capabilities?: Capabilities | undefined;
  readonly deployment?: unknown;
  open(config: C, host: Host, openPart: OpenPart): Promise<Backend>;
}

interface BackendRecord<C extends NamedConfig> {
  readonly name: string;
  readonly schemes: Readonly<Record<string, Scheme>>;
  readonly schema: v.GenericSchema<C>;
  readonly fileSchema?: v.GenericSchema<C>;
  readonly omitted?: Readonly<Record<string, string>>;
  readonly parts?: readonly string[];
  check?(config: C, reject: Reject, isBuiltIn: (backend: string) => boolean): void;
  migration?(schema: string | undefined): Promise<string>;
  load(config: C): Promise<BackendModule<C>>;
}

interface EtcdConfig extends LockDefaults, FencingOptions {
  readonly backend: 'etcd';
  readonly url: string;
  readonly tls?: object | undefined;
  readonly namespace?: string | undefined;
}

interface FencingOptions {
  readonly fencingEpoch?: number | undefined;
}

type MovedConfig = Exclude<Config, MovingConfig>;

interface MovingConfig extends LockDefaults {
  readonly backend: 'moving';
  readonly from: MovedConfig;
  readonly to: MovedConfig;
}

interface NamedConfig extends LockDefaults {
  readonly backend: string;
}

interface OneRedisConfig extends NamedConfig, SentinelOptions {
  readonly url?: string | undefined;
  readonly library?: RedisLibrary | undefined;
  readonly tls?: object | undefined;
  readonly client?: RedisClient | RedisClusterClient | undefined;
  readonly shareClient?: boolean | undefined;
  readonly namespace?: string | undefined;
}

type OpenPart = (part: Config) => Promise<Backend>;

interface PostgresAdvisoryConfig extends LockDefaults, PostgresSourceConfig {
  readonly backend: 'postgres-advisory';
  readonly namespace?: string | undefined;
}

interface PostgresSourceConfig {
  readonly url?: string | undefined;
  readonly client?: Exclude<PostgresSource, string> | undefined;
  readonly library?: 'pg' | 'postgres' | undefined;
  readonly tls?: object | undefined;
}

type Reject = (message: string) => never;

interface Scheme {
  readonly shown: string;
  config(url: string, rest: string): object;
}

const etcd: BackendRecord<EtcdConfig>;

const memory: BackendRecord<MemoryConfig>;

const moving: BackendRecord<MovingConfig>;

const postgres: BackendRecord<PostgresConfig>;

const redlock: BackendRecord<RedlockConfig>;

const zk: BackendRecord<ZkConfig>;

// ========== @holdfast/moving ==========

interface MovedStore {
  readonly backend: Backend;
  readonly fencingEpoch?: number | undefined;
  readonly ttlMs?: number | undefined;
}

interface MovingOptions {
  readonly from: MovedStore;
  readonly to: MovedStore;
}

const NAME = "moving";

function capabilitiesOfBoth(a: Capabilities, b: Capabilities): Capabilities;

function openMoving({ from, to }: MovingOptions, host: Host): Promise<Backend>;

// ========== @holdfast/nestjs ==========

interface HoldfastAsyncOptions extends Visibility, Pick<ModuleMetadata, 'imports'> {
  readonly inject?: FactoryProvider['inject'];
  readonly useFactory: (...args: any[]) => HoldfastOptions | Promise<HoldfastOptions>;
}

class HoldfastHealth {
  constructor(locks: Locks);
  isHealthy(name: string, locks?: Pick<Locks, 'health'>): Promise<Readonly<Record<string, HealthResult>>>;
}

class HoldfastModule implements OnApplicationShutdown {
  constructor(opened: Opened);
  static forRoot({ token, isGlobal, ...options }: HoldfastOptions & Visibility): DynamicModule;
  static forRootAsync(options: HoldfastAsyncOptions): DynamicModule;
  onApplicationShutdown(): Promise<void>;
}

interface HoldfastOptions extends OpenOptions {
  readonly source: string | Config | Stores;
  readonly closeTimeoutMs?: number | undefined;
}

type KeyOf<Args extends Arguments> = string | ((...args: Args) => string);

function Locked<Args extends Arguments = any[]>(key: KeyOf<Args>, { token, ...options }?: AcquireOptions & From): LockedMethod<Args, unknown>;

type LockedMethod<Args extends Arguments, Result> = <M extends (...args: [...Args, ...more: never[]]) => Promise<Result>>(prototype: object, name: string | symbol, descriptor: TypedPropertyDescriptor<M>) => void;

const Locks: unique symbol;
type Locks<Token = bigint | undefined> = HoldfastLocks<Token>;

function TryLocked<Args extends Arguments = any[]>(key: KeyOf<Args>, { token, ...options }?: TryUseOptions & From): LockedMethod<Args, void>;

function currentLease(): Lease;

// ----- without a name of its own in @holdfast/nestjs -----

type Arguments = readonly any[];

interface From {
  readonly token?: InjectionToken | undefined;
}

interface HealthResult {
  readonly status: 'up' | 'down';
  readonly nodes: Health['nodes'];
}

interface Opened {
  readonly locks: Locks;
  readonly closeTimeoutMs: number | undefined;
}

interface Visibility {
  readonly token?: InjectionToken | undefined;
  readonly isGlobal?: boolean | undefined;
}

// ========== @holdfast/otel ==========

interface HoldfastTelemetryOptions {
  readonly tracerProvider?: TracerProvider | undefined;
  readonly meterProvider?: MeterProvider | undefined;
  readonly keyOf?: ((key: string) => string | undefined) | undefined;
}

function instrumentHoldfast(options?: HoldfastTelemetryOptions): () => void;

// ========== @holdfast/otel/files ==========

const ALERT_RULES: string;

function grafanaDashboard(): object;

// ========== @holdfast/postgres ==========

type Argument = string | number;

interface CallOptions {
  readonly deadlineMs: number;
}

type ChannelEvent = {
  readonly kind: 'message';
  readonly payload: string;
} | {
  readonly kind: 'gap';
};

interface CheckedLease {
  readonly key: string;
  readonly owner: string;
  readonly fencingToken?: bigint | undefined;
}

interface CreateSchemaOptions {
  readonly source: PostgresSource;
  readonly schema?: string | undefined;
  readonly library?: PostgresLibrary | undefined;
  readonly tls?: object | undefined;
}

class DatabaseDoubt extends Error {
  readonly name = "DatabaseDoubt";
  constructor(message: string, cause?: unknown);
}

class DatabaseReplyError extends Error {
  readonly name = "DatabaseReplyError";
  readonly code: string;
  constructor(code: string, message: string);
}

interface DatabaseSession {
  run(statement: Statement, args: readonly Argument[], options: CallOptions): Promise<Reply>;
  onEnd(listener: () => void): void;
  close(): void;
}

class DatabaseUnavailable extends Error {
  readonly name = "DatabaseUnavailable";
  constructor(message: string, cause?: unknown);
}

interface PgTransaction {
  query(text: string, values: string[]): Promise<{
    readonly rows: readonly Readonly<Record<string, unknown>>[];
  }>;
}

class PooledSession extends Error {
  readonly name = "PooledSession";
}

interface PostgresAdvisoryOptions extends Omit<SourceOptions, 'connections'> {
  readonly namespace?: string | undefined;
  readonly ttlMs?: number | undefined;
}

interface PostgresDatabase {
  readonly address: string;
  run(statement: Statement, args: readonly Argument[], options: CallOptions): Promise<Reply>;
  listen(channel: string, listener: (event: ChannelEvent) => void, options: CallOptions): Promise<Subscription>;
  openSession(options: CallOptions): Promise<DatabaseSession>;
  close(): Promise<void>;
}

interface PostgresJsTransaction {
  unsafe(text: string, values: string[]): PromiseLike<readonly Readonly<Record<string, unknown>>[]>;
}

interface PostgresOptions extends SourceOptions {
  readonly schema?: string | undefined;
  readonly namespace?: string | undefined;
  readonly synchronous?: boolean | undefined;
}

type PostgresSource = string | PgPool | PostgresJs;

interface Reply {
  readonly rows: readonly Row[];
  readonly sentAt: Instant;
}

type Row = Readonly<Record<string, string | null>>;

interface Statement {
  readonly name: string;
  readonly sql: string;
}

interface Subscription {
  close(): void;
}

type Transaction = PgTransaction | PostgresJsTransaction;

interface WithinOptions {
  readonly schema?: string | undefined;
  readonly namespace?: string | undefined;
}

const advisoryCapabilities: Capabilities;

const capabilities: Capabilities;

function createSchema({ source, schema, library, tls }: CreateSchemaOptions, { runtime }: Pick<Host, 'runtime'>): Promise<void>;

function migration(schema?: string): string;

function openPostgres(options: PostgresOptions, host: Host): Promise<Backend>;

function openPostgresAdvisory({ namespace, ttlMs, ...options }: PostgresAdvisoryOptions, host: Host): Promise<Backend>;

const synchronousCapabilities: Capabilities & {
  readonly fencing: 'strict';
};

function within(lease: CheckedLease, tx: Transaction, { schema, namespace }?: WithinOptions): Promise<void>;

// ----- without a name of its own in @holdfast/postgres -----

interface DatabaseOptions {
  readonly runtime: Runtime;
  readonly library?: PostgresLibrary | undefined;
  readonly tls?: object | undefined;
  readonly connections?: number | undefined;
}

interface PgClient {
  connect(): Promise<unknown>;
  query(text: string): Promise<PgResult | readonly PgResult[]>;
  on(event: string, listener: (...args: never[]) => void): unknown;
  off(event: string, listener: object): unknown;
  end(): Promise<unknown>;
  unref?(): void;
}

interface PgPool {
  connect(): Promise<PgPoolClient>;
  readonly options: object;
}

interface PgPoolClient extends Omit<PgClient, 'connect' | 'end'> {
  release(isBroken?: boolean): void;
}

interface PgResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

interface PostgresJs {
  unsafe(text: string): PostgresJsQuery;
  end(options: {
    readonly timeout: number;
  }): Promise<unknown>;
  readonly options: PostgresJsOptions;
}

interface PostgresJsOptions {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: unknown;
  readonly database: string;
  readonly user: string;
  readonly pass: unknown;
  readonly ssl?: unknown;
  readonly max: number;
  readonly connection: Readonly<Record<string, unknown>>;
  readonly target_session_attrs?: unknown;
}

interface PostgresJsQuery {
  simple(): Promise<readonly unknown[]>;
}

type PostgresLibrary = 'pg' | 'postgres';

interface SourceOptions extends Omit<DatabaseOptions, 'runtime'> {
  readonly source?: PostgresSource | undefined;
  readonly database?: PostgresDatabase | undefined;
}

// ========== @holdfast/postgres/sessions ==========

interface Call {
  readonly statement: Statement;
  readonly args: readonly Argument[];
}

class Database implements PostgresDatabase {
  readonly address: string;
  constructor({ runtime, sessions, dialer }: DatabaseParts);
  run(statement: Statement, args: readonly Argument[], { deadlineMs }: CallOptions): Promise<Reply>;
  listen(channel: string, listener: (event: ChannelEvent) => void, options: CallOptions): Promise<Subscription>;
  openSession({ deadlineMs }: CallOptions): Promise<DatabaseSession>;
  close(): Promise<void>;
}

interface DatabaseParts {
  readonly runtime: Runtime;
  readonly sessions: SessionSource;
  readonly dialer: Dialer;
}

interface Dialer {
  readonly address: string;
  dial(): Promise<Session>;
}

interface Session {
  run(text: string, call?: Call): Promise<SessionReply>;
  onNotification(listener: (channel: string, payload: string) => void): void;
  onEnd(listener: () => void): void;
  close(): void;
}

class SessionPool implements SessionSource {
  constructor(dialer: Dialer, runtime: Runtime, max: number);
  take(deadlineMs: number): Promise<Session>;
  give(session: Session, isUsable: boolean): void;
  close(): Promise<void>;
}

interface SessionReply {
  readonly rows: readonly Row[];
  readonly warning?: string | undefined;
}

interface SessionSource {
  take(deadlineMs: number): Promise<Session>;
  give(session: Session, isUsable: boolean): void;
  close(): Promise<void>;
}

// ========== @holdfast/postgres/port ==========

// Argument, as in @holdfast/postgres

// CallOptions, as in @holdfast/postgres

// ChannelEvent, as in @holdfast/postgres

// DatabaseDoubt, as in @holdfast/postgres

// DatabaseReplyError, as in @holdfast/postgres

// DatabaseSession, as in @holdfast/postgres

// DatabaseUnavailable, as in @holdfast/postgres

// PooledSession, as in @holdfast/postgres

// PostgresDatabase, as in @holdfast/postgres

// Reply, as in @holdfast/postgres

// Row, as in @holdfast/postgres

// Statement, as in @holdfast/postgres

// Subscription, as in @holdfast/postgres

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
  onNews?(run: () => void): void;
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
  onNews(run: () => void): void;
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

// ========== @holdfast/redis-getset ==========

interface RedisGetsetOptions extends SingleNodeOptions {
  readonly checkAge?: boolean | undefined;
}

const capabilities: Capabilities;

function openRedisGetset(options: RedisGetsetOptions, host: Host): Promise<Backend>;

// ========== @holdfast/redis-simple ==========

interface RedisSimpleOptions extends SingleNodeOptions {
  readonly waitReplicas?: number | undefined;
  readonly fair?: boolean | undefined;
  readonly layout?: 'own' | 'plain' | undefined;
}

const capabilities: Capabilities;

const fairCapabilities: Capabilities;

function openRedisSimple(options: RedisSimpleOptions, host: Host): Promise<Backend>;

const plainCapabilities: Capabilities & {
  readonly fencing: 'none';
};

// ========== @holdfast/redlock ==========

interface RedlockOptions {
  readonly sources?: readonly RedisSource[] | undefined;
  readonly nodes?: readonly RedisNode[] | undefined;
  readonly namespace?: string | undefined;
  readonly library?: RedisLibrary | undefined;
  readonly tls?: object | undefined;
  readonly layout?: 'own' | 'plain' | undefined;
  readonly allowSmall?: boolean | undefined;
}

const capabilities: Capabilities & {
  readonly fencing: 'none';
};

function openRedlock(options: RedlockOptions, host: Host): Promise<Backend>;

const plainCapabilities: Capabilities & {
  readonly fencing: 'none';
};

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

// ========== @holdfast/harness ==========

const COMMANDS: readonly Command[];

// ========== @holdfast/harness/check ==========

interface AttemptRecord {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: 'granted' | 'busy' | 'unknown' | 'unavailable' | 'refused' | 'threw';
  readonly isWhole: boolean;
}

interface HoldRecord {
  readonly hold: string;
  readonly quorum: number;
  readonly addresses: readonly (readonly (readonly HoldStatus[])[])[];
}

interface HoldStatus {
  readonly atMs: number;
  readonly untilMs: number;
  readonly isOwn: boolean;
  readonly isMade: boolean;
}

class Judge {
  constructor(history: readonly HistoryEvent[]);
  validity(): Verdict;
  belief(): Verdict;
  answers(records: readonly HoldRecord[], refused?: readonly RefusalRecord[]): Verdict;
  resource({ fenced }: {
    readonly fenced: boolean;
  }): Verdict;
}

interface KeyChange {
  readonly atMs: number;
  readonly client: string;
  readonly label: string;
  readonly node: string;
  readonly key: string;
  readonly how: 'deleted' | 'overwritten' | 'prolonged' | 'shortened';
  readonly of: string;
}

interface KeyFreed {
  readonly hold: string;
  readonly atMs: number;
  readonly how: 'expired' | 'deleted';
}

interface LeaseMargin {
  readonly hold: string;
  readonly client: string;
  readonly key: string;
  readonly knewMs: number;
  readonly freeMs: number;
  readonly marginMs: number;
  readonly how: KeyFreed['how'];
}

interface QueueTicket {
  readonly hold: string;
  readonly zxid: number;
}

interface RefusalRecord {
  readonly hold: string;
  readonly attempts: readonly AttemptRecord[];
  readonly withdrawn?: WithdrawalRecord;
  readonly leftMs?: number;
  readonly isAnswered?: boolean;
  readonly isQueue: boolean;
  readonly own: readonly StoredSpan[];
  readonly others: readonly StoredSpan[];
}

interface StoredSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly untilMs: number;
}

function belief(history: readonly HistoryEvent[]): Verdict;

function explain({ property, kind, message, proof }: Verdict): string;

function fifo(history: readonly HistoryEvent[], tickets: readonly QueueTicket[]): Verdict;

function judge(history: readonly HistoryEvent[]): readonly Verdict[];

function judgeAnswers(history: readonly HistoryEvent[], records: readonly HoldRecord[]): Verdict;

function judgeEarlyGrant(history: readonly HistoryEvent[], freed: readonly KeyFreed[]): Verdict;

function judgeRefusals(history: readonly HistoryEvent[], records: readonly RefusalRecord[]): Verdict;

function judgeResourceOrder(history: readonly HistoryEvent[], heldBack?: readonly string[]): {
  readonly validity: Verdict;
  readonly belief: Verdict;
};

function lateLoss(history: readonly HistoryEvent[]): Verdict;

function leaseMarginsOf(history: readonly HistoryEvent[], freed: readonly KeyFreed[]): readonly LeaseMargin[];

function median(values: readonly number[]): number | null;

function mutualExclusion(history: readonly HistoryEvent[]): Verdict;

function overlapMs(history: readonly HistoryEvent[], property: 'validity' | 'belief'): number;

function ownership(history: readonly HistoryEvent[], changes: readonly KeyChange[]): Verdict;

function percentile(values: readonly number[], share: number): number | null;

function resource(history: readonly HistoryEvent[], { fenced }: {
  readonly fenced: boolean;
}): Verdict;

// ----- without a name of its own in @holdfast/harness/check -----

interface WithdrawalRecord {
  readonly atMs: number;
  readonly kind: 'clean' | 'unknown';
}

// ========== @holdfast/harness/draw ==========

interface Actor {
  readonly id: string;
  readonly kind: 'client' | 'node' | 'resource';
  readonly clock: readonly ClockPoint[];
}

interface ClockPoint {
  readonly atMs: number;
  readonly wallMs: number;
  readonly rate?: number;
}

type Colour = 'green' | 'yellow' | 'red' | 'gray' | 'magenta' | 'blue' | 'cyan';

interface Column {
  readonly id: string;
  readonly backend: string;
  readonly client?: string;
  readonly meaning: string;
}

const FAULT_GLYPH: string;

interface Headline {
  readonly outcome: OutcomeId;
  readonly text: string;
}

interface Message {
  readonly from: string;
  readonly to: string;
  readonly label: string;
  readonly sentMs: number;
  readonly arrivedMs: number | null;
  readonly detail?: string | undefined;
}

interface MessageOnWay {
  readonly y: number;
  readonly label: string;
  readonly isLost: boolean;
}

const OUTCOMES: Readonly<Record<OutcomeId, Outcome>>;

interface Outcome {
  readonly glyph: string;
  readonly colour: Colour;
  readonly meaning: string;
}

type OutcomeId = 'holds' | 'late' | 'breaks' | 'inert' | 'n/a' | 'nothing';

const RING: {
  readonly before: string;
  readonly after: string;
  readonly colour: Colour;
};

interface Scene {
  readonly title: string;
  readonly property: PropertyId | 'liveness';
  readonly verdicts: readonly Verdict[];
  readonly complaints?: readonly string[];
  readonly history: readonly HistoryEvent[];
  readonly actors: readonly Actor[];
  readonly messages: readonly Message[];
  readonly faults: readonly SceneFault[];
  readonly serverState: readonly StoredHolder[];
  readonly unproved?: string | undefined;
  readonly remark?: {
    readonly outcome: OutcomeId;
    readonly text: string;
  } | undefined;
}

interface SceneFault {
  readonly kind: FaultId;
  readonly actors: readonly string[];
  readonly atMs: number;
  readonly untilMs?: number | undefined;
  readonly text: string;
  readonly reason?: string | undefined;
}

interface Sign extends Style {
  readonly isHollow: boolean;
}

interface Stage {
  readonly scene: Scene;
  readonly markup: string;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly lanes: readonly StageLane[];
  readonly steps: readonly Step[];
  readonly startMs: number;
  readonly endMs: number;
  x(atMs: number): number;
  msAt(x: number): number;
  messagesAt(atMs: number): readonly MessageOnWay[];
  clockAt(lane: StageLane, atMs: number): string;
  tokenAt(lane: StageLane, atMs: number): string;
}

type StageLane = Lane;

interface Step {
  readonly atMs: number;
  readonly sentence: string;
  readonly kind: TimelineEntry['kind'];
}

interface StoredHolder {
  readonly node: string;
  readonly key: string;
  readonly owner: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly end?: 'released' | 'expired' | 'taken' | 'removed' | 'data lost' | undefined;
  readonly by?: string | undefined;
}

interface Style {
  readonly glyph: string;
  readonly colour: Exclude<Colour, 'red'>;
  readonly shape: 'circle' | 'square' | 'diamond' | 'triangle' | 'star';
}

interface SvgOptions {
  readonly id?: string;
}

interface TextOptions {
  readonly ink?: TextStyle;
  readonly width?: number;
  readonly lines?: number;
}

interface TextStyle {
  colour(name: Colour, text: string): string;
  bold(text: string): string;
  dim(text: string): string;
}

interface Track {
  readonly length: number;
  msAt(position: number): number;
  positionOf(atMs: number): number;
}

function captionOf(scene: Scene): string;

function drawMultiples(title: string, scenes: readonly Scene[], { id }?: SvgOptions): string;

function drawSvg(scene: Scene, { id }?: SvgOptions): string;

function drawText(scene: Scene, { ink, width, lines }?: TextOptions): string;

function headlineOf(scene: Scene): Headline;

function isPicture(markup: string): boolean;

function mark(outcome: OutcomeId, unexpected: boolean): string;

function meaningOf(scene: Scene): string;

const plainStyle: TextStyle;

function signOfStyle(style?: Style): Sign;

function stageOf(scene: Scene, { id, width }: StageOptions): Stage;

function styleRules(): {
  readonly light: string;
  readonly dark: string;
};

function trackOf(steps: readonly Pick<Step, 'atMs'>[]): Track;

function withoutUnused(svg: string): string;

// ----- without a name of its own in @holdfast/harness/draw -----

interface Lane {
  readonly actor: Actor;
  readonly y: number;
  readonly height: number;
}

interface Moment {
  readonly atMs: number;
  readonly actor: string;
  readonly what: string;
  readonly kind: 'event' | 'fault' | 'message' | 'state';
  readonly weight: number;
}

interface StageOptions {
  readonly id: string;
  readonly width: number;
}

interface TimelineEntry extends Moment {
  readonly actors: readonly string[];
}

// ========== @holdfast/harness/exercise ==========

const COMPARE_AND_DELETE: Script;

interface Call {
  readonly lock: string;
  readonly value: string;
  readonly ttlMs: string;
  readonly mode: HoldMode | undefined;
  readonly send: (...command: readonly string[]) => Promise<Reply>;
  readonly sendAll: (...command: readonly string[]) => Promise<readonly (Reply | undefined)[]>;
  readonly wallMs: () => number;
  readonly run: (script: Script, keys: readonly string[], args: readonly string[]) => Promise<Reply>;
}

interface Recipe {
  readonly name: string;
  readonly flaw: string;
  readonly expires: boolean;
  value(id: string): string;
  readonly validity?: 'until-released' | 'from-request' | 'from-reply';
  readonly modes?: Capabilities['modes'];
  take(call: Call): Promise<boolean | bigint>;
  give(call: Call): Promise<boolean>;
}

interface RecipeOptions {
  readonly nodes: readonly RedisNode[];
}

function recipe(own: Omit<Recipe, 'name' | 'flaw'>): OpenBackend<RecipeOptions>;

// ========== @holdfast/harness/exhibits ==========

// COMPARE_AND_DELETE, as in @holdfast/harness/exercise

// Call, as in @holdfast/harness/exercise

const DEBATED: readonly Recipe[];

const EXHIBITS: readonly Recipe[];

const EXHIBIT_CAPABILITIES: Capabilities;

interface ExhibitOptions {
  readonly name: string;
  readonly source?: RedisSource | undefined;
  readonly node?: RedisNode | undefined;
  readonly library?: RedisLibrary | undefined;
  readonly namespace?: string | undefined;
  readonly pollMs?: number | undefined;
}

// Recipe, as in @holdfast/harness/exercise

// RecipeOptions, as in @holdfast/harness/exercise

function named(recipeOfLock: Recipe): OpenBackend<RecipeOptions>;

function openExhibit(options: ExhibitOptions, host: Host): Promise<Backend>;

// recipe, as in @holdfast/harness/exercise

// ========== @holdfast/harness/guards ==========

const CREATE_ORDER = "CREATE SEQUENCE write_order";

const CREATE_ROWS = "CREATE TABLE IF NOT EXISTS guarded_rows (id CHAR(1) PRIMARY KEY, n INTEGER NOT NULL, fence BIGINT NOT NULL)";

interface CheckedStore extends Pick<GuardSubject, 'name' | 'kind' | 'reset' | 'values' | 'waiting'> {
  admit?(token: bigint): Promise<boolean>;
  read(row: string): Promise<number>;
  write(row: string, value: number, token: bigint): Promise<WriteOutcome>;
}

interface GuardPlay {
  readonly lateAt: string;
  readonly nextAt: string | undefined;
  readonly isLateRefused: boolean;
  readonly verdict: Verdict;
}

interface GuardReport {
  readonly subject: string;
  readonly plays: readonly GuardPlay[];
  readonly broken: GuardPlay | undefined;
}

interface GuardSubject {
  readonly name: string;
  readonly kind: 'guard' | 'exhibit';
  reset(): Promise<void>;
  addToAll(holder: Holder, wrote: (write: RowWrite) => void): Promise<void>;
  values(): Promise<readonly number[]>;
  waiting?(this: void, signal: AbortSignal): Promise<void>;
}

interface GuardedDatabase<Tx> {
  readonly name: string;
  readonly guard: SqlGuard<Tx>;
  run(sql: string, tx?: Tx): Promise<readonly Readonly<Record<string, unknown>>[]>;
  waiting?(this: void, signal: AbortSignal): Promise<void>;
}

interface Holder {
  readonly name: string;
  readonly token: bigint;
  step(next: string): Promise<void>;
  blocked(): Promise<void>;
}

const KEY = "rows";

const NEIGHBOURS: {
  readonly late: bigint;
  readonly next: bigint;
};

const ROWS: readonly ['a', 'b'];

interface RowWrite {
  readonly row: string;
  readonly readValue: number;
  readonly outcome: WriteOutcome;
}

interface SqliteUnderTest {
  readonly name: string;
  connection(of: string): SqliteDatabase;
  values(sql: string): readonly number[];
  isBusy(error: unknown): boolean;
}

type WriteOutcome = number | 'refused';

function checkFirst<Tx>(database: GuardedDatabase<Tx>): GuardSubject;

function checkedWrites(store: CheckedStore): GuardSubject;

function drawOrder<Tx>(database: GuardedDatabase<Tx>, tx?: Tx): Promise<number>;

function isAdmitted(work: () => Promise<unknown>): Promise<boolean>;

function markThenReads<Tx>(database: GuardedDatabase<Tx>): GuardSubject;

function oneTransaction<Tx>(database: GuardedDatabase<Tx>): GuardSubject;

function playGuard(subject: GuardSubject): Promise<GuardReport>;

function readsBeforeMark<Tx>(database: GuardedDatabase<Tx>): GuardSubject;

function sqliteTransaction(store: SqliteUnderTest): GuardSubject;

function tokenPerRow<Tx>(database: GuardedDatabase<Tx>, write: CheckedStore['write']): GuardSubject;

function unlessRefused<T>(work: () => Promise<T>): Promise<T | 'refused'>;

// ========== @holdfast/harness/lab ==========

interface CellFigures {
  readonly trials: number;
  readonly effective: number;
  readonly told: string;
  readonly validity: Rate;
  readonly belief: Rate;
  readonly unfenced: Rate;
  readonly fenced: Rate | null;
  readonly updates: {
    readonly accepted: number;
    readonly lost: number;
  };
  readonly fencedUpdates: {
    readonly accepted: number;
    readonly refused: number;
    readonly lost: number;
    readonly stale: number;
  } | null;
  readonly indeterminate: Rate;
  readonly handoverMs: Spread;
  readonly unavailableMs: Spread;
  readonly outageMs?: Spread;
  readonly falseLosses?: Rate;
  readonly givenUp: number;
  readonly phases: Readonly<Record<'before' | 'during' | 'after', Phase>>;
  readonly course: {
    readonly outageMs: number;
    readonly points: readonly {
      readonly atMs: number;
      readonly tookMs: number;
    }[];
    readonly silence?: UnservedSpan | undefined;
    readonly fromMs?: number;
    readonly healedMs?: number;
    readonly untilMs?: number;
    readonly rate?: {
      readonly fromMs: number;
      readonly stepMs: number;
      readonly granted: readonly number[];
    };
  };
  readonly example?: string | undefined;
}

interface CrossCheck {
  readonly verdict: 'same' | 'explained' | 'unexplained';
  readonly cells: readonly CrossCheckCell[];
  readonly known: readonly KnownDifference[];
  readonly simulator: object;
}

interface CrossCheckCell {
  readonly fault: FaultId;
  readonly variant?: string | undefined;
  readonly column: string;
  readonly claims: readonly CrossCheckClaim[];
}

interface CrossCheckClaim {
  readonly claim: 'validity' | 'belief' | 'resource';
  readonly simulator: ViolationCount;
  readonly laboratory: ViolationCount;
  readonly onlySeenBy: 'simulator' | 'laboratory' | null;
  readonly isKnown: boolean;
}

type ExpectationOf = (place: CellLocation) => LabCell['expected'] | undefined;

interface KnownDifference {
  readonly cells: readonly string[];
  readonly onlySeenBy: 'simulator' | 'laboratory';
  readonly why: string;
  readonly replay: string;
  readonly occurred: boolean;
}

interface LabCell {
  readonly fault: FaultId;
  readonly variant?: string | undefined;
  readonly column: string;
  readonly outcome: OutcomeId;
  readonly fenced: 'holds' | 'breaks' | 'n/a';
  readonly expected: {
    readonly outcome: OutcomeId;
    readonly fenced: string;
  } | null;
  readonly unexpected: boolean;
  readonly reason?: string | undefined;
  readonly figures: CellFigures | null;
  readonly timeline?: string | undefined;
  readonly story?: SimulatedStory | undefined;
}

interface LabReport {
  readonly format: 'holdfast-lab';
  readonly version: 1;
  readonly holdfast: string;
  readonly startedAt: string;
  readonly tookMs: number;
  readonly partial: boolean;
  readonly verdict: 'as-expected' | 'unexpected' | 'proved-nothing';
  readonly by: readonly string[];
  readonly command: string;
  readonly settings: {
    readonly ttlMs: number;
    readonly trials: number;
    readonly clients: number;
    readonly servers?: readonly StartedWith[] | undefined;
  };
  readonly rows: readonly FaultId[];
  readonly columns: readonly Column[];
  readonly cells: readonly LabCell[];
  readonly dial: readonly TtlPoint[];
  readonly notes: readonly string[];
  readonly both?: CrossCheck | undefined;
}

interface LabRequest {
  readonly serverFactory: ServerFactory;
  readonly expectationOf: ExpectationOf;
  readonly simulator: Simulator;
  readonly ttlMs: number;
  readonly otherTtlsMs: readonly number[];
  readonly trials: number;
  readonly faults?: readonly string[] | undefined;
  readonly backends?: readonly string[] | undefined;
  readonly full: boolean;
  readonly external?: ExternalLock | undefined;
  readonly own?: OwnServersScope | undefined;
  readonly out: string;
  readonly makeFolder: (folder: string) => void;
  readonly holdfast: string;
  readonly command: string;
  readonly json: boolean;
  readonly print: (text: string) => void;
  readonly step: (text: string) => void;
  readonly note: (text: string) => void;
}

interface OwnServers {
  readonly backend: string;
  readonly description: string;
  readonly targets: readonly ProxyTarget[];
  readonly ttlMsMin: number;
  opening(ports: readonly number[], namespace: string, ttlMs: number): Opening;
  removeNamespace(namespace: string): Promise<void>;
}

class OwnServersDeployment implements RealCluster {
  readonly links: ClientLinks;
  private constructor();
  static open(options: ClusterOptions, servers: OwnServers): Promise<OwnServersDeployment>;
  opening(place: number): Opening;
  close(): Promise<void>;
}

interface OwnServersScope {
  readonly servers: readonly OwnServers[];
  readonly namespace: string;
}

interface Phase {
  readonly perS: number | null;
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

interface Rate {
  readonly hits: number;
  readonly of: number;
  readonly interval: Interval;
}

interface SimulatedStory {
  readonly name: string;
  readonly ofAnother: boolean;
  readonly drawing: string;
}

interface Simulator {
  readonly storyForCell: (place: CellLocation) => Promise<SimulatedStory | undefined>;
  readonly verdicts?: Verdicts | undefined;
}

interface Spread {
  readonly samples: number;
  readonly unended: number;
  readonly median: number | null;
  readonly p95: number | null;
  readonly max: number | null;
  readonly interval?: {
    readonly low: number | null;
    readonly high: number | null;
  } | null;
}

interface StartedWith {
  readonly server: string;
  readonly columns: readonly string[];
  readonly command: string;
  readonly config: readonly string[];
}

interface TtlPoint {
  readonly column: string;
  readonly ttlMs: number;
  readonly broken: Rate;
  readonly handoverMs: Spread;
}

interface ViolationCount {
  readonly hits: number;
  readonly of: number;
}

function cleanUpNamespace(own: OwnServersScope): Promise<string | undefined>;

function leftoverText({ namespace }: OwnServersScope, why: string): string;

function pageOf(report: LabReport): string;

function runLab(request: LabRequest): Promise<number>;

// ----- without a name of its own in @holdfast/harness/lab -----

interface CellLocation {
  readonly fault: FaultId;
  readonly variant?: string | undefined;
  readonly column: string;
}

class ClientLinks {
  private constructor();
  static open(proxies: Proxies, places: number, targets: readonly (ProxyTarget | number)[]): Promise<ClientLinks>;
  portsOf(place: number): readonly number[];
  cut(place: number, servers?: readonly number[], direction?: Direction): Promise<void>;
  healPlace(place: number, { drop }?: {
    readonly drop?: boolean;
  }): Promise<void>;
  delay(delayMs: number, place?: number): Promise<void>;
  slow(servers: readonly number[], byMs: number): Promise<void>;
  silence(places: readonly number[], only: CutScope): Promise<void>;
  loseReplies(passes: number): Promise<void>;
  clog(server: number): Promise<void>;
  free(server: number): Promise<void>;
  heal({ drop }?: {
    readonly drop?: boolean;
  }): Promise<void>;
  retarget(server: number, target: number, places?: readonly number[]): Promise<void>;
  close(): Promise<void>;
}

interface ClusterOptions {
  readonly serverFactory: ServerFactory;
  readonly proxies: Proxies;
  readonly clientCount: number;
  readonly ttlMs: number;
  readonly namespace: string;
  readonly shim: string | undefined;
}

type CutScope = 'open' | 'subscribed';

type Direction = 'up' | 'down' | 'both';

class EtcdEnsemble {
  readonly servers: readonly EtcdServer[];
  private constructor();
  static start({ size, ...settings }?: EtcdEnsembleOptions, findPorts?: FindPorts): Promise<EtcdEnsemble>;
  get addresses(): readonly string[];
  get url(): string;
  leader(): Promise<EtcdServer | undefined>;
  close(): Promise<void>;
}

interface EtcdEnsembleOptions extends EtcdSettings {
  readonly size?: number | undefined;
}

interface EtcdMember extends EtcdSettings {
  readonly name: string;
  readonly port: number;
  readonly peerPort: number;
  readonly healthPort: number;
  readonly cluster: string;
}

class EtcdServer {
  readonly port: number;
  readonly name: string;
  readonly started: StartCommand;
  constructor(member: EtcdMember);
  static start(settings?: EtcdSettings, findPorts?: FindPorts): Promise<EtcdServer>;
  get address(): string;
  get url(): string;
  get pid(): number | undefined;
  restart(): Promise<void>;
  restartEmpty(): Promise<void>;
  stop(): void;
  resume(): void;
  kill(): void;
  close(): Promise<void>;
}

interface EtcdSettings {
  readonly heartbeatMs?: number | undefined;
  readonly electionMs?: number | undefined;
  readonly args?: readonly string[] | undefined;
  readonly tls?: EtcdTls | undefined;
}

interface EtcdTls {
  readonly cert: string;
  readonly key: string;
}

interface ExternalLock {
  readonly command: string;
  readonly on: string;
}

type FindPorts = (count: number) => Promise<readonly number[]>;

interface Interval {
  readonly low: number;
  readonly high: number;
}

interface LogEnd {
  readonly file: string;
  readonly offset: number;
}

interface Opener {
  readonly client: URL;
  open(opening: Opening, label: string): Promise<Locks | undefined>;
}

interface Opening {
  readonly backend: string;
  readonly [option: string]: unknown;
}

interface PeerRoute {
  readonly from: number;
  readonly to: number;
  readonly use: 'quorum' | 'election';
  readonly port: number;
}

class PostgresServer {
  readonly port: number;
  readonly started: StartCommand;
  constructor(port: number, options: PostgresServerOptions);
  static start(options?: PostgresServerOptions, findPorts?: FindPorts): Promise<PostgresServer>;
  get url(): string;
  sql(text: string): Promise<string>;
  configure(name: string, value?: string): Promise<void>;
  get pid(): number | undefined;
  restart(): Promise<void>;
  restartEmpty(): Promise<void>;
  logEnd(): Promise<LogEnd>;
  restartTorn({ file, offset }: LogEnd): Promise<void>;
  promote(): Promise<void>;
  stop(): void;
  resume(): void;
  kill(): void;
  end(): Promise<void>;
  close(): Promise<void>;
}

interface PostgresServerOptions {
  readonly config?: Readonly<Record<string, string | number>> | undefined;
  readonly password?: string | undefined;
  readonly standbyOf?: number | undefined;
  readonly schema?: string | undefined;
  readonly through?: readonly string[] | undefined;
}

class Proxies {
  constructor(gone: () => void);
  open(target: ProxyTarget | number): Promise<ProxyPort>;
  execute(command: ProxyCommand): Promise<number>;
  close(): void;
}

type ProxyCommand = {
  readonly kind: 'open';
  readonly target: ProxyTarget;
} | {
  readonly kind: 'cut';
  readonly port: number;
  readonly direction: Direction;
  readonly only?: CutScope | undefined;
} | {
  readonly kind: 'lose-replies';
  readonly port: number;
  readonly passes: number;
} | {
  readonly kind: 'delay';
  readonly port: number;
  readonly delayMs: number;
} | {
  readonly kind: 'heal';
  readonly port: number;
  readonly drop: boolean;
} | {
  readonly kind: 'retarget';
  readonly port: number;
  readonly target: ProxyTarget;
} | {
  readonly kind: 'close';
  readonly port: number;
};

class ProxyPort {
  readonly port: number;
  constructor(port: number, proxies: Proxies);
  cut(direction?: Direction, only?: CutScope): Promise<void>;
  loseReplies(passes: number): Promise<void>;
  delay(delayMs: number): Promise<void>;
  heal({ drop }?: {
    readonly drop?: boolean;
  }): Promise<void>;
  retarget(target: number): Promise<void>;
  close(): Promise<void>;
}

interface ProxyTarget {
  readonly host: string;
  readonly port: number;
}

interface RealCluster {
  opening(place: number): Opening;
  readonly links?: ClientLinks;
  members?(which: ServerTarget): Promise<readonly RealMember[]>;
  advanceSequence?(): Promise<void>;
  stopReplication?(): Promise<void>;
  failover?(): Promise<void>;
  splitBrain?(stay: readonly number[]): Promise<void>;
  cutPeers?(whose: 'all' | 'holder', way?: 'out'): Promise<void>;
  healPeers?(): Promise<void>;
  close(): Promise<void>;
}

interface RealMember {
  stop(): void;
  resume(): void;
  crash(): Promise<void>;
  restart(data: RestartData): Promise<void>;
  keepLog(): Promise<void>;
  jumpWall(ms: number): Promise<void>;
}

class RedisServer {
  readonly port: number;
  readonly started: StartCommand;
  readonly folder: string;
  private constructor();
  static start(options?: RedisServerOptions, findPorts?: FindPorts): Promise<RedisServer>;
  get url(): string;
  get pid(): number | undefined;
  restart(): Promise<void>;
  stop(): void;
  resume(): void;
  kill(): void;
  end(): Promise<void>;
  close(): Promise<void>;
}

interface RedisServerOptions {
  readonly args?: readonly string[];
  readonly durable?: boolean;
  readonly through?: readonly string[];
}

type RestartData = 'empty' | 'durable' | 'torn';

interface ServerFactory extends Opener {
  folder(prefix: string): string;
  remove(folder: string): void;
  process(parts: ServerProcessParts): ServerProcess;
  onFreePorts<T>(count: number, start: (ports: readonly number[]) => Promise<T>): Promise<T>;
  readonly redis: {
    readonly binary: string;
    readonly version: string;
    start(options: RedisServerOptions): Promise<RedisServer>;
  } | undefined;
  readonly zookeeper: {
    readonly version: string;
    javaVersion(): string | undefined;
    start(options: ZooKeeperEnsembleOptions): Promise<ZooKeeperEnsemble>;
  } | undefined;
  readonly etcd: {
    readonly version: string;
    start(options: EtcdEnsembleOptions): Promise<EtcdEnsemble>;
  } | undefined;
  readonly postgres: {
    readonly version: string;
    start(options: PostgresServerOptions): Promise<PostgresServer>;
  } | undefined;
}

class ServerProcess {
  constructor(parts: ServerProcessParts);
  get pid(): number | undefined;
  restart(): Promise<void>;
  stop(): void;
  resume(): void;
  kill(): void;
  end(): Promise<void>;
  close(): Promise<void>;
}

interface ServerProcessParts extends StartCommand {
  readonly name: string;
  readonly folder: string;
  isReady(output: string): Promise<boolean> | boolean;
}

type ServerTarget = 'all' | 'leader' | 'follower'
 | 'majority'
 | 'affected' | readonly number[];

interface StartCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly config?: string | undefined;
}

interface UnservedSpan {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly ended: boolean;
}

interface Verdicts {
  play(): Promise<void>;
  crossCheck(cells: readonly LabCell[]): CrossCheck;
}

class ZooKeeperEnsemble {
  readonly servers: readonly ZooKeeperServer[];
  private constructor();
  static start(options?: ZooKeeperEnsembleOptions, findPorts?: FindPorts): Promise<ZooKeeperEnsemble>;
  get addresses(): readonly string[];
  get url(): string;
  leader(): Promise<ZooKeeperServer | undefined>;
  close(): Promise<void>;
}

interface ZooKeeperEnsembleOptions extends ZooKeeperSettings {
  readonly size?: number | undefined;
  readonly through?: readonly string[] | undefined;
  readonly syncLimit?: number | undefined;
  readonly peersThrough?: ((link: PeerRoute) => number | Promise<number>) | undefined;
}

type ZooKeeperMode = 'standalone' | 'leader' | 'follower';

class ZooKeeperServer {
  readonly port: number;
  readonly started: StartCommand;
  constructor(port: number, options: ZooKeeperServerOptions);
  static start(options?: ZooKeeperServerOptions, findPorts?: FindPorts): Promise<ZooKeeperServer>;
  get address(): string;
  get url(): string;
  get pid(): number | undefined;
  mode(): Promise<ZooKeeperMode | undefined>;
  restart(): Promise<void>;
  restartEmpty(): Promise<void>;
  keep(): void;
  restartTorn(): Promise<void>;
  stop(): void;
  stopped(): Promise<void>;
  resume(): void;
  kill(): void;
  close(): Promise<void>;
}

interface ZooKeeperServerOptions extends ZooKeeperSettings {
  readonly port?: number | undefined;
  readonly id?: number | undefined;
  readonly through?: readonly string[] | undefined;
}

interface ZooKeeperSettings {
  readonly tickMs?: number | undefined;
  readonly config?: Readonly<Record<string, string | number>> | undefined;
  readonly properties?: Readonly<Record<string, string | number>> | undefined;
}

// ========== @holdfast/harness/playground ==========

const CLIENTS_MAX = 5;

const COMPARED_MAX = 5;

interface Catalogue {
  readonly locks: readonly PlayableLock[];
  readonly faults: readonly PlayableFault[];
  readonly placeable: readonly PlaceableFault[];
}

interface Choice extends LockChoice {
  readonly fault: FaultId;
  readonly clients: number;
  readonly seed: number;
}

interface Edit extends LockChoice {
  readonly schedule: Schedule;
  readonly add?: Placement;
  readonly nth?: number;
  readonly move?: {
    readonly atMs?: number;
    readonly ms?: number;
  };
}

interface FaultMark {
  readonly fault: number;
  readonly atMs: number;
  readonly lanes: readonly string[];
}

interface Film {
  readonly story: Story;
  readonly link?: string;
  readonly scene: Scene;
  readonly differences: readonly string[];
  readonly beginMs: number;
  readonly marks: readonly FaultMark[];
}

interface LockChoice {
  readonly lock: string;
  readonly code?: StoryCode | undefined;
}

const OWN_LOCK = "own";

interface PlaceableFault {
  readonly id: FaultId;
  readonly on: 'client' | 'node';
  readonly lasts: boolean;
}

interface Placement {
  readonly kind: FaultId;
  readonly lane: string;
  readonly atMs: number;
  readonly ms?: number;
}

interface PlayableFault {
  readonly id: FaultId;
  readonly meaning: string;
  readonly needsServers: boolean;
}

interface PlayableLock {
  readonly id: string;
  readonly kind: 'control' | 'lock' | 'exhibit' | 'debated';
  readonly meaning: string;
  readonly hasServers: boolean;
  readonly edits?: string;
  readonly entry?: string;
}

const REPLAY_STRING_MAX = 32768;

interface RealmPort {
  addEventListener(type: 'message', listener: (event: {
    readonly data: unknown;
  }) => void): void;
  postMessage(message: unknown): void;
  start(): void;
}

interface RealmStart extends Required<LockChoice> {
  readonly code: StoryCode;
  readonly sources: PackageSources;
}

type RequestName = keyof Requests;

interface Requests {
  catalogue: {
    readonly request: object;
    readonly result: Catalogue;
  };
  story: {
    readonly request: {
      readonly text: string;
    };
    readonly result: Story;
  };
  read: {
    readonly request: {
      readonly text: string;
    };
    readonly result: Film;
  };
  deal: {
    readonly request: Choice;
    readonly result: Film;
  };
  seek: {
    readonly request: Choice & Seek;
    readonly result: Seeking;
  };
  edit: {
    readonly request: Edit;
    readonly result: Film;
  };
  connect: {
    readonly request: {
      readonly lock: string;
      readonly code: StoryCode;
      readonly port: RealmPort;
    };
    readonly result: object;
  };
  compare: {
    readonly request: {
      readonly story: Story;
      readonly locks: readonly string[];
    };
    readonly result: readonly Scene[];
  };
}

const SEEK_BUDGET = 20000;

interface Seek {
  readonly target?: TargetProperty;
  readonly budget?: number;
}

interface SeekProgress {
  readonly phase: 'searching' | 'shrinking';
  readonly plays: number;
  readonly budget: number;
}

interface Seeking {
  readonly film: Film | undefined;
  readonly plays: number;
}

interface Story {
  readonly v: 1;
  readonly backend: string;
  readonly fault: FaultId;
  readonly fenced: boolean;
  readonly property: StoryProperty;
  readonly schedule: Schedule;
  readonly expect: ExpectedResult;
  readonly code?: StoryCode;
}

interface StoryCode {
  readonly files: Readonly<Record<string, string>>;
}

function answer<N extends RequestName>(name: N, request: Requests[N]['request'], onProgress: (progress: SeekProgress) => void): Promise<Requests[N]['result']>;

function serveRealm({ lock, code, sources }: RealmStart, port: RealmPort): Promise<void>;

// ----- without a name of its own in @holdfast/harness/playground -----

const ACQUIRE_MODES: readonly ['body', 'leader'];

type AcquireMode = (typeof ACQUIRE_MODES)[number];

interface Aftermath {
  readonly atMs: number;
  readonly nodes: number;
  readonly how: PermanentFault;
  readonly still: string;
  readonly apartMs: number;
  readonly holdMs?: number;
}

interface ClientAction {
  readonly client: ClientId;
  readonly atMs: number;
}

type ClientId = string;

interface EnsembleSetup {
  readonly ticks: number;
  readonly syncLimit: number;
  readonly reapMs: number;
}

interface ExpectedResult {
  readonly kind: 'ok' | 'violated' | 'unknown' | 'stuck';
  readonly hash: string;
}

interface Fault {
  readonly kind: FaultId;
  readonly client?: ClientId;
  readonly nodes?: number;
  readonly when?: When;
  readonly label?: string;
  readonly way?: string;
  readonly n?: number;
  readonly stay?: string;
  readonly ms?: number;
  readonly [field: string]: string | number | When | undefined;
}

interface Op {
  readonly id: number;
  readonly client: ClientId;
  readonly atMs: number;
  readonly holdMs: number;
  readonly renews: boolean;
  readonly as?: AcquireMode;
  readonly waitMs?: number;
}

const PERMANENT_FAULTS: readonly ['down', 'stopped', 'cut', 'slow'];

type PackageSources = Readonly<Record<string, Readonly<Record<string, string>>>>;

type PermanentFault = (typeof PERMANENT_FAULTS)[number];

interface Repointing {
  readonly nodes: number;
  readonly to: string;
  readonly atMs: number;
  readonly ms: number;
}

interface Schedule {
  readonly v: 1;
  readonly ttlMs: number;
  readonly latencyMs: number;
  readonly nodes: number;
  readonly replicas: number;
  readonly lagMs: number;
  readonly replicaClockMs: number;
  readonly ensemble?: EnsembleSetup;
  readonly newcomers?: string;
  readonly attempts?: number;
  readonly ops: readonly Op[];
  readonly faults: readonly Fault[];
  readonly choices?: readonly string[];
  readonly closings?: readonly ClientAction[];
  readonly collections?: readonly ClientAction[];
  readonly repointings?: readonly Repointing[];
  readonly aftermath?: Aftermath;
}

type StoryProperty = Exclude<PropertyId, 'server-state'> | 'liveness';

interface TargetProperty {
  readonly property: StoryProperty;
  readonly fenced: boolean;
}

type When = {
  readonly atMs: number;
} | {
  readonly before: string;
  readonly n: number;
  readonly by: string;
} | {
  readonly after: string;
  readonly n: number;
  readonly by: string;
};

// ========== @holdfast/harness/real ==========

class ChildProcesses {
  fork(entry: URL, args?: readonly string[], variables?: Readonly<Record<string, string>>): ChildProcess;
  close(): void;
}

interface Client {
  readonly name: string;
  readonly clock: ShiftedClock | undefined;
  readonly failure: Promise<never>;
  run(task: Task): Promise<readonly Sample[]>;
  measure(cost: Cost & {
    readonly locks: string;
  }): Promise<readonly number[]>;
  nextReport(kind: ClientReport['kind'], key?: string): Promise<void>;
  proceed(key?: string): void;
  block(ms: number): number;
  stop(): number;
  resume(): void;
  kill(): number;
  fail(error: Error): void;
}

interface ClientKind {
  readonly shifts: boolean;
  readonly isExternal: boolean;
}

interface ClientReport {
  readonly kind: 'inside' | 'waiting' | 'granted' | 'renewed' | 'probed';
  readonly key: string;
}

class Clients {
  readonly clients: Client[];
  private constructor();
  static start(parts: ClientsParts): Promise<Clients>;
  get parts(): {
    readonly victim: Client;
    readonly others: readonly Client[];
  };
  proxyPortOf(place: number): ProxyPort;
  replace(old: Client): Client;
  replaceAll(): void;
  become(kind: ClientKind): void;
  get failure(): Promise<never>;
  entries(key: string): Promise<readonly LogEntry[]>;
  takeEntries(key: string): Promise<readonly LogEntry[]>;
  close(): void;
}

class ClocksUnreachable extends Error {
  readonly name = "ClocksUnreachable";
}

class ContentionTask {
  constructor(work: ContentionWork, context: ContentionContext);
  run(locks: Locks | undefined, signal: AbortSignal): Promise<void>;
}

interface ContentionWork {
  readonly key: string;
  readonly clients?: number;
  readonly rounds?: number;
  readonly lingers: boolean;
  readonly joinsLate?: boolean;
  readonly rechecksLease?: boolean;
  readonly restMs?: number;
  readonly thinkMs: number;
  readonly waitMs: number;
}

// CutScope, as in 

// Direction, as in 

const ETCD_HINT: string;

// EtcdEnsemble, as in 

// EtcdServer, as in 

class EventLog {
  constructor(path: string);
  add(entry: LogEntry): void;
  close(): void;
}

class ExternalClient implements Client {
  readonly name: string;
  readonly clock: ShiftedClock | undefined;
  readonly failure: Promise<never>;
  constructor(parts: ExternalClientParts);
  get ready(): Ready | undefined;
  run(task: Task): Promise<readonly Sample[]>;
  measure(): Promise<readonly number[]>;
  nextReport(kind: ClientReport['kind'], key?: string): Promise<void>;
  proceed(): void;
  block(): number;
  stop(): number;
  resume(): void;
  kill(): number;
  fail(error: Error): void;
}

interface ExternalOpening extends Opening {
  readonly command: string;
  readonly servers: readonly string[];
  readonly ttlMs: number;
}

type FromClient = {
  readonly kind: 'done';
  readonly id: number;
  readonly found: TaskResult;
} | {
  readonly kind: 'failed';
  readonly id: number;
  readonly message: string;
} | ClientReport;

// LogEnd, as in 

type LogEntry = Without<HistoryEvent, 'seq'>;

interface NamedOpening {
  readonly backend?: undefined;
  readonly source: string;
  readonly store?: string | undefined;
  readonly override: Readonly<Record<string, string | number>>;
}

// Opener, as in 

// Opening, as in 

const POSTGRES_HINT: string;

// PeerRoute, as in 

class PostgresReplication {
  private constructor();
  static start(options: ReplicationOptions): Promise<PostgresReplication>;
  get primary(): PostgresServer;
  addStandby(): Promise<void>;
  cut(): Promise<void>;
  heal(): Promise<void>;
  promote(): Promise<PostgresServer>;
  close(): Promise<void>;
}

// PostgresServer, as in 

// PostgresServerOptions, as in 

interface Probing {
  readonly probeKey: string;
  readonly probeEveryMs: number;
  readonly probeWaitMs: number;
}

// Proxies, as in 

class Proxy {
  accepted: number;
  private constructor();
  static start(target: ProxyTarget | number, tap?: Tap): Promise<Proxy>;
  get port(): number;
  get url(): string;
  get heldBytes(): number;
  cut(direction?: Direction, only?: CutScope): void;
  delay(delays: Delays): void;
  loseReplies(passes?: number): void;
  heal({ drop }?: {
    readonly drop?: boolean | undefined;
  }): void;
  retarget(target: ProxyTarget | number): void;
  reset(side?: 'client' | 'server' | 'both'): void;
  close(): Promise<void>;
}

// ProxyPort, as in 

// ProxyTarget, as in 

// RedisServer, as in 

// RedisServerOptions, as in 

class ResourceClient {
  constructor(port: number);
  request(request: Without<ToResource, 'id'>): Promise<Reading | null>;
}

interface Sample {
  readonly atMs: number;
  readonly tookMs: number;
  readonly ok: boolean;
  readonly why?: string;
  readonly released?: Release['kind'];
}

// ServerFactory, as in 

// ServerProcess, as in 

class ShiftedClock {
  readonly environment: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  constructor(library: string, folder: string, name: string);
  set(aheadMs: number): void;
  sleep(forMs: number): void;
}

// StartCommand, as in 

class Supervisor {
  private constructor();
  static get(): Supervisor;
  folder(prefix: string): string;
  remove(folder: string): void;
  watch(child: ChildProcess): void;
  watchGroup(child: ChildProcess): void;
  unwatchGroup(child: ChildProcess): void;
  start(request: StartRequest): Promise<Supervised>;
  waitFor<T>(what: Promise<T>): Promise<T>;
}

type Task = {
  readonly locks?: string;
} & ({
  readonly kind: 'open';
  readonly opening: Opening | NamedOpening;
}
 | {
  readonly kind: 'begin';
  readonly work: ContentionWork & Probing;
}
 | {
  readonly kind: 'finish';
}
 | {
  readonly kind: 'work';
  readonly work: ContentionWork;
} | Cost);

interface TaskResult {
  readonly samples?: readonly Sample[];
  readonly figures?: readonly number[];
}

type ToClient = {
  readonly kind: 'task';
  readonly id: number;
  readonly task: Task;
}
 | {
  readonly kind: 'proceed';
  readonly key?: string | undefined;
} | {
  readonly kind: 'block';
  readonly ms: number;
};

const ZOOKEEPER_HINT: string;

// ZooKeeperEnsemble, as in 

// ZooKeeperServer, as in 

function compileShim(folder: string): Promise<string | undefined>;

function createServerFactory(env: NodeJS.ProcessEnv, opener: Opener): ServerFactory;

function etcdVersion(binary: string): string;

function findEtcd(env?: NodeJS.ProcessEnv): string | undefined;

function findPostgres(env?: NodeJS.ProcessEnv): PostgresInstall | undefined;

function findRedisServer(env?: NodeJS.ProcessEnv): string | undefined;

function findZooKeeper(env?: NodeJS.ProcessEnv): ZooKeeperInstall | undefined;

function historyOf(entries: readonly LogEntry[], zeroMs?: number): HistoryEvent[];

function hostMs(): number;

function livingOnly(entries: readonly LogEntry[]): readonly LogEntry[];

function probe({ probeKey, probeEveryMs, probeWaitMs: waitMs }: Probing, locks: Locks, { signal, granted }: {
  readonly signal: AbortSignal;
  readonly granted: () => void;
}): Promise<readonly Sample[]>;

function redisServerVersion(): string | undefined;

// ----- without a name of its own in @holdfast/harness/real -----

interface AdapterLimits {
  readonly startMs: number;
  readonly replyMs: number;
  readonly endMs: number;
}

interface ClientsParts {
  readonly client: URL;
  readonly size: number;
  readonly proxies?: Proxies;
  readonly onResourceEnd?: () => void;
  readonly shim?: string | undefined;
}

interface ContentionContext {
  readonly name: string;
  readonly log: EventLog;
  readonly resource: ResourceClient;
  untilSignalled(): Promise<void>;
  report(what: ClientReport['kind']): void;
}

type Cost = {
  readonly kind: 'uncontended';
  readonly key: string;
  readonly rounds: number;
} | {
  readonly kind: 'contended';
  readonly key: string;
  readonly waiters: number;
  readonly spanMs: number;
};

interface Delays {
  readonly up?: number;
  readonly down?: number;
}

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface ExternalClientParts {
  readonly name: string;
  readonly logPath: string;
  readonly resourcePort: number;
  readonly clock?: ShiftedClock | undefined;
  readonly limits?: AdapterLimits;
}

interface PostgresInstall {
  readonly bin: string;
  readonly version: string;
}

interface Reading {
  readonly plain: number;
  readonly fenced: number | null;
}

interface Ready {
  readonly ready: number;
  readonly name?: string;
  readonly options?: string;
}

interface ReplicationLink {
  readonly port: number;
  cut(): unknown;
  heal(options: {
    readonly drop: boolean;
  }): unknown;
  retarget(port: number): unknown;
  close(): unknown;
}

interface ReplicationOptions {
  readonly standbys: number;
  readonly isSynchronous: boolean;
  readonly schema?: string | undefined;
  readonly start: (options: PostgresServerOptions) => Promise<PostgresServer>;
  readonly openLink: (port: number) => Promise<ReplicationLink>;
}

interface StartRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly log: string;
}

interface Supervised {
  readonly pid: number;
  readonly exit: Exit | undefined;
  readonly gone: Promise<Exit>;
  kill(signal: NodeJS.Signals): void;
}

type Tap = (client: Socket, server: Socket) => void;

type ToResource = {
  readonly id: number;
  readonly key: string;
  readonly client: string;
  readonly hold: string;
  readonly token?: string | undefined;
} & ({
  readonly kind: 'read';
} | {
  readonly kind: 'write';
  readonly plain: number;
  readonly fenced: number | null;
});

type Without<E, K extends PropertyKey> = E extends unknown ? Omit<E, K> : never;

type Without<R, K extends PropertyKey> = R extends unknown ? Omit<R, K> : never;

interface ZooKeeperInstall {
  readonly java: string;
  readonly classPath: string;
  readonly version: string | undefined;
}

// ========== @holdfast/harness/simulator ==========

// Aftermath, as in 

type AnchorMoment = 'before' | 'after';

const BATCH = 64;

interface CallLatency {
  readonly requestMs?: number;
  readonly replyMs?: number;
}

interface Choreography {
  readonly description: string;
  readonly variant?: string;
  readonly before?: readonly Step[];
  readonly steps: readonly Step[];
}

class ClientEnv implements SubjectEnv {
  readonly nodes: readonly RedisNode[];
  constructor(lock: string, view: ClientView, memory?: EnvMemory);
  get node(): RedisNode;
  get openSession(): SubjectEnv['openSession'];
  get etcd(): SubjectEnv['etcd'];
  get database(): SubjectEnv['database'];
  get openClient(): SubjectEnv['openClient'];
  get sessionTtlMs(): number;
  get store(): MemoryStore;
  get link(): MemoryLink;
  close(): Promise<void>;
}

// ClientId, as in 

type ClientTarget = 'holder' | 'waiter';

interface Cluster {
  readonly network: Network;
  readonly members: readonly Member[];
  readonly lagMs: number;
  readonly hasQueue: boolean;
  readonly noticesSilence: boolean;
  view(process: SimProcess): ClientView;
  serving(mask: number): readonly Member[];
  failover?(mask: number, ms: number): readonly string[];
  splitBrain?(mask: number, ms: number, stay: readonly ClientId[]): readonly string[];
  cutPeers?(mask: number, ms: number, way?: 'out' | 'in'): readonly string[];
  slow?(mask: number, byMs: number, ms: number): readonly string[];
  repoint?(mask: number, ms: number, to: string): boolean;
  holds(owner: string): HoldState;
  serverHolds(lock: LockKey): readonly ServerHold[];
  observed(): Observations;
  leftovers(at: LeftoverMoment, options: LeftoverOptions): readonly string[];
  contents(number: (value: string) => string): readonly string[];
}

const DEFAULT_LIVENESS_BOUNDS: LivenessBounds;

interface Deployment {
  readonly servers: number;
  readonly called: string;
  readonly isEnsemble: boolean;
  readonly isUserOwned?: true;
  readonly rejectsAheadClients?: true;
  readonly isSynchronous?: true;
  readonly lock?: RealLock;
  readonly ttlMs: number;
  readonly slackMs?: number;
  readonly verbs: readonly Verb[];
  readonly lacks?: Readonly<Partial<Record<Verb, string>>>;
  readonly failover?: string;
}

type Driver = (turn: RunTurn, rest: () => void) => Promise<void>;

const EPOCH_MS: number;

interface Effect {
  readonly resource: string;
  readonly accepted: boolean;
  readonly fenced: boolean;
  readonly token?: bigint | undefined;
  readonly value?: number | undefined;
  readonly readValue?: number | undefined;
}

interface EngineOptions {
  readonly nowUs: () => number;
  readonly runId: string;
  readonly isCluster?: boolean;
  readonly publish: (channel: string, message: string, sharded: boolean) => number;
  readonly wrote?: (effect: readonly string[]) => void;
  readonly published?: (effect: readonly string[]) => void;
}

type EngineReply = string | number | null | ErrorReply | readonly EngineReply[];

interface EngineSnapshot {
  readonly entries: readonly (readonly [
    key: string,
    value: Value,
    expiresAtMs: number | undefined
  ])[];
}

interface ErrorReply {
  readonly error: string;
}

interface ExhaustOptions {
  readonly timeModel: TimeModel;
  readonly budget: number;
  readonly naive?: boolean;
  readonly onRun: (run: ExhaustedRun, soFar: Explored) => boolean;
  readonly guard?: boolean;
  readonly driver?: Driver;
}

interface ExhaustedRun extends Pick<Steered, 'endState'> {
  readonly played: PlayResult;
}

// ExpectedResult, as in 

interface Explored {
  readonly runs: number;
  readonly abandoned: number;
  readonly isComplete: boolean;
}

const FAULTS: FaultRegistry;

const FAULT_IDS: readonly FaultId[];

// Fault, as in 

class FaultRegistry {
  readonly all: readonly FaultUnderTest[];
  constructor(all: readonly FaultUnderTest[]);
  get ids(): readonly FaultId[];
  find(id: FaultId): FaultUnderTest | undefined;
  get(id: FaultId): FaultUnderTest;
  select(ids: readonly FaultId[]): readonly FaultUnderTest[];
}

interface FaultUnderTest<Element extends Fault = Fault> {
  readonly id: FaultId;
  readonly meaning: string;
  readonly reason: string;
  readonly fields: FaultFields;
  readonly varies?: readonly string[];
  readonly takesServiceAway?: true;
  readonly isTimeless?: true;
  readonly needs?: 'servers' | 'replicas';
  readonly generation?: GenerationOptions;
  readonly pausesClients?: true;
  readonly onlyDelays?: true;
  readonly silences?: true;
  readonly isSudden?: true;
  generate(circumstances: Circumstances): fc.Arbitrary<Element>;
  generateBeside?(schedules: fc.Arbitrary<Schedule>, other: FaultUnderTest, circumstances: Circumstances): fc.Arbitrary<Schedule>;
  generatedAs?(variation: string, nodes: number): fc.Arbitrary<Schedule> | undefined;
  arm(run: Run, element: Element, index: number): void;
  text(element: Element, servers: Servers): string;
  jumpMs?(element: Element): number;
  staysAway?(element: Element, ttlMs: number): boolean;
  real(deployment: Deployment): readonly Choreography[] | Unplayable;
  isMostTelling?(deployment: Deployment): boolean;
}

interface Hold {
  readonly id: string;
  readonly process: SimProcess;
  readonly key: string;
}

interface Injection {
  readonly kind: FaultId;
  readonly fault: number;
  readonly actors: readonly string[];
  readonly atMs: number;
  readonly untilMs: number;
  readonly effective: boolean;
}

interface KeyChange {
  readonly atMs: number;
  readonly client: string;
  readonly label: string;
  readonly node: string;
  readonly key: string;
  readonly how: 'deleted' | 'overwritten' | 'prolonged' | 'shortened';
  readonly of: string;
}

interface KeyFreed {
  readonly hold: string;
  readonly atMs: number;
  readonly how: 'expired' | 'deleted';
}

class Lazy<M extends object> {
  constructor(load: () => Promise<M>);
  get module(): M;
  load(): Promise<void>;
}

interface LivenessBounds {
  settleMs(conditions: LivenessConditions): number;
  handoverMs(conditions: LivenessConditions): number;
}

interface LivenessConditions {
  readonly ttlMs: number;
  readonly latencyMs: number;
  readonly lagMs?: number;
  readonly isReaped?: boolean;
  readonly isOpening?: boolean;
  readonly waiters: number;
  readonly jumpedMs: number;
}

interface Message {
  readonly from: string;
  readonly to: string;
  readonly way: MessageKind;
  readonly label: string;
  readonly n: number;
}

type MessageKind = 'request' | 'reply' | 'push';

interface Minimised {
  readonly schedule: Schedule;
  readonly plays: number;
}

const NONE: FaultId;

interface Named {
  readonly name: string;
}

class Network {
  constructor(world: World, options: NetworkOptions);
  rule(rule: Rule): () => void;
  cut(a: Named, b: Named, options?: {
    readonly oneWay?: boolean;
  }): () => void;
  slow(servers: readonly Named[], byMs: number): () => void;
  connect(process: SimProcess, endpoint: Endpoint, listener: ConnectionListener): Connection;
  channel(from: Named, to: Named): FaultyChannel;
}

interface NetworkOptions {
  readonly latencyMs: number;
  readonly beside?: ((endpoint: string) => readonly Named[]) | undefined;
}

// Op, as in 

interface PlayOptions {
  readonly trace?: boolean;
  readonly guard?: boolean;
  readonly driver?: Driver;
  readonly recordsKeyFreed?: boolean;
  readonly maxEvents?: number;
}

interface PlayResult {
  readonly schedule: Schedule;
  readonly subject: string;
  readonly history: readonly HistoryEvent[];
  readonly complaints: readonly string[];
  readonly touches: readonly KeyChange[];
  readonly records?: readonly HoldRecord[];
  readonly refusals?: readonly RefusalRecord[];
  readonly ambient?: string;
  readonly keyFreed?: readonly KeyFreed[];
  readonly queueTickets?: readonly QueueTicket[];
  readonly serverHolds: readonly ServerHold[];
  readonly injections: readonly Injection[];
  readonly effective: boolean;
  readonly ops: number;
  readonly accepted: number;
  readonly sometimes: ReadonlySet<Sometimes>;
  readonly trace: readonly TraceRecord[];
  readonly hash: string | undefined;
}

interface ProcessOptions {
  readonly wallOffsetMs?: number;
  readonly driftPpm?: number;
}

// REPLAY_STRING_MAX, as in @holdfast/harness/playground

interface Random {
  next(): number;
  below(limit: number): number;
  id(): string;
}

interface RealLock {
  readonly renews: boolean;
  readonly trustsClientClocks?: true;
  readonly notifiedOn?: 'subscribed' | 'open';
}

class Recorder {
  constructor(world: World);
  acquire(process: SimProcess, key: string): Hold;
  granted(hold: Hold, valid: ValidFor, token?: bigint, mode?: HoldMode, atMs?: number): void;
  renewed(hold: Hold, valid: ValidFor, askedMs?: number): void;
  claimed(hold: Hold): void;
  denied(hold: Hold, reason: string): void;
  doubt(hold: Hold, reason: string): void;
  lost(hold: Hold, reason: string): void;
  release(hold: Hold): void;
  released(hold: Hold, outcome: 'released' | 'not-held' | 'unknown'): void;
  enter(hold: Hold): void;
  exit(hold: Hold): void;
  write({ id: hold, process, key }: Hold, effect: Effect): void;
  paused(process: SimProcess, ms: number): void;
  crashed(process: SimProcess): void;
  history(): readonly HistoryEvent[];
}

interface RedisAddress {
  readonly name: string;
  serverFor(process: SimProcess): LinkServer;
  readonly dialled?: Set<Connection>;
}

class RedisEngine {
  role: 'master' | 'replica';
  constructor(options: EngineOptions);
  execute(args: readonly string[]): EngineReply;
  apply(effect: readonly string[]): void;
  exists(key: string): boolean;
  snapshot(): EngineSnapshot;
  restore(snapshot: EngineSnapshot): void;
  expiries(): Generator<{
    key: string;
    atUs: number;
  }>;
  keysNow(): readonly string[];
  stringsNow(): ReadonlyMap<string, PreviousValue>;
  stringNow(key: string): PreviousValue | undefined;
}

// Repointing, as in 

// RestartData, as in 

interface RestartOptions {
  readonly data: 'empty' | 'durable' | 'torn';
  readonly lost?: number;
  readonly downMs?: number;
}

type Rule = (message: Message) => RuleOutcome;

type RuleOutcome = 'pass' | 'drop' | 'reset' | {
  readonly delayMs: number;
};

type RunTurn = () => boolean;

const SERVER_KINDS: Readonly<Record<ServerKindName, ServerKind>>;

const SOMETIMES: readonly ['contended acquire', 'a lease ran out while held', 'a holder came late', 'a token was refused', 'a client died', 'a key was handed over in an aftermath', 'exactly a quorum', 'an unreplicated lock was lost'];

// Schedule, as in 

class ScheduleError extends Error {
  readonly name = "ScheduleError";
  readonly path: string;
  constructor(path: string, why: string, cause?: unknown);
}

interface Scope {
  readonly clients: number;
  readonly nodes: number;
  readonly inOrder?: boolean;
}

type ServerKindName = 'redis' | 'zookeeper' | 'etcd' | 'postgres';

// ServerTarget, as in 

interface Setup extends Partial<Circumstances> {
  readonly renews: boolean;
  readonly fixedShare?: number;
  readonly overruns?: boolean;
  readonly replicaClockMs?: number;
  readonly faultsMax?: number;
  readonly newcomer?: boolean;
  readonly lagging?: boolean;
  readonly aftermath?: boolean;
  readonly ttlTimes?: number;
  readonly fewer?: boolean;
  readonly shutdown?: boolean;
  readonly collector?: boolean;
  readonly repointed?: boolean;
  readonly givingUp?: boolean;
}

type ShowsViolation = (schedule: Schedule) => Promise<boolean>;

class SimAmbientError extends Error {
  readonly name = "SimAmbientError";
  constructor(what: string);
}

class SimLimitError extends Error {
  readonly name = "SimLimitError";
}

class SimProcess implements EventOwner {
  readonly name: string;
  readonly runtime: Runtime;
  readonly clientRuntime: Pick<Runtime, 'now' | 'timer' | 'random'>;
  readonly times: ClockTimes;
  constructor(kernel: Kernel, machine: Machine);
  get nowMs(): number;
  get nowUs(): number;
  get readyAtUs(): number;
  get crashed(): boolean;
  get crashedAtMs(): number;
  get clocks(): Instant;
  get timers(): {
    readonly live: number;
    readonly awaited: number;
  };
  sleep(ms: number): Promise<void>;
  call<T>(label: string, effect: () => T | Promise<T>, latency?: CallLatency): Promise<T>;
  departs(label: string): number;
  departed(label: string): void;
  wasAliveAt(atUs: number): boolean;
  deliver(label: string, run: () => void, delayMs?: number): void;
  pause(ms: number): void;
  block(ms: number): void;
  stallBefore(label: string, n: number, ms: number): void;
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void;
  crash(): void;
  restart(): SimProcess;
  jumpWall(ms: number): void;
  setDrift(ppm: number): void;
  suspend(ms: number): void;
  collect(target: object): void;
}

interface SimRedisNodeOptions {
  readonly connectMs?: number;
  readonly silenceMs?: number;
  readonly counts?: boolean;
}

class SimRedisServer implements Endpoint {
  readonly name: string;
  readonly storage: Storage;
  constructor(world: World, name: string, options?: SimRedisServerOptions);
  get engine(): RedisEngine;
  get program(): ServerRun;
  get readyAtUs(): number;
  get isUp(): boolean;
  get wallMs(): number;
  wallAt(atMs: number): number;
  whenWall(wallMs: number): number;
  keys(): readonly string[];
  serverFor(): this;
  accept(connection: Connection): EventOwner | undefined;
  disconnected(connection: Connection): void;
  stop(ms: number): void;
  crash(): void;
  restart(options: RestartOptions): void;
  breakConnections(which?: (connection: Connection) => boolean): void;
  jumpWall(ms: number): void;
  setDrift(ppm: number): void;
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void;
}

interface SimRedisServerOptions extends StorageObservers {
  readonly wallOffsetMs?: number;
  readonly driftPpm?: number;
  readonly slots?: SlotGuard | undefined;
  readonly keyChanges?: KeyChangeWatch;
}

class SimRedisService implements RedisAddress {
  readonly name: string;
  readonly servers: readonly SimRedisServer[];
  readonly dialled: Set<Connection>;
  constructor(world: World, network: Network, options: SimRedisServiceOptions);
  get master(): SimRedisServer;
  get replica(): SimRedisServer | undefined;
  serverFor(process: SimProcess): SimRedisServer;
  failover({ afterMs, promoted, }?: {
    readonly afterMs?: number;
    readonly promoted?: () => void;
  }): void;
  splitBrain({ staysWithOld }: SplitBrainOptions): () => void;
  promoteBeside(staysWithOld?: readonly Named[]): () => void;
  leadTo(other: SimRedisService): () => void;
}

interface SimRedisServiceOptions {
  readonly name: string;
  readonly master: SimRedisServer;
  readonly replica?: SimRedisServer;
  readonly lagMs?: number;
}

class SimSentinel implements LinkServer, EventOwner {
  readonly name: string;
  readonly readyAtUs = 0;
  readonly crashed = false;
  constructor(world: World, name: string, config: MasterConfig);
  get program(): this;
  get id(): string;
  meets(sentinels: readonly SimSentinel[]): void;
  learn(config: MasterConfig, how: 'led' | 'heard'): void;
  serverFor(): this;
  accept(): EventOwner;
  disconnected(connection: Connection): void;
  serve(connection: Connection, label: string, args: readonly string[], replied: (reply: EngineReply) => void): void;
  subscribe(connection: Connection, channel: string, heard: (text: string) => void, replied: (reply: EngineReply) => void): void;
  unsubscribe(connection: Connection, channel: string): void;
}

class SimStuckError extends Error {
  readonly name = "SimStuckError";
  constructor(atMs: number);
}

class SimUnhandledError extends Error {
  readonly name = "SimUnhandledError";
  constructor(atMs: number, reason: unknown);
}

class SimUnsupportedError extends Error {
  readonly name: string;
  constructor(what: string, server?: string);
}

class SlotGuard {
  readonly view: SlotView;
  constructor(name: string, view: SlotView);
  replyTo(args: readonly string[], { asking, exists }: {
    readonly asking: boolean;
    readonly exists: (key: string) => boolean;
  }): EngineReply | undefined;
  replyToChannel(channel: string): EngineReply | undefined;
  hasLost(channel: string): boolean;
}

type Sometimes = (typeof SOMETIMES)[number];

interface SplitBrainOptions {
  readonly staysWithOld: readonly Named[];
}

type Step =
{
  readonly do: 'await';
  readonly moment: 'renewal' | 'end';
}
 | {
  readonly do: 'hold';
  readonly until: 'over' | 'takeover' | 'served';
}
 | {
  readonly do: 'meanwhile';
  readonly everyMs: number;
  readonly steps: readonly Step[];
  readonly again?: true;
}
 | {
  readonly do: 'leave';
}
 | {
  readonly do: 'arrive';
} | {
  readonly do: 'pause';
  readonly client: ClientTarget;
}
 | {
  readonly do: 'sleep';
  readonly client: ClientTarget;
}
 | {
  readonly do: 'block';
  readonly client: ClientTarget;
} | {
  readonly do: 'resume';
  readonly client: ClientTarget;
} | {
  readonly do: 'kill';
  readonly client: ClientTarget;
} | {
  readonly do: 'jumpClock';
  readonly client: ClientTarget;
  readonly ms: number;
}
 | {
  readonly do: 'holdWrites';
  readonly client: ClientTarget;
} | {
  readonly do: 'releaseWrites';
  readonly client: ClientTarget;
} | {
  readonly do: 'stop';
  readonly servers: ServerTarget;
} | {
  readonly do: 'resumeServers';
  readonly servers: ServerTarget;
} | {
  readonly do: 'crash';
  readonly servers: ServerTarget;
} | {
  readonly do: 'restart';
  readonly servers: ServerTarget;
  readonly data: RestartData;
}
 | {
  readonly do: 'slow';
  readonly servers: readonly number[];
  readonly ms: number;
}
 | {
  readonly do: 'keepLog';
  readonly servers: ServerTarget;
} | {
  readonly do: 'jumpWall';
  readonly servers: ServerTarget;
  readonly ms: number;
}
 | {
  readonly do: 'age';
}
 | {
  readonly do: 'stopReplication';
} | {
  readonly do: 'failover';
}
 | {
  readonly do: 'splitBrain';
  readonly stay: ClientTarget;
}
 | {
  readonly do: 'cutPeers';
  readonly whose: 'all' | 'holder';
  readonly way?: 'out';
} | {
  readonly do: 'healPeers';
}
 | {
  readonly do: 'delay';
  readonly client?: ClientTarget;
  readonly ms: number;
}
 | {
  readonly do: 'cut';
  readonly client: ClientTarget;
  readonly servers?: readonly number[];
  readonly way?: 'reply';
}
 | {
  readonly do: 'silence';
  readonly client: ClientTarget;
}
 | {
  readonly do: 'loseReplies';
  readonly after: number;
}
 | {
  readonly do: 'clog';
  readonly server: number;
} | {
  readonly do: 'free';
  readonly server: number;
}
 | {
  readonly do: 'heal';
  readonly held: 'lost' | 'arrives';
};

type StillFails = (schedule: Schedule) => Promise<boolean>;

// Story, as in @holdfast/harness/playground

// StoryCode, as in @holdfast/harness/playground

// StoryProperty, as in 

interface Subject {
  readonly name: string;
  readonly open?: (env: SubjectEnv, host: Host) => Promise<Backend>;
  readonly load?: () => Promise<void>;
  readonly nodes: number;
  readonly servers?: string;
  readonly ensemble?: boolean;
  readonly topology?: Topology;
  readonly schema?: () => string;
  readonly databaseClient?: typeof postgresClient;
  readonly renews: boolean;
  readonly fixedShare?: number;
  readonly tokens: boolean;
  readonly labels?: Readonly<Record<string, readonly string[]>>;
  readonly points?: readonly string[];
  readonly overruns?: boolean;
  readonly requests?: readonly string[];
  readonly tidy?: boolean;
  readonly core?: SubjectCore;
  readonly openSessions?: typeof openSessions;
  readonly patience?: LivenessBounds;
  readonly waiterOf?: (member: string) => string | undefined;
  readonly modeOf?: (op: Op) => HoldMode;
  readonly continuationOf?: (op: Op) => Continuation | undefined;
  readonly keeps?: (key: string) => boolean;
}

interface SubjectCore {
  readonly createHost: typeof createHost;
  readonly createLocks: typeof createLocks;
  readonly MemoryStore: typeof MemoryStore;
}

interface SubjectEnv extends Ports {
  readonly node: RedisNode;
  readonly nodes: readonly RedisNode[];
  readonly store: MemoryStore;
  readonly link: MemoryLink;
}

type TimeModel = 'calls time out' | 'calls are in time' | 'calls are over' | 'no time passes';

interface Topology {
  readonly kind: 'sentinels' | 'cluster' | 'synchronous' | 'pooler' | 'old-release';
  readonly isSplit?: boolean;
  readonly moves?: boolean;
  readonly client?: typeof redisClient;
}

class Trace {
  constructor(kept: boolean);
  get records(): readonly TraceRecord[];
  get isKept(): boolean;
  add(record: Omit<TraceRecord, 'seq'>): number;
  hash(): string;
}

interface TraceRecord {
  readonly seq: number;
  readonly atUs: number;
  readonly process: string;
  readonly kind: string;
  readonly cause: number;
  readonly label?: string;
  readonly departUs?: number;
  readonly to?: string;
  readonly detail?: string;
}

interface Unplayable {
  readonly unplayable: string;
}

type ValidFor = {
  readonly validity: Validity;
} | {
  readonly remainingMs: number;
};

type Verb = Exclude<Step['do'], 'await' | 'hold' | 'meanwhile' | 'restart' | 'jumpWall'> | 'jumpAhead' | 'jumpBack' | 'restartEmpty' | 'restartDurable' | 'restartTorn';

// When, as in 

class World {
  constructor(options?: WorldOptions);
  get nowMs(): number;
  get trace(): Trace;
  process(name: string, options?: ProcessOptions): SimProcess;
  at(ms: number, run: () => void): void;
  after(ms: number, run: () => void): void;
  note(process: string, kind: string, label?: string): void;
  pendingTimers(process?: SimProcess): number;
  awaitedTimers(process?: SimProcess): number;
  run<T>(main: () => Promise<T> | T): Promise<T>;
  settle(): Promise<void>;
  advance(ms: number): Promise<void>;
}

interface WorldOptions extends EventLoopOptions {
  readonly seed?: number;
  readonly trace?: boolean;
  readonly queue?: Queue | undefined;
}

function batchOf(schedules: fc.Arbitrary<Schedule>, seed: number, n: number): readonly Schedule[];

const channelDriver: Driver;

function clientsOf({ ops }: Pick<Schedule, 'ops'>): readonly ClientId[];

const clusterOf: ClusterOf;

function exhaust(subject: Subject, scope: exhausting.Scope, options: exhausting.ExhaustOptions): Promise<Explored>;

function hashOf(records: readonly TraceRecord[]): string;

const immediateDriver: Driver;

function isWholeUs(ms: number): boolean;

function keepGuard(): () => void;

function kindOf({ nodes, ensemble, servers, }: Pick<Subject, 'nodes' | 'ensemble' | 'servers'>): string;

function loadServers(subject: Subject): Promise<void>;

function meaningOfFault(id: FaultId): string;

function minimise(schedule: Schedule, fails: StillFails, options?: MinimiseOptions): Promise<Minimised>;

function moveKey(source: SimRedisServer, target: SimRedisServer, turn: number): boolean;

function needsServers(id: FaultId): boolean;

function nodeName(node: number): string;

function nodesIn(mask: number): readonly number[];

function parseSchedule(value: unknown, path?: string): Schedule;

function parseStory(value: unknown): Story;

function parseStoryText(text: string): Story;

function play(schedule: Schedule, subject: Subject, options?: PlayOptions): Promise<PlayResult>;

function random(seed: number | string): Random;

function refusing<T extends object>(what: string, original: T): T;

function schedulesFor(ids: readonly FaultId[], setup: Setup): fc.Arbitrary<Schedule>;

function serverKind(name: string): ServerKind | undefined;

function shorten(schedule: Schedule, shows: ShowsViolation): Promise<Schedule>;

function simRedisNode(process: SimProcess, address: RedisAddress, network: Network, options?: SimRedisNodeOptions): MemberNode;

function stepsOf({ before, steps }: Choreography): readonly Step[];

function storyFromString(text: string): Story;

function storyToString(story: Story): string;

function verbOf(step: Step): Verb | undefined;

// ----- without a name of its own in @holdfast/harness/simulator -----

class Anchors {
  get isEmpty(): boolean;
  add(moment: AnchorMoment, label: string, n: number, run: () => void): void;
  passed(moment: AnchorMoment, label: string): void;
}

interface AttemptRecord {
  readonly fromMs: number;
  readonly toMs: number;
  readonly kind: Attempt['kind'] | 'threw';
  readonly isWhole: boolean;
}

interface Circumstances {
  readonly nodes: number;
  readonly points?: readonly string[];
  readonly requests?: readonly string[];
  readonly variation?: string;
  readonly affected?: 'minority' | 'all';
  readonly ensemble?: boolean;
}

class ClientCalls {
  open: number;
  constructor(run: Run, process: SimProcess);
  call<T>(label: string, effect: () => T): Promise<T>;
  link(called: (label: string) => void): MemoryLink;
}

interface ClientRequest {
  readonly client: string;
  readonly label: string;
}

interface ClientView extends Partial<Ports> {
  readonly nodes: readonly RedisNode[];
}

class Clock {
  constructor(options: ClockOptions);
  read(atUs: number): ClockReading;
  monotonicUs(atUs: number): number;
  wallUs(atUs: number): number;
  whenMonotonic(targetUs: number, sinceUs: number): number;
  whenWall(targetUs: number, sinceUs: number): number;
  jumpWall(atUs: number, byUs: number): void;
  setDrift(atUs: number, ppm: number): void;
  stopMonotonic(atUs: number, untilUs: number): void;
}

interface ClockOptions {
  readonly monotonicMs: number;
  readonly wallOffsetMs: number;
  readonly driftPpm: number;
}

interface ClockReading {
  readonly monotonicUs: number;
  readonly wallUs: number;
}

class ClockTimes {
  constructor(clock: Clock, nowUs: () => number);
  agoMs(ms: number): number;
  inMs(ms: number): number;
  clocksAt(atMs: number): Instant;
  endOf(validity: Validity): number;
}

type ClusterOf = (world: World, schedule: Schedule, subject: Subject, keeper?: StoreKeeper) => Cluster;

class Connection {
  readonly process: SimProcess;
  constructor({ kernel, process, endpoint, listener, outbound, inbound }: ConnectionParts);
  dial(): void;
  request(label: string, run: () => void, detail?: Detail): void;
  reply(label: string, departUs: number, run: () => void, detail?: Detail): void;
  push(label: string, departUs: number, run: () => void, detail?: Detail): void;
  close(): void;
  abort(reason: string): void;
  reset(reason: string): void;
  get isOver(): boolean;
}

interface ConnectionListener {
  ready(): void;
  closed(cause: Error): void;
}

interface ConnectionParts {
  readonly kernel: Kernel;
  readonly process: SimProcess;
  readonly endpoint: Endpoint;
  readonly listener: ConnectionListener;
  readonly outbound: FaultyChannel;
  readonly inbound: FaultyChannel;
}

type Continuation = 'downgrade' | 'reenter';

interface DatabaseClient {
  query(text: string, values: readonly Argument[]): Promise<{
    readonly rows: readonly Row[];
  }>;
  close(): void;
}

type DeliveryOutcome = {
  readonly delayUs: number;
} | 'drop' | 'reset';

type Detail = () => string;

interface Endpoint {
  readonly name: string;
  accept(connection: Connection): EventOwner | undefined;
  disconnected(connection: Connection): void;
}

type EnvMemory = Partial<Pick<SubjectEnv, 'store' | 'link'>>;

interface EventChannel {
  readonly from: string;
  readonly to: string;
}

interface EventLoopOptions {
  readonly maxEvents?: number;
  readonly maxVirtualMs?: number;
  readonly guard?: boolean;
  readonly driver?: Driver | undefined;
}

interface EventOptions {
  readonly owner?: EventOwner | undefined;
  readonly rank?: Rank;
  readonly cause?: number;
}

interface EventOwner {
  readonly readyAtUs: number;
  readonly crashed: boolean;
}

interface Execution {
  readonly node: string;
  readonly client: string;
  readonly label: string;
  readonly args: readonly string[];
}

interface FaultFields {
  readonly client?: true;
  readonly either?: true;
  readonly when?: true;
  readonly label?: true;
  readonly stay?: true;
  readonly way?: readonly string[];
  readonly oneWay?: readonly string[];
  readonly numbers: Readonly<Record<string, Range>>;
}

class FaultyChannel {
  constructor(kernel: Kernel, route: Route, latencyUs: number, outcomeOf: OutcomeOf);
  send(message: OutgoingMessage): boolean;
  sendControl(departUs: number, owner: EventOwner | undefined, arrive: () => boolean): void;
  dropHeld(): void;
}

interface GenerationOptions {
  readonly holdsToTheEnd?: true;
  readonly faultsMax?: number;
  readonly laggingInSix?: number;
}

class HandoverMonitor {
  constructor(run: Run);
  excuse(): void;
  update(): void;
}

class HoldLog {
  request: ClientRequest | undefined;
  readonly promoted: Set<string>;
  readonly storedValues: StoredValue[];
  constructor(options: HoldLogOptions);
  timelinesOf(owner: string): ReadonlyMap<string, readonly HoldStatus[]> | undefined;
  timelinesAt(addresses: readonly (readonly string[])[], owner: string): readonly (readonly (readonly HoldStatus[])[])[];
  note(server: string, key: string, owner: string | undefined, untilMs?: number, isOwn?: boolean): void;
  keepOnly(server: string, kept: ReadonlySet<string>): void;
}

interface HoldLogOptions {
  readonly nowMs: () => number;
  readonly renewals: readonly string[];
  readonly holdOf: (owner: string) => string;
  readonly attemptOf: (owner: string) => number;
}

interface HoldRecord {
  readonly hold: string;
  readonly quorum: number;
  readonly addresses: readonly (readonly (readonly HoldStatus[])[])[];
}

interface HoldState {
  readonly votes: number;
  readonly place?: number | undefined;
  readonly hasExpired: boolean;
  readonly addresses: readonly (readonly (readonly HoldStatus[])[])[];
  freeAtMs(clients: readonly SimProcess[]): number;
}

interface HoldStatus {
  readonly atMs: number;
  readonly untilMs: number;
  readonly isOwn: boolean;
  readonly isMade: boolean;
}

class HolderLog {
  constructor(kernel: Kernel);
  get nowMs(): number;
  of(server: string): ServerHolders;
  wrote(server: string, write?: Write): void;
  holdersOf(lock: LockKey): readonly ServerHold[];
  clientBehind(): string | undefined;
}

class IdleKeyMonitor {
  constructor(nowMs: () => number, healthy: readonly ScheduledClient[], onEnd?: (period: IdlePeriod) => void);
  update(): void;
  get longest(): IdlePeriod;
  takeLongest(): IdlePeriod;
}

interface IdlePeriod {
  readonly ms: number;
  readonly waiting: readonly string[];
}

class InjectionLog {
  constructor(nowMs: () => number);
  get all(): readonly Injection[];
  get effective(): boolean;
  add({ kind, fault, actors }: Pick<Injection, 'kind' | 'fault' | 'actors'>, ms: number, isRelevant: IsRelevant): void;
  update(): void;
}

type IsRelevant = () => boolean;

class Kernel {
  readonly trace: Trace;
  constructor(trace: boolean, queue?: Queue);
  get nowUs(): number;
  get cause(): number;
  get ran(): number;
  get next(): SimEvent | undefined;
  schedule(atUs: number, run: () => boolean, { owner, rank, cause }?: EventOptions, channel?: EventChannel): SimEvent;
  deliver(atUs: number, run: () => boolean, channel: EventChannel, owner: EventOwner | undefined, cause: number): SimEvent;
  run(event: SimEvent): boolean;
  postpone(): void;
  idleUntil(atUs: number): void;
  record(process: string, kind: string, label?: string, departUs?: number, more?: RecordDetails, cause?: number): number;
  begin(process: string, kind: string, label?: string, more?: RecordDetails): void;
}

class KeyChangeWatch {
  readonly all: KeyChange[];
  constructor({ labels, nowMs, executed }: KeyChangeWatchOptions);
  execute(execution: Execution, engine: RedisEngine): EngineReply;
  wrote(client: string, [command, key, value]: readonly string[]): void;
}

interface KeyChangeWatchOptions {
  readonly labels: readonly string[];
  readonly nowMs: () => number;
  readonly executed?: ((execution: Execution, engine: RedisEngine) => void) | undefined;
}

class KeyFreedRecorder {
  readonly all: KeyFreed[];
  constructor(run: Run);
  get isOver(): boolean;
  watch(hold: string, owner: string): void;
  check(): void;
}

interface KnownReplica {
  readonly acknowledged: number | undefined;
  requestAcknowledgement(): void;
}

type LeftoverMoment = 'quit' | 'rest' | 'closed';

interface LeftoverOptions {
  readonly members: readonly Member[];
  readonly processes: readonly SimProcess[];
  readonly keeps?: ((key: string) => boolean) | undefined;
}

interface LinkServer extends Endpoint {
  readonly program: Pick<ServerRun, 'serve' | 'subscribe' | 'unsubscribe'>;
}

interface LockKey {
  readonly key: string;
  readonly tokens: ReadonlySet<string>;
}

interface Machine {
  readonly name: string;
  readonly clock: Clock;
  readonly seed: number;
  readonly incarnation: number;
  started(process: SimProcess): void;
}

interface MasterConfig {
  readonly host: string;
  readonly epoch: number;
}

interface Member {
  readonly name: string;
  readonly isUp: boolean;
  readonly readyAtUs: number;
  stop(ms: number): void;
  crash(): void;
  restart(how: RestartOptions): void;
  jumpWall(ms: number): void;
  setDrift(ppm: number): void;
  anchor(moment: AnchorMoment, label: string, n: number, run: () => void): void;
}

interface MinimiseOptions {
  readonly seed?: number;
  readonly playsMax?: number;
  readonly numbers?: boolean;
}

interface Observations {
  readonly touches: readonly KeyChange[];
  readonly storedValues: readonly StoredValue[];
  readonly hasPromoted: boolean;
  readonly hasLostUnreplicated: boolean;
}

interface OperatingClient {
  readonly id: ClientId;
  readonly process: SimProcess;
  readonly calls: ClientCalls;
  readonly waitLog: WaitLog | undefined;
  readonly isClosing: boolean;
  waiting: number;
  holding: number;
  accepted: number;
  readonly holds: Map<string, Hold>;
  readonly droppedLeases: Set<Lease>;
  shutDown(): void;
}

type OutcomeOf = (route: Route, way: MessageKind, label: string) => DeliveryOutcome;

interface OutgoingMessage {
  readonly way: MessageKind;
  readonly label: string;
  readonly departUs: number;
  readonly owner?: EventOwner | undefined;
  readonly cause: number;
  readonly arrive: () => boolean;
  readonly broken: () => void;
  readonly detail?: (() => string) | undefined;
}

interface Ports {
  readonly openSession: OpenSession;
  readonly etcd: EtcdClient;
  readonly database: PostgresDatabase;
  readonly openClient: () => Promise<DatabaseClient>;
  readonly sessionTtlMs: number;
}

interface PreviousValue {
  readonly value: string;
  readonly expiresAtMs: number;
}

interface Queue {
  push(event: SimEvent): void;
  peek(): SimEvent | undefined;
  pop(): SimEvent | undefined;
}

interface QueueTicket {
  readonly hold: string;
  readonly zxid: number;
}

const RANK: {
  readonly harness: 0;
  readonly act: 1;
  readonly goal: 2;
};

interface Range {
  readonly min: number;
  readonly max: number;
  readonly benign: number;
  readonly inUs?: true;
}

type Rank = (typeof RANK)[keyof typeof RANK];

type RecordDetails = Pick<TraceRecord, 'to' | 'detail'>;

class RedisHash {
  readonly fields: Map<string, string>;
}

class RedisList {
  items: string[];
}

class RedisSet {
  readonly members: Set<string>;
}

class RedisSortedSet {
  readonly scores: Map<string, number>;
}

interface RefusalRecord {
  readonly hold: string;
  readonly attempts: readonly AttemptRecord[];
  readonly withdrawn?: WithdrawalRecord;
  readonly leftMs?: number;
  readonly isAnswered?: boolean;
  readonly isQueue: boolean;
  readonly own: readonly StoredSpan[];
  readonly others: readonly StoredSpan[];
}

interface ReplicaSnapshot {
  readonly data: EngineSnapshot;
  readonly holders: ReadonlyMap<string, string> | undefined;
}

class Resource {
  refused: number;
  constructor(recorder: Recorder);
  read(token: bigint | undefined): ResourceReading;
  write(hold: Hold, reading: ResourceReading, token: bigint | undefined): void;
}

interface ResourceReading {
  readonly open: number;
  readonly fenced: number | undefined;
}

class Route {
  readonly from: string;
  readonly to: string;
  constructor(from: string, to: string);
  count(way: MessageKind, label: string): number;
  get wasCut(): boolean;
  cut(atUs: number): (healUs: number) => void;
  opensAt(atUs: number): number;
  onOpen(run: () => void): void;
}

class Run {
  readonly schedule: Schedule;
  readonly subject: Subject;
  readonly faults: FaultRegistry;
  readonly world: World;
  readonly recorder: Recorder;
  readonly resource: Resource;
  readonly store: MemoryStore;
  readonly storeProcess: SimProcess;
  readonly storeLog: HoldLog;
  readonly injections: InjectionLog;
  readonly cluster: Cluster;
  readonly clients: Map<ClientId, ScheduledClient>;
  readonly delays: ((client: ClientId, label: string) => Record<Way, number>)[];
  readonly violations: string[];
  readonly owners: Map<string, string>;
  readonly sometimes: Set<Sometimes>;
  areFaultsOver: boolean;
  repointedUntilMs: number;
  keyIdle: IdleKeyMonitor | undefined;
  handoverMonitor: HandoverMonitor | undefined;
  keyFreed: KeyFreedRecorder | undefined;
  fromMs: number;
  readonly allDone: Promise<void>;
  constructor(schedule: Schedule, subject: Subject, parts: RunParts, options: WorldOptions);
  envOf(process: SimProcess, link: MemoryLink, waits?: WaitLog): ClientEnv;
  callDelays(client: ClientId, label: string): Record<Way, number>;
  server(name: string): Member | undefined;
  labelsOf(label: string): readonly string[];
  atScheduleTime(ms: number, run: () => void): void;
  clientChanged(): void;
  recordKeyFreed(): () => void;
  recordGrant(hold: string, owner: string): void;
  reportViolation(text: string): void;
  isContended(except?: readonly ClientId[]): boolean;
  isContendedHolder(id: ClientId): boolean;
  isContendedWaiter(id: ClientId): boolean;
}

interface RunContext {
  readonly name: string;
  readonly kernel: Kernel;
  readonly anchors: Anchors;
  readonly storage: Storage;
  readonly runId: string;
  readonly wallUs: () => number;
  readonly keyChanges?: KeyChangeWatch | undefined;
  readonly holds?: HoldLog | undefined;
  readonly slots?: SlotGuard | undefined;
}

interface RunParts {
  readonly faults: FaultRegistry;
  readonly clusterOf: ClusterOf;
}

class ScheduledClient implements OperatingClient {
  readonly id: ClientId;
  readonly process: SimProcess;
  readonly isNewcomer: boolean;
  ops: number;
  opsLeft: number;
  opsActive: number;
  waiting: number;
  holding: number;
  accepted: number;
  waitLog: WaitLog | undefined;
  readonly calls: ClientCalls;
  readonly holds: Map<string, Hold>;
  readonly droppedLeases: Set<Lease>;
  constructor(id: ClientId, run: Run);
  get isClosing(): boolean;
  get isAlive(): boolean;
  get isDone(): boolean;
  get isLocked(): boolean;
  open(): Promise<void>;
  start(op: Op): void;
  acquireOnce(holdMs: number, signal?: AbortSignal): Promise<void>;
  close(timeoutMs: number): Promise<void>;
  shutDown(): void;
  collect(): void;
}

interface ServerHold {
  readonly server: string;
  readonly client: string;
  readonly fromMs: number;
  readonly untilMs: number;
  readonly end?: 'released' | 'expired' | 'taken' | 'removed' | 'data lost' | undefined;
  readonly by?: string | undefined;
}

class ServerHolders {
  constructor(server: string, log: HolderLog);
  get now(): ReadonlyMap<string, string>;
  on(key: string): readonly ServerHold[];
  wrote([command, ...args]: readonly string[]): void;
  expired(key: string): void;
  died(): void;
  loaded({ entries }: EngineSnapshot, known: ReadonlyMap<string, string> | undefined): void;
}

interface ServerKind {
  readonly cluster: (world: World, schedule: Schedule, subject: Subject) => Cluster;
  readonly load?: () => Promise<void>;
  readonly isEnsemble?: true;
  readonly size: number;
  readonly view: (view: Omit<SubjectEnv, 'store' | 'link'>) => Readonly<Record<string, unknown>>;
}

class ServerRun implements EventOwner {
  readonly engine: RedisEngine;
  readyAtUs: number;
  crashed: boolean;
  constructor(machine: RunContext);
  get isConnected(): boolean;
  connected(connection: Connection): void;
  disconnected(connection: Connection): void;
  abort(reason: string): void;
  reset(reason: string, which: (connection: Connection) => boolean): void;
  serve(connection: Connection, label: string, args: readonly string[], replied: (reply: EngineReply) => void, asking?: boolean): void;
  subscribe(connection: Connection, channel: string, heard: (text: string) => void, replied: (reply: EngineReply) => void, ended?: () => void): void;
  slotsMoved(): void;
  subscriptions(matches: (connection: Connection) => boolean): number;
  unsubscribe(connection: Connection, channel: string): void;
}

interface Servers {
  readonly isEnsemble: boolean;
}

interface SimEvent {
  atUs: number;
  readonly rank: Rank;
  readonly dueUs: number;
  readonly seq: number;
  readonly owner: EventOwner | undefined;
  readonly channel: EventChannel | undefined;
  readonly cause: number;
  readonly run: () => boolean;
  cancelled: boolean;
}

interface SlotView {
  owner: string;
  replica: string | undefined;
  migratingTo: string | undefined;
  isImporting: boolean;
  isDown: boolean;
}

interface Steered {
  readonly played: PlayResult;
  readonly isWhole: boolean;
  readonly endState: string;
}

class Storage {
  offset: number;
  readonly replicas: Set<KnownReplica>;
  waits: {
    acknowledged(): void;
  } | undefined;
  constructor(name: string, kernel: Kernel, clock: Clock, { holds, holders }?: StorageObservers);
  listen(listener: StorageListener): () => void;
  fill(engine: RedisEngine): void;
  started(): void;
  replicasAt(offset: number): number;
  requestAcknowledgements(): void;
  wrote(effect: readonly string[]): void;
  published(effect: readonly string[]): void;
  traceExpiries(): void;
  clockChanged(): void;
  died(): void;
  lose({ data, lost }: RestartOptions): void;
  become(role: RedisEngine['role']): void;
  apply(effect: readonly string[]): void;
  applyPublication(effect: readonly string[]): void;
  copy(): ReplicaSnapshot;
  load({ data, holders }: ReplicaSnapshot): void;
}

interface StorageListener {
  readonly wrote: (effect: readonly string[]) => void;
  readonly published: (effect: readonly string[]) => void;
  readonly started: () => void;
}

interface StorageObservers {
  readonly holds?: HoldLog | undefined;
  readonly holders?: HolderLog | undefined;
}

interface StoreKeeper {
  readonly store: MemoryStore;
  readonly storeProcess: SimProcess;
  readonly storeLog: HoldLog;
}

interface StoredSpan {
  readonly fromMs: number;
  readonly toMs: number;
  readonly untilMs: number;
}

interface StoredValue {
  readonly server: string;
  readonly key: string;
  readonly owner: string;
  readonly atMs: number;
  readonly untilMs: number;
  toMs: number;
  readonly isFromClient: boolean;
}

type Value = string | RedisHash | RedisSet | RedisList | RedisSortedSet;

class WaitLog {
  readonly refused: WaitRecord[];
  constructor(process: SimProcess, ttlMs: number | undefined);
  runtime(runtime: Runtime): Runtime;
  duringAcquire<T>(hold: string, acquire: () => Promise<T>): Promise<T>;
  noteLateGrant(contender: string): void;
  noteRefusal(hold: string, error: unknown): void;
  backend(backend: Backend): Backend;
  view({ nodes, database, ...rest }: ClientView): ClientView;
  link(link: MemoryLink): MemoryLink;
}

interface WaitRecord {
  readonly hold: string;
  readonly contenders: string[];
  readonly attempts: AttemptRecord[];
  withdrawn?: WithdrawalRecord;
  endedMs: number;
  leftMs?: number;
  isAnswered?: boolean;
}

type Way = 'request' | 'reply';

interface WithdrawalRecord {
  readonly atMs: number;
  readonly kind: Withdrawal['kind'];
}

interface Write {
  readonly key: string;
  readonly value: string;
}

// ========== @holdfast/harness/stores ==========

class PostgresEngine {
  readonly advisoryLocks: AdvisoryLocks;
  isStandby: boolean;
  constructor(options: EngineOptions);
  start(statement: ReturnType<typeof parse>[number], call: StatementCall): Running;
  setting(name: string): string | undefined;
  execute({ statement, args }: Call): readonly Row[];
  apply(changes: readonly LoggedChange[]): readonly RowChange[];
  changesOf(transaction: Transaction): readonly RowChange[];
  row(table: string, ...key: readonly string[]): RowValues | undefined;
  contents(): readonly (LoggedChange & {
    readonly values: RowValues;
  })[];
}

class SimEtcd {
  readonly servers: readonly SimEtcdServer[];
  constructor(world: World, network: Network, options?: SimEtcdOptions);
  get leader(): SimEtcdServer | undefined;
  compact(): void;
}

class SimEtcdClient implements EtcdClient {
  constructor(process: SimProcess, servers: readonly SimEtcdServer[], network: Network, first?: number);
  get address(): string;
  grant(lease: LeaseRequest, deadlineMs: number): Promise<Granted>;
  revoke(id: bigint, deadlineMs: number): Promise<Answered>;
  keepAlive(id: bigint, deadlineMs: number): Promise<KeptAlive>;
  range(read: ReadOp, deadlineMs: number): Promise<RangeReply>;
  txn(txn: Txn, deadlineMs: number): Promise<TxnReply>;
  watch(key: string, fromRevision: bigint, listener: WatchListener): () => void;
  status(deadlineMs: number): Promise<readonly ServerStatus[]>;
  close(): void;
}

interface SimEtcdOptions {
  readonly size?: number | undefined;
  readonly prefix?: string | undefined;
  readonly heartbeatMs?: number | undefined;
  readonly electionMs?: number | undefined;
  readonly lagMs?: number | undefined;
  readonly checkpointMs?: number | undefined;
  readonly compactMs?: number | undefined;
  readonly revokesUnasked?: boolean | undefined;
  readonly firstRevision?: bigint | undefined;
  readonly luck?: string | undefined;
  readonly observer?: EnsembleObserver | undefined;
}

class SimEtcdServer implements Endpoint, EnsembleMember, Member {
  readonly id: number;
  readonly name: string;
  readonly log: DurableLog;
  readonly clock: Clock;
  constructor(world: World, network: Network, ensemble: EnsembleContext, id: number, name: string);
  get program(): Program;
  get readyAtUs(): number;
  get isUp(): boolean;
  get leads(): boolean;
  get store(): EtcdStore;
  wallAt(atMs: number): number;
  watchedBy(process: SimProcess): readonly string[];
  accept(connection: Connection): EventOwner | undefined;
  disconnected(connection: Connection): void;
  stop(ms: number): void;
  crash(): void;
  restart(options?: RestartOptions): void;
  breakConnections(which?: (connection: Connection) => boolean): void;
  jumpWall(ms: number): void;
  setDrift(ppm: number): void;
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void;
}

class SimPostgresServer implements Endpoint, Member {
  readonly name: string;
  readonly storage: Storage;
  constructor(world: World, name: string, options: SimPostgresServerOptions);
  get engine(): PostgresEngine;
  get program(): EventOwner;
  get isUp(): boolean;
  get readyAtUs(): number;
  get wallUs(): number;
  whenWall(us: number): number;
  serverFor(): this;
  accept(connection: Connection): EventOwner | undefined;
  disconnected(connection: Connection): void;
  serve(connection: Connection, message: Message, replied: (outcome: MessageOutcome) => void, heard: Heard): void;
  stop(ms: number): void;
  crash(): void;
  restart(options: RestartOptions): void;
  breakConnections(which?: (connection: Connection) => boolean): void;
  sessions(which: (connection: Connection) => boolean): number;
  jumpWall(ms: number): void;
  setDrift(ppm: number): void;
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void;
  put(table: string, values: RowValues, ...key: readonly string[]): void;
  load(copy: StandbyCopy): void;
}

interface SimSessionOptions {
  readonly timeoutMs?: number;
  readonly servers?: readonly SimZooKeeperServer[];
  readonly identity?: string;
  readonly opened?: (session: ZooKeeperSession) => void;
  readonly openSessions?: typeof openSessions | undefined;
}

interface SimZnode {
  readonly data: string;
  readonly czxid: bigint;
  readonly ephemeralOwner: bigint;
}

class SimZooKeeper {
  readonly servers: readonly SimZooKeeperServer[];
  constructor(world: World, network: Network, options?: SimZooKeeperOptions);
  watch(applied: AppliedListener): void;
  get leader(): SimZooKeeperServer | undefined;
  get followers(): readonly SimZooKeeperServer[];
}

interface SimZooKeeperOptions {
  readonly size?: number;
  readonly prefix?: string;
  readonly tickMs?: number;
  readonly syncLimit?: number;
  readonly minSessionMs?: number;
  readonly maxSessionMs?: number;
  readonly electionMs?: number;
  readonly containerCheckMs?: number;
  readonly lagMs?: number;
  readonly holds?: HoldLog;
}

class SimZooKeeperServer implements Endpoint, EnsembleMember {
  readonly id: number;
  readonly name: string;
  constructor(world: World, network: Network, ensemble: EnsembleContext, id: number, name: string);
  get program(): Program;
  get readyAtUs(): number;
  get log(): readonly Transaction[];
  get isUp(): boolean;
  get role(): 'looking' | 'following' | 'leading' | 'down';
  get isServing(): boolean;
  wallAt(atMs: number): number;
  paths(): readonly string[];
  hasPath(isSuch: (path: string) => boolean): boolean;
  find(path: string): SimZnode | undefined;
  get watches(): number;
  watchedBy(process: SimProcess): readonly string[];
  accept(connection: Connection): EventOwner | undefined;
  disconnected(connection: Connection): void;
  stop(ms: number): void;
  crash(): void;
  restart(options: RestartOptions): void;
  lag(ms: number): void;
  reapContainers(): void;
  breakConnections(which?: (connection: Connection) => boolean): void;
  jumpWall(ms: number): void;
  setDrift(ppm: number): void;
  anchor(moment: AnchorMoment, label: string, n: number, fault: () => void): void;
}

// loadSqlParser:
function loadParser(): Promise<void>;

function simOpenSession(process: SimProcess, ensemble: SimZooKeeper, network: Network, options?: SimSessionOptions): OpenSession;

function simPostgresClient(process: SimProcess, address: PostgresAddress, network: Network): Promise<DatabaseClient>;

function simPostgresDatabase(process: SimProcess, address: PostgresAddress, network: Network, { connections, client: { Database, SessionPool } }?: SimDatabaseOptions): PostgresDatabase;

// ----- without a name of its own in @holdfast/harness/stores -----

interface Acknowledgement {
  readonly from: number;
  readonly term: number;
  readonly isRejected: boolean;
  readonly last: number;
  readonly counts: boolean;
}

class AdvisoryLocks {
  records: AdvisoryRecords | undefined;
  sessions: SilentSessions | undefined;
  tryLock(key: string, pid: number, owner?: string): boolean;
  unlock(key: string, pid: number): boolean;
  ended(pid: number): void;
  get holds(): readonly {
    readonly key: string;
    readonly owner: string | undefined;
  }[];
}

interface AdvisoryRecords {
  advisory(key: string, owner: string | undefined, isOfHolder: boolean): void;
}

interface Append {
  readonly term: number;
  readonly leader: number;
  readonly previous: number;
  readonly previousTerm: number;
  readonly entries: readonly Entry[];
  readonly commit: number;
}

type AppliedListener = (server: string, tree: Tree | undefined, entry: Transaction | undefined) => void;

interface AuthRequest {
  readonly kind: 'auth';
  readonly identity: string;
}

type Change = {
  readonly kind: 'create';
  readonly path: string;
  readonly data: string;
  readonly owner: ServerSession | undefined;
  readonly isContainer: boolean;
  readonly acl: NodeAcl | undefined;
} | {
  readonly kind: 'delete';
  readonly path: string;
} | {
  readonly kind: 'setData';
  readonly path: string;
  readonly data: string;
} | {
  readonly kind: 'createSession';
  readonly session: ServerSession;
} | {
  readonly kind: 'closeSession';
  readonly session: ServerSession;
  readonly paths: readonly string[];
}
 | {
  readonly kind: 'refused';
};

class ClientConnections {
  constructor(program: Program);
  connected(connection: Connection): void;
  disconnected(connection: Connection): void;
  abort(reason: string): void;
  reset(reason: string, which: (connection: Connection) => boolean): void;
  serve(connection: Connection, label: string, run: (link: ClientLink) => void): void;
  endWatches(): void;
  watchedBy(process: SimProcess): readonly string[];
}

class ClientConnections {
  constructor(program: Program);
  connected(connection: Connection): void;
  disconnected(connection: Connection): boolean;
  abort(reason: string): void;
  reset(reason: string, which: (connection: Connection) => boolean): void;
  connect(connection: Connection, request: ConnectRequest, receive: (frame: Uint8Array) => void): void;
  serve(connection: Connection, numbered: NumberedRequest): void;
  dismiss(session: ServerSession): void;
  watchedBy(process: SimProcess): readonly string[];
}

class ClientLink {
  readonly connection: Connection;
  constructor(program: Program, connection: Connection);
  get watched(): readonly string[];
  grant({ id, ttlSeconds }: LeaseRequest, reply: Reply<FieldsOf<Granted>>): void;
  revoke(id: bigint, reply: Reply<object>): void;
  range(read: ReadOp, reply: Reply<FieldsOf<RangeReply>>): void;
  txn(txn: Txn, label: string, reply: Reply<FieldsOf<TxnReply>>): void;
  keepAlive(id: bigint, reply: Reply<FieldsOf<KeptAlive>>): void;
  settings(ready: () => void): void;
  status(reply: Reply<FieldsOf<MemberStatus>>): void;
  watch(key: string, fromRevision: bigint, listener: WatchListener): (() => void) | undefined;
  endWatches(): void;
  disconnected(): void;
}

class ClientLink {
  readonly program: Program;
  readonly connection: Connection;
  readonly watched: Set<string>;
  identities: Identities;
  session: ServerSession | undefined;
  receive: (frame: Uint8Array) => void;
  constructor(program: Program, connection: Connection);
  replyConnect(session: ServerSession | undefined): void;
  take(session: ServerSession, numbered: NumberedRequest): void;
  drain(): void;
  notify(change: WatchedChange, path: string): void;
  abort(reason: string): void;
  disconnected(): void;
}

interface ClientRequest {
  readonly client: string;
  readonly label: string;
  readonly args: readonly Value[];
}

type Command =
{
  readonly kind: 'term';
} | {
  readonly kind: 'grant';
  readonly id: bigint;
  readonly ttlMs: number;
} | {
  readonly kind: 'revoke';
  readonly id: bigint;
}
 | {
  readonly kind: 'checkpoint';
  readonly id: bigint;
  readonly leftMs: number;
} | {
  readonly kind: 'txn';
  readonly txn: Txn;
} | {
  readonly kind: 'compact';
};

type Command = {
  readonly type: 'listen';
  readonly channel: string;
} | {
  readonly type: 'isolation';
  readonly level: string;
} | {
  readonly type: 'set local';
  readonly name: string;
  readonly value: string;
};

interface ConnectRequest {
  readonly sessionId: bigint;
  readonly password: Uint8Array;
  readonly timeoutMs: number;
  readonly zxid: number;
}

class Disk implements EventOwner {
  constructor(program: Program);
  get readyAtUs(): number;
  get crashed(): boolean;
  stallUntil(atUs: number): void;
}

class DurableLog {
  readonly entries: Entry[];
  term: number;
  vote: number;
  commit: number;
  isDamaged: boolean;
  get last(): number;
  get lastTerm(): number;
  termAt(index: number): number;
  write(index: number, entries: readonly Entry[]): number;
  lose({ data, lost }: RestartOptions): void;
}

class DurableState {
  log: Transaction[];
  epoch: number;
  get lastZxid(): number;
  lose({ data, lost }: RestartOptions): void;
  adopt(log: readonly Transaction[], epoch: number): number;
}

class Election {
  constructor(raft: Raft);
  begin(): void;
  voted(from: number, term: number, isTrial: boolean): void;
}

interface EngineOptions {
  readonly nowUs: () => number;
  readonly schema: string;
  readonly settings?: Readonly<Record<string, string>>;
}

interface EngineSession {
  readonly pid: number;
  readonly local?: ReadonlyMap<string, string>;
  readonly settings?: Map<string, string>;
}

interface EnsembleContext {
  readonly settings: EnsembleSettings;
  readonly members: readonly EnsembleMember[];
  readonly quorum: number;
  readonly isDamaged: boolean;
  readonly observer: EnsembleObserver | undefined;
}

interface EnsembleContext {
  readonly settings: EnsembleSettings;
  readonly members: readonly EnsembleMember[];
  readonly quorum: number;
  newSession(server: number, timeoutMs: number): ServerSession;
  sessionOf(id: bigint, password: Uint8Array): ServerSession | undefined;
  connections: number;
  wake(): void;
  applied?: AppliedListener | undefined;
  holds?: LeaderHolds | undefined;
}

interface EnsembleMember {
  readonly id: number;
  readonly name: string;
  readonly program: Program;
}

interface EnsembleMember {
  readonly id: number;
  readonly name: string;
  readonly program: Program;
}

interface EnsembleObserver {
  applied(program: Program, entry: Entry, result: EntryResult): void;
  leads(program: Program): void;
  extended(program: Program, lease: bigint, untilUs: number): void;
  replaced(program: Program): void;
}

interface EnsembleSettings {
  readonly heartbeatMs: number;
  readonly electionMs: number;
  readonly lagMs: number;
  readonly checkpointMs: number | undefined;
  readonly compactMs: number | undefined;
  readonly revokesUnasked: boolean;
  readonly firstRevision: bigint | undefined;
  readonly luck: string;
}

interface EnsembleSettings {
  readonly tickMs: number;
  readonly syncLimit: number;
  readonly minSessionMs: number;
  readonly maxSessionMs: number;
  readonly electionMs: number;
  readonly containerCheckMs: number;
  readonly lagMs: number;
}

class Entry implements Proposal {
  readonly term: number;
  readonly command: Command;
  readonly client: string | undefined;
  readonly waiter: EntryWaiter | undefined;
  constructor(term: number, { command, client, waiter }: Proposal);
}

type EntryResult = StoreReply | EtcdReplyError;

interface EntryWaiter {
  readonly origin: object;
  readonly isWanted: () => boolean;
  applied(result: EntryResult): void;
}

class EtcdStore {
  readonly leases: Leases;
  constructor(firstRevision?: bigint);
  get revision(): bigint;
  get watches(): number;
  apply(command: Command): StoreReply;
  get(key: string): StoredKey | undefined;
  get keys(): readonly StoredKey[];
  revoke(id: bigint): void;
  range(read: ReadOp): StoreReply;
  txn({ compare, success, failure }: Txn): StoreReply;
  isCompacted(fromRevision: bigint): boolean;
  watch(key: string, fromRevision: bigint, deleted: () => void): () => void;
  compact(): void;
}

type FieldsOf<T extends Answered> = Omit<T, 'header' | 'sentAt'>;

class Following implements Role {
  readonly name = "following";
  isServing: boolean;
  readonly tracked = 0;
  constructor(program: Program, leader: Program);
  begin(): void;
  beginInStep(epoch: number): PeerLink;
  heard(): void;
  receiveLog(log: readonly Transaction[], epoch: number): void;
  serve(count: number): void;
  proposed(entry: Transaction, index: number): void;
  committed(count: number): void;
  synced(path: string, waiter: Waiter): void;
  pinged(): void;
  touch(session: ServerSession): void;
  submit(session: ServerSession, request: WriteRequest | SyncRequest, waiter: Waiter): void;
  open(session: ServerSession, waiter: Waiter): void;
  revalidate(session: ServerSession, reply: (lives: boolean) => void): void;
  lost(reason: string): void;
  wake(): void;
  pausePings(): void;
  resumePings(): void;
  end(): void;
}

type Heard = (channel: string, payload: string) => void;

interface Heartbeat {
  readonly term: number;
  readonly leader: number;
  readonly commit: number;
  readonly read: number;
}

class HoldRecords {
  constructor(name: string, parts: HoldRecordsParts);
  changed(changes: readonly RowChange[], request: ClientRequest): void;
  advisory(key: string, owner: string | undefined, isOfHolder: boolean): void;
  all(rows: readonly RowChange[], advisory: readonly string[]): void;
  died(): void;
  clear(): void;
  promoted(): void;
}

interface HoldRecordsParts {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly log: HoldLog;
  readonly holders: ServerHolders | undefined;
  readonly touches: TouchWatch;
}

type Identities = readonly string[];

class LeaderHolds {
  constructor(holds: HoldLog);
  applied(program: Program, { change, waiter }: Transaction): void;
  tracked(program: Program, session: ServerSession, expiresUs: number): void;
  leads(program: Program): void;
}

class Leadership {
  constructor(raft: Raft);
  begin(): void;
  end(): void;
  append(proposal: Proposal): void;
  confirm(run: (index: number) => void): void;
  acknowledged({ from, term, isRejected, last, counts }: Acknowledgement): void;
  isAlive(from: number, term: number, { read, last }: {
    readonly read: number;
    readonly last: number;
  }): void;
}

class Leading implements Role {
  readonly name = "leading";
  constructor(program: Program);
  get isServing(): boolean;
  get tracked(): number;
  begin(): void;
  beginInStep(links: readonly PeerLink[], epoch: number): void;
  acceptFollower(link: PeerLink, epoch: number, zxid: number): void;
  heard(link: PeerLink): void;
  disconnected(link: PeerLink): void;
  acknowledged(link: PeerLink, count: number): void;
  touched(sessions: Iterable<ServerSession>): void;
  touch(session: ServerSession): void;
  submit(session: ServerSession, request: WriteRequest | SyncRequest, waiter: Waiter): void;
  forwarded(link: PeerLink, session: ServerSession, request: WriteRequest | SyncRequest, waiter: Waiter): void;
  open(session: ServerSession, waiter: Waiter, server?: string): void;
  revalidate(session: ServerSession, reply: (lives: boolean) => void): void;
  revalidateAt(session: ServerSession, server: string): boolean;
  wake(): void;
  end(): void;
  reap(): void;
}

class Leases {
  get ids(): Iterable<bigint>;
  get(id: bigint): StoredLease | undefined;
  grant(id: bigint, ttlMs: number): void;
  checkpoint(id: bigint, leftMs: number): void;
  check(id: bigint): void;
  end(id: bigint): ReadonlySet<string>;
  move(key: string, from: bigint, to: bigint): void;
}

class Lessor {
  constructor(program: Program);
  get leads(): boolean;
  promote(): void;
  demote(): void;
  granted(id: bigint): void;
  revoked(id: bigint): void;
  renew(id: bigint, done: (renewal: Renewal) => void): void;
}

type LockMode = 'key share' | 'share' | 'no key update' | 'update';

interface LoggedChange {
  readonly table: string;
  readonly id: string;
  readonly values: RowValues | undefined;
}

interface MachineContext {
  readonly id: number;
  readonly name: string;
  readonly kernel: Kernel;
  readonly network: Network;
  readonly clock: Clock;
  readonly anchors: Anchors;
  readonly log: DurableLog;
  readonly ensemble: EnsembleContext;
}

interface MemberStatus extends Answered {
  readonly version: string;
  readonly hasLeader: boolean;
}

interface Message {
  readonly label: string;
  readonly statements: readonly Parsed[];
  readonly args: readonly Argument[];
}

type MessageOutcome = {
  readonly rows: readonly Row[];
  readonly warning?: string | undefined;
} | {
  readonly error: SqlError;
};

interface NodeAcl {
  readonly entries: readonly Acl[];
  readonly creators: Identities;
}

interface Notification {
  readonly channel: string;
  readonly payload: string;
}

interface NumberedRequest {
  readonly xid: number;
  readonly request: Request;
}

type Parsed = Statement | Command;

class PeerLink {
  readonly follower: Program;
  readonly leader: Program;
  readonly following: Following;
  leading: Leading | undefined;
  heardUs: number;
  epoch: number;
  acked: number;
  isLogSent: boolean;
  isSynced: boolean;
  constructor(following: Following, follower: Program, leader: Program);
  toLeader(label: string, run: (leading: Leading) => void): void;
  requestToFollow(run: () => void): void;
  toFollower(label: string, run: (following: Following) => void): void;
  closeAtLeader(): void;
  closeAtFollower(): void;
  break(): void;
}

class Peers {
  readonly others: readonly EnsembleMember[];
  constructor(program: Program);
  named(id: number): EnsembleMember | undefined;
  toAll(label: string, run: (there: Program) => void): void;
  to(member: EnsembleMember, label: string, run: (there: Program) => void, needsDisk?: boolean): void;
}

interface PendingFollower {
  readonly link: PeerLink;
  readonly epoch: number;
  readonly zxid: number;
}

interface PostgresAddress {
  readonly name: string;
  serverFor(process: SimProcess): SimPostgresServer;
}

class Program implements EventOwner {
  readonly machine: MachineContext;
  readonly peers: Peers;
  readonly raft: Raft;
  readonly lessor: Lessor;
  readonly clients: ClientConnections;
  store: EtcdStore;
  readyAtUs: number;
  readonly disk: Disk;
  crashed: boolean;
  lagMs: number;
  constructor(machine: MachineContext, run: number);
  get settings(): EnsembleSettings;
  get quorum(): number;
  get monotonicUs(): number;
  get departUs(): number;
  get header(): Header;
  pauseUntil(atUs: number): void;
  withDisk(run: () => void): void;
  after(ms: number, run: () => void, owner?: EventOwner): void;
  note(kind: string, label?: string): void;
  propose(command: Command, applied?: () => void): void;
  linearizable(isWanted: () => boolean, run: () => void): void;
  confirmLeadership(run: () => void): void;
  committed(): void;
  leaderChanged(): void;
  forgetBeyond(count: number): void;
  end(): void;
}

class Program implements EventOwner {
  readonly machine: ServerContext;
  readonly watchers: Watchers;
  readonly clients: ClientConnections;
  tree: Tree;
  role: Role;
  zxid: number;
  lagMs: number;
  readyAtUs: number;
  crashed: boolean;
  constructor(machine: ServerContext);
  get settings(): EnsembleSettings;
  get quorum(): number;
  get self(): EnsembleMember;
  get others(): readonly EnsembleMember[];
  get connectTimeoutMs(): number;
  get monotonicUs(): number;
  get departUs(): number;
  get isIdle(): boolean;
  at(monotonicUs: number, run: () => void): SimEvent;
  after(ms: number, run: () => void): SimEvent;
  note(kind: string, label?: string): void;
  startElection(reason: string): void;
  follow(leader: EnsembleMember): void;
  lead(pending: readonly PendingFollower[]): void;
  assignRole(role: Role): void;
  acceptFollower(link: PeerLink, epoch: number, zxid: number): void;
  receiveVote(vote: {
    readonly id: number;
    readonly epoch: number;
    readonly zxid: number;
  }, from: EnsembleMember, isReply: boolean): void;
  send(label: string, to: EnsembleMember, run: (there: Program) => void): void;
  reap(): void;
  applyUpTo(count: number): void;
  forgetBeyond(count: number): void;
}

interface Proposal {
  readonly command: Command;
  readonly client: string | undefined;
  readonly waiter: EntryWaiter | undefined;
}

class Raft {
  readonly program: Program;
  readonly log: DurableLog;
  leader: number;
  leadership: Leadership | undefined;
  election: Election | undefined;
  constructor(program: Program, run: number);
  begin(): void;
  beginInTerm(term: number, leader: number): void;
  get leads(): boolean;
  get quorum(): number;
  propose(proposal: Proposal): void;
  readIndex(isWanted: () => boolean, run: (index: number) => void): void;
  appended(append: Append): void;
  heartbeat(beat: Heartbeat): void;
  outdated(term: number): void;
  get hearsLeader(): boolean;
  follow(): void;
  lead(): void;
  voteIn(term: number, candidate: number): void;
  end(): void;
  campaign(): void;
}

type ReadRequest = {
  readonly kind: 'read' | 'list' | 'existsWatch' | 'removeWatch';
  readonly path: string;
} | {
  readonly kind: 'ping';
} | SetWatches;

type Renewal = {
  readonly ttlMs: number;
} | 'unknown' | 'no leader';

type Reply<Fields> = (reply: (Fields & {
  readonly header: Header;
}) | Error) => void;

type Request = WriteRequest | ReadRequest | SyncRequest | AuthRequest;

interface Role {
  readonly name: 'looking' | 'following' | 'leading';
  readonly isServing: boolean;
  touch(session: ServerSession): void;
  submit(session: ServerSession, request: WriteRequest | SyncRequest, waiter: Waiter): void;
  open(session: ServerSession, waiter: Waiter): void;
  revalidate(session: ServerSession, reply: (lives: boolean) => void): void;
  wake(): void;
  readonly tracked: number;
  end(): void;
}

interface RowChange {
  readonly table: string;
  readonly id: string;
  readonly before: RowValues | undefined;
  readonly after: RowValues | undefined;
}

type RowValues = Readonly<Record<string, Value>>;

type Running = Generator<Transaction, readonly RowValues[], void>;

interface ServerContext {
  readonly id: number;
  readonly name: string;
  readonly kernel: Kernel;
  readonly network: Network;
  readonly clock: Clock;
  readonly anchors: Anchors;
  readonly storage: DurableState;
  readonly ensemble: EnsembleContext;
}

class ServerSession {
  readonly id: bigint;
  readonly timeoutMs: number;
  readonly password: Uint8Array;
  constructor(id: bigint, timeoutMs: number);
  isProvenBy(password: Uint8Array): boolean;
}

interface SetWatches {
  readonly kind: 'setWatches';
  readonly there: readonly string[];
  readonly missing: readonly string[];
  readonly zxid: number;
}

interface SharedRecords {
  readonly log: HoldLog;
  readonly holders: HolderLog | undefined;
  readonly touches: TouchWatch;
}

interface SilentSessions {
  isGivenUp(pid: number): boolean;
}

interface SimDatabaseOptions {
  readonly connections?: number;
  readonly client?: typeof shipped | undefined;
}

interface SimPostgresServerOptions {
  readonly schema: string;
  readonly settings?: Readonly<Record<string, string>>;
  readonly wallOffsetMs?: number;
  readonly isPooled?: boolean;
  readonly records?: SharedRecords;
}

class SqlError extends Error {
  readonly name = "SqlError";
  readonly code: string;
  constructor(code: string, message: string);
}

interface StandbyCopy {
  readonly contents: readonly LoggedChange[];
  readonly position: number;
}

interface StatementCall {
  readonly session: EngineSession;
  readonly transaction: Transaction;
  readonly messageUs: number;
  readonly args: readonly Value[];
}

class Storage {
  constructor(holds: HoldRecords | undefined);
  get isStandby(): boolean;
  get position(): number;
  listen(listener: StorageListener): () => void;
  fillMemory(engine: PostgresEngine): void;
  started(): void;
  died(): void;
  lose({ data, lost }: RestartOptions): void;
  commit(transaction: Transaction, request: ClientRequest, done: (notifications: readonly Notification[], warning?: string) => void): void;
  acknowledged(position: number): void;
  cancelWaits(): void;
  become(role: 'primary' | 'standby'): void;
  clockChanged(): void;
  apply(changes: readonly LoggedChange[], position: number): void;
  copy(): StandbyCopy;
  replace({ contents, position }: StandbyCopy): void;
}

interface StorageListener {
  readonly logged: (changes: readonly LoggedChange[], position: number) => void;
  readonly started: () => void;
}

interface StoreReply {
  readonly succeeded: boolean;
  readonly reads: readonly (readonly StoredKey[])[];
  readonly count: bigint;
}

interface StoredLease {
  readonly ttlMs: number;
  readonly keys: ReadonlySet<string>;
  readonly leftMs: number;
}

class StoredRow {
  readonly table: Table;
  readonly id: string;
  committed: RowValues | undefined;
  constructor(table: Table, id: string, committed?: RowValues);
  seenBy(transaction: Transaction | undefined): RowValues | undefined;
  blockerOf(transaction: Transaction, mode: LockMode): Transaction | undefined;
  lock(transaction: Transaction, mode: LockMode): void;
  write(transaction: Transaction, values: RowValues | undefined): void;
  changeBy(transaction: Transaction): LoggedChange | undefined;
  end(transaction: Transaction, isCommitted: boolean): void;
}

interface SyncRequest {
  readonly kind: 'sync';
  readonly path: string;
}

class Table {
  readonly shape: TableShape;
  readonly rows: Map<string, StoredRow>;
  readonly indexes: Map<string, readonly string[]>;
  constructor(shape: TableShape);
  isKey(columns: readonly string[]): boolean;
  idOf(values: RowValues): string;
  check(values: RowValues): void;
}

interface TableShape {
  readonly name: string;
  readonly columns: readonly string[];
  readonly required: ReadonlySet<string>;
  readonly primaryKey: readonly string[];
}

class TouchWatch {
  readonly all: KeyChange[];
  constructor({ labels, nowMs }: TouchWatchOptions);
  writerOf(owner: string): string;
  changed({ id, before, after, node, nowUs, }: RowChange & {
    readonly node: string;
    readonly nowUs: number;
  }, { client, label, args }: ClientRequest): void;
}

interface TouchWatchOptions {
  readonly labels: readonly string[];
  readonly nowMs: () => number;
}

class Transaction {
  readonly startedUs: number;
  readonly notifications: Notification[];
  constructor(startedUs: number);
  get hasEnded(): boolean;
  get hasId(): boolean;
  touches(row: StoredRow): void;
  get changes(): readonly LoggedChange[];
  onEnd(run: () => void): void;
  end(isCommitted: boolean): void;
}

class Transaction {
  readonly zxid: number;
  readonly change: Change;
  readonly reply: ZooKeeperReply;
  readonly waiter: Waiter | undefined;
  constructor(zxid: number, change: Change, reply: ZooKeeperReply, waiter: Waiter | undefined);
}

class Tree {
  get(path: string): Znode | undefined;
  has(session: ServerSession): boolean;
  get sessions(): Iterable<ServerSession>;
  get nodes(): Iterable<[path: string, node: Znode]>;
  ephemeralsOf(session: ServerSession): readonly string[];
  apply(change: Change, zxid: number): void;
}

type Value = string | number | bigint | boolean | null | readonly number[] | readonly string[];

interface Waiter {
  readonly program: EventOwner;
  readonly identities: Identities;
  done(reply: ZooKeeperReply): void;
  refused(): void;
}

type WatchedChange = 'created' | 'deleted' | 'changed';

class Watchers {
  get size(): number;
  add(path: string, link: ClientLink): void;
  fire(change: WatchedChange, path: string, acl: NodeAcl | undefined): void;
  remove(path: string, link: ClientLink): void;
  removeAll(link: ClientLink): void;
}

type WriteRequest = {
  readonly kind: 'create';
  readonly path: string;
  readonly data: string;
  readonly mode: CreateMode;
  readonly acl: readonly Acl[] | undefined;
} | {
  readonly kind: 'delete';
  readonly path: string;
} | {
  readonly kind: 'setData';
  readonly path: string;
  readonly data: string;
  readonly version?: number | undefined;
} | {
  readonly kind: 'close';
};

class Znode {
  data: string;
  readonly czxid: number;
  mzxid: number;
  version: number;
  readonly owner: ServerSession | undefined;
  readonly isContainer: boolean;
  readonly acl: NodeAcl | undefined;
  creates: number;
  constructor(data: string, zxid: number, owner?: ServerSession, isContainer?: boolean, acl?: NodeAcl);
  get children(): ReadonlySet<string>;
  add(child: string): void;
  remove(child: string): void;
}

interface ZooKeeperReply {
  readonly zxid: number;
  readonly code?: ReplyCode | undefined;
  readonly path?: string | undefined;
  readonly data?: string | undefined;
  readonly czxid?: number | undefined;
  readonly owner?: ServerSession | undefined;
  readonly version?: number | undefined;
  readonly children?: readonly string[] | undefined;
}

function parse(text: string): readonly Parsed[];
