// Every public name of this package, as the compiler emits it. Generated: npm run api

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
  readonly warnings: readonly string[];
  constructor(name: string, at: Pick<Actor, 'backend' | 'runtime' | 'warnings'>, capabilities: Capabilities);
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
