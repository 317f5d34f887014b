// Every public name of this package, as the compiler emits it. Generated: npm run api

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
  releaseToNext?(): Promise<Release>;
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

type Reentry = (backend: string, emit: (event: LockEvent) => void) => HoldContext;

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
}, mode: HoldMode | undefined, otherOf: number | undefined): boolean;

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

class Background {
  add(work: Promise<unknown>): void;
  get isDone(): boolean;
  done(): Promise<void>;
}

type Busy = Extract<Attempt, {
  kind: 'busy';
}>;

interface ClientEvent {
  readonly seq: number;
  readonly atMs: number;
  readonly client: string;
  readonly key: string;
}

interface ContenderGrant {
  readonly kind: 'won';
  readonly grant: Grant;
  readonly contender: string;
  readonly attempts: number;
}

interface ContextStorage {
  getStore(): unknown;
  run<T>(value: unknown, body: () => T): T;
}

abstract class Deadline {
  index: number;
  abstract onDue(): void;
}

class DeadlineHeap {
  constructor(runtime: Runtime, { awaited, watchesWall }: DeadlineHeapOptions);
  get size(): number;
  at(dueMs: number, run: () => void): () => void;
  set(deadline: Deadline, dueMs: number): void;
  clear(entry: Deadline): void;
}

interface DeadlineHeapOptions {
  readonly awaited: boolean;
  readonly watchesWall?: boolean;
}

interface FailedAttempt {
  readonly attempt: Exclude<Attempt, {
    kind: 'granted';
  }>;
  readonly from: Instant;
  readonly at: Instant;
}

class HeldLease implements Lease {
  constructor(controller: LeaseController);
  get key(): string;
  get owner(): string;
  get fencingToken(): bigint | undefined;
  get state(): 'held' | 'lost' | 'released';
  get signal(): AbortSignal;
  get remainingMs(): () => number;
  get assertHeld(): () => void;
  get extend(): (ttlMs: number) => Promise<void>;
  get export(): () => Promise<string>;
  get release(): () => Promise<Release>;
  get [Symbol.asyncDispose](): () => Promise<void>;
}

class HeldMultiLease implements MultiLease {
  constructor(controller: MultiLeaseController);
  get keys(): readonly string[];
  get fencingTokens(): ReadonlyMap<string, bigint | undefined>;
  get state(): 'held' | 'lost' | 'released';
  get signal(): AbortSignal;
  get remainingMs(): () => number;
  get assertHeld(): () => void;
  get extend(): (ttlMs: number) => Promise<void>;
  get release(): () => Promise<Release>;
  get [Symbol.asyncDispose](): () => Promise<void>;
}

class HoldContext {
  constructor(reentry: ReentryOptions, backend: string, emit: (event: LockEvent) => void);
  place(): Error;
  within<L, T>(lease: HeldLease | HeldMultiLease, holding: Holding, body: (lease: L) => T): (lease: L) => T;
  reenter(key: string, mode: HoldMode | undefined): HeldLease | undefined;
  warnOfOwn(keys: KeyOrKeys, mode: HoldMode | undefined): void;
  frameOf(lease: HeldLease): HoldFrame | undefined;
}

interface HoldEvent extends ClientEvent {
  readonly hold: string;
}

class HoldFrame {
  lease: HeldLease | HeldMultiLease | undefined;
  holding: Holding;
  again: HeldLease | undefined;
  constructor(outer: HoldFrame | undefined, lease: HeldLease | HeldMultiLease, holding: Holding);
  get outer(): HoldFrame | undefined;
  continueUnder(lease: HeldLease, mode: HoldMode): void;
  holds(key: string): boolean;
  enterable(key: string): HeldLease | undefined;
  get isHeld(): boolean;
}

interface Holding {
  readonly mode?: HoldMode | undefined;
  readonly place: Error | undefined;
  readonly leads?: boolean;
}

interface KeyOnBackend {
  readonly key: string;
  readonly backend: string;
}

type KeyOrKeys = string | readonly string[];

class LeaseClock {
  constructor(runtime: Runtime, grant: Pick<Grant, 'leaseMs' | 'validity'>, maxHoldMs: number);
  get validity(): Validity;
  get ttlMs(): number;
  get capMs(): number;
  get isCapReached(): boolean;
  heldMs(): number;
  leftMs(): number;
  get retryMs(): number;
  renewDueMs(sooner: number): number;
  isRenewalDue({ wallMs }: Instant): boolean;
  cap(maxHoldMs: number): void;
  shorten(ttlMs: number): void;
  extend({ from, ms }: Validity, ttlMs?: number): void;
}

interface LeaseContext {
  readonly host: Host;
  readonly backend: string;
  readonly isSession: boolean;
  readonly canAdopt: boolean;
  readonly deadlines: DeadlineHeap;
  readonly retainedDeadlines: DeadlineHeap;
  readonly background: Background;
}

class LeaseController implements WatchedLease, ReleasedLease {
  readonly grant: Grant;
  readonly key: string;
  readonly contender: string;
  readonly clock: LeaseClock;
  readonly reference: LeaseReference;
  readonly grantedMs: number;
  readonly context: LeaseContext;
  readonly watchdog: Watchdog;
  handles: OpenHandles | undefined;
  readonly queue: LocalQueue | undefined;
  isExported: boolean;
  constructor(context: LeaseContext, { grant, contender }: ContenderGrant, { key, renew, maxHoldMs, part }: LeaseRequest, queue: LocalQueue | undefined);
  start(lease: object, onEnded: (lease: LeaseController) => void): void;
  get keyOnBackend(): {
    readonly key: string;
    readonly backend: string;
  };
  get state(): 'held' | 'lost' | 'released';
  get hasEnded(): boolean;
  get isAbandoned(): boolean;
  get signal(): AbortSignal;
  remainingMs(): number;
  lossError(details?: {
    readonly result?: unknown;
  }): LockLostError;
  lose(reason: LossReason): void;
  leak(): void;
  release(): Promise<Release>;
  releaseAfter(keepMs: number): Promise<Release>;
  endExported(): void;
  close(): Promise<void>;
  abandon(): StillHeld | undefined;
  next(): void;
  reportRenewed(from: Instant): void;
  emit(event: LeaseEvent): void;
}

type LeaseEvent = WithoutContender<LockEventOf<'exported' | 'leaked' | 'lost' | 'released' | 'renewed'>>;

class LeaseReference {
  holdStrongly(lease: object): void;
  get isStrong(): boolean;
  makeWeak(runtime: Runtime, onDropped: () => void): void;
  forget(): void;
  signal(reason: () => unknown): AbortSignal;
  abort(reason: unknown): void;
}

interface LeaseRequest {
  readonly key: string;
  readonly ttlMs: number;
  readonly waitMs: number;
  readonly renew: boolean;
  readonly maxHoldMs: number;
  readonly retains: boolean;
  readonly exported?: string | undefined;
  readonly mode?: HoldMode | undefined;
  readonly part?: Part | undefined;
}

class LocalQueue {
  waitLoop: Pick<WaitLoop, 'lastOutcome' | 'holderRemainingMs'> | undefined;
  holder: LeaseController | undefined;
  constructor(key: string, queues: Map<string, LocalQueue>);
  get holderRemainingMs(): number | undefined;
  mayPassOn(): boolean;
  join(waiter: QueuedWaiter): void;
  leave(waiter: QueuedWaiter): void;
  hold(holder: LeaseController, attempts: number): void;
  next(): void;
}

type ModeReply = {
  readonly kind: 'granted';
  readonly token: bigint | undefined;
  readonly otherOf?: number | undefined;
} | {
  readonly kind: 'busy';
  readonly holderRemainingMs: number;
  readonly otherOf?: number | undefined;
} | {
  readonly kind: 'other-mode';
  readonly holds: 'shared' | 'permits';
};

class MultiLeaseController {
  readonly keys: readonly string[];
  readonly backend: string;
  readonly parts: LeaseController[];
  constructor(keys: readonly string[], backend: string, background: Background, stopWaiting: (reason: LockError) => void);
  begin(renew: boolean, maxHoldMs: number): void;
  get state(): 'held' | 'lost' | 'released';
  get hasLostPart(): boolean;
  get fencingTokens(): ReadonlyMap<string, bigint | undefined>;
  get signal(): AbortSignal;
  remainingMs(): number;
  lossError(details?: {
    readonly result?: unknown;
  }): LockLostError;
  onAbort(key: string, reason: LockError): void;
  release(): Promise<Release>;
  releaseAfter(keepMs: number): Promise<Release>;
  extend(ttlMs: number): Promise<void>;
  releaseParts(): Promise<Release>;
}

class OpenHandles {
  constructor(first: object);
  get count(): number;
  add(handle: object): void;
  has(handle: object): boolean;
  close(handle: object): void;
}

interface Part {
  readonly startedMs: number;
  readonly onAbort: (reason: LockError) => void;
}

interface QueuedWaiter {
  start(): void;
}

interface ReentryOptions {
  readonly storage: ContextStorage;
  readonly reenters: boolean;
}

interface ReleasedLease {
  readonly grant: Grant;
  readonly clock: LeaseClock;
  readonly keyOnBackend: {
    readonly key: string;
    readonly backend: string;
  };
  emit(event: LeaseEvent): void;
  next(): void;
}

interface RenewedLease {
  readonly context: {
    readonly host: {
      readonly runtime: Runtime;
    };
  };
  readonly grant: Grant;
  readonly clock: LeaseClock;
  readonly hasEnded: boolean;
  remainingMs(): number;
  lose(reason: 'renewal'): void;
  reportRenewed(from: Instant): void;
}

class Renewer {
  constructor(lease: RenewedLease);
  renew(extendToMs?: number): Promise<Renewal>;
  renewOnce(ttlMs: number): Promise<Renewal>;
}

class WaitLoop {
  constructor(backend: Backend, host: Host, request: WaitRequest, owner: WaitOwner);
  cancel(reason: 'aborted' | 'closed'): void;
  get isCancelled(): boolean;
  get lastOutcome(): FailedAttempt['attempt'] | undefined;
  get holderRemainingMs(): number | undefined;
  run(): void;
  releaseLateGrant(grant: Grant): Promise<void>;
}

type WaitOutcome = ContenderGrant | {
  readonly kind: 'failed';
  readonly error: LockError;
} | {
  readonly kind: 'cancelled';
};

interface WaitOwner {
  onBusy(busy: Busy): void;
  onEnded(outcome: WaitOutcome): void;
  onBroken(cause: unknown): void;
}

interface WaitRequest {
  readonly key: string;
  readonly contender: string;
  readonly ttlMs: number | undefined;
  readonly waitMs: number;
  readonly startedMs: number;
  readonly exported?: string | undefined;
  readonly mode?: HoldMode | undefined;
}

class Watchdog extends Deadline {
  constructor(lease: WatchedLease, renews: boolean);
  get renews(): boolean;
  get renewer(): Renewer;
  start(handle: object): void;
  begin(renew: boolean, maxHoldMs: number): void;
  shorten(ttlMs: number): void;
  abandon(): void;
  stop(): void;
  atExpiry(run: () => void): void;
  onDue(): void;
}

interface WatchedLease extends RenewedLease {
  readonly context: LeaseContext;
  readonly reference: LeaseReference;
  leak(): void;
}

type WithoutContender<Event> = Event extends unknown ? Omit<Event, 'key' | 'backend' | 'contender'> : never;

// ========== @holdfast/core/queue ==========

type PlaceInQueue =
{
  readonly kind: 'first';
  readonly lastReader?: number;
  readonly otherOf?: number;
}
 | {
  readonly kind: 'behind';
  readonly index: number;
}
 | {
  readonly kind: 'short';
  readonly otherOf: number;
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

// ========== @holdfast/core/reentry ==========

// ContextStorage, as in 

// Reentry, as in @holdfast/core/backend

// ReentryOptions, as in 

function reentryBy(options: ReentryOptions): Reentry;
