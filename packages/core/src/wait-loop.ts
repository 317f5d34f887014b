import { AttemptLog, type Busy, type FailedAttempt, type WaitRequest } from './attempt-log.ts';
import { asUnknown, catchAsUnknown, releaseOf } from './background.ts';
import type { LockError } from './errors.ts';
import type { Attempt, Backend, Contender, Grant, Host, Withdrawal } from './port.ts';
import type { Instant } from './runtime.ts';
import { callDeadlineMs, remainingMs } from './validity.ts';
import { backoffMs, sleepWhileBusy } from './wait-pauses.ts';
import { WakeableSleep } from './wakeable-sleep.ts';

/** A grant, and the contender that won it. */
export interface ContenderGrant {
  readonly kind: 'won';
  readonly grant: Grant;
  readonly contender: string;
  readonly attempts: number;
}

/** The outcome of a wait. The caller of a `cancelled` wait has been rejected already. */
export type WaitOutcome =
  | ContenderGrant
  | { readonly kind: 'failed'; readonly error: LockError }
  | { readonly kind: 'cancelled' };

/** Who waits, and hears of it. */
export interface WaitOwner {
  /** Another client has the key. */
  onBusy(busy: Busy): void;
  /** Called once, with the outcome of the wait, unless `onBroken` is. */
  onEnded(outcome: WaitOutcome): void;
  /** The backend broke its contract. */
  onBroken(cause: unknown): void;
}

/** A grant with less than this share of its ttl left is useless, and is released. */
const VALIDITY_SHARE_MIN = 1 / 10;
/** Share of the wait that the last attempt may take. Without it, a short wait could never attempt twice. */
const LAST_CALL_SHARE = 1 / 10;
/** Limit of one attempt on a session backend; on other backends the ttl is the limit. */
const SESSION_ATTEMPT_MS_MAX = 30_000;

/**
 * One caller that contends for a key, from its first attempt until it has won or withdrawn. It does not know how a
 * backend waits: an attempt says when to retry, and `changed` cuts the sleep short.
 */
export class WaitLoop {
  readonly #backend: Backend;
  readonly #host: Host;
  readonly #request: WaitRequest;
  readonly #owner: WaitOwner;
  readonly #callMs: number;
  /** Absent until the first attempt has failed: most win. */
  #log: AttemptLog | undefined;
  #attemptFrom!: Instant;
  #attemptDeadlineMs = 0;
  #contender: Contender;
  #contenderId: string;
  #attempts = 0;
  #cancelled: 'aborted' | 'closed' | undefined;
  /** Absent until the first attempt has failed: most win. */
  #sleep: WakeableSleep | undefined;

  constructor(backend: Backend, host: Host, request: WaitRequest, owner: WaitOwner) {
    this.#backend = backend;
    this.#host = host;
    this.#request = request;
    this.#owner = owner;
    const callMs = callDeadlineMs(request.ttlMs);
    this.#callMs = request.waitMs > 0 ? Math.min(callMs, request.waitMs * LAST_CALL_SHARE) : callMs;
    this.#contenderId = request.contender;
    this.#contender = this.#newContender();
  }

  /** Cancels the wait. A grant that an in-flight request still wins is released before `run` resolves. */
  cancel(reason: 'aborted' | 'closed'): void {
    this.#cancelled ??= reason;
    this.#sleep?.cancel();
  }

  get isCancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  get lastOutcome(): FailedAttempt['attempt'] | undefined {
    return this.#log?.lastOutcome;
  }

  get holderRemainingMs(): number | undefined {
    return this.#log?.holderRemainingMs;
  }

  /** Attempts until it wins, is cancelled, or the wait ends, and tells its owner. */
  run(): void {
    // Most waits end with their first attempt, which therefore costs no more than a promise.
    this.#attempt().then(
      (attempt) => this.#onFirst(attempt),
      (cause: unknown) => this.#onFirst(asUnknown(cause)),
    );
  }

  #onFirst(attempt: Attempt): void {
    let won: ContenderGrant | undefined;
    try {
      won = this.#winner(attempt);
    } catch (cause) {
      return this.#owner.onBroken(cause);
    }
    if (won !== undefined) return this.#owner.onEnded(won);
    this.#runAfter(attempt).then(
      (outcome) => this.#owner.onEnded(outcome),
      (cause: unknown) => this.#owner.onBroken(cause),
    );
  }

  async #runAfter(failed: Attempt): Promise<WaitOutcome> {
    const sleep = new WakeableSleep(this.#host.runtime);
    if (this.isCancelled) sleep.cancel();
    this.#sleep = sleep;
    try {
      for (let attempt = failed; ; attempt = await catchAsUnknown(() => this.#attempt())) {
        const ended = this.#winner(attempt) ?? (await this.#afterFailure(attempt, sleep));
        if (ended !== undefined) return ended;
      }
    } finally {
      sleep.stopListening();
    }
  }

  /** The outcome of a wait whose latest attempt won in time; undefined for all other attempts. */
  #winner(attempt: Attempt): ContenderGrant | undefined {
    if (attempt.kind !== 'granted') return undefined;
    const { grant } = attempt;
    const leftMs = remainingMs(grant.validity, this.#host.runtime);
    if (leftMs < grant.leaseMs * VALIDITY_SHARE_MIN) return undefined;
    return { kind: 'won', grant, contender: this.#contenderId, attempts: this.#attempts };
  }

  /** Sleeps until the next attempt, or ends the wait. */
  async #afterFailure(attempt: Attempt, sleep: WakeableSleep): Promise<WaitOutcome | undefined> {
    let latest: FailedAttempt;
    if (attempt.kind === 'granted') {
      await this.releaseLateGrant(attempt.grant);
      if (this.isCancelled) return { kind: 'cancelled' };
      latest = this.#replaceContender();
    } else {
      latest = this.#record(attempt);
      if (attempt.kind === 'refused') return this.#fail(attempt.error);
    }
    return (await this.#sleepUntilRetry(latest, sleep)) ? undefined : this.#fail();
  }

  #newContender(): Contender {
    const { key, ttlMs, exported, mode } = this.#request;
    const contender = this.#contenderId;
    const exclusive = ttlMs === undefined ? { key, contender } : { key, contender, ttlMs };
    const request = mode === undefined ? exclusive : { ...exclusive, mode };
    if (exported === undefined) return this.#backend.contend(request);
    if (this.#backend.adopt === undefined) throw new TypeError('this backend adopts no lease');
    return this.#backend.adopt({ ...request, exported });
  }

  /** A grant ends its contender, even a late grant. */
  #replaceContender(): FailedAttempt {
    this.#contenderId = this.#host.runtime.randomId();
    this.#contender = this.#newContender();
    const cause = new Error('the grant came too late to be of use');
    return this.#record({ kind: 'unavailable', cause });
  }

  #record(attempt: FailedAttempt['attempt']): FailedAttempt {
    const log = this.#failedAttempts();
    log.start(this.#attemptFrom, this.#attemptDeadlineMs);
    return log.record(attempt);
  }

  #failedAttempts(): AttemptLog {
    const onBusy = (busy: Busy): void => this.#owner.onBusy(busy);
    const { runtime } = this.#host;
    this.#log ??= new AttemptLog(runtime, this.#backend.name, this.#request, onBusy);
    return this.#log;
  }

  /** Attempts once; a call that throws is doubt. */
  #attempt(): Promise<Attempt> {
    this.#attempts++;
    this.#attemptFrom = this.#host.runtime.now();
    this.#attemptDeadlineMs = this.#deadlineMs(this.#attemptFrom.monotonicMs);
    try {
      return Promise.resolve(this.#contender.attempt(this.#attemptDeadlineMs));
    } catch (cause) {
      return Promise.resolve(asUnknown(cause));
    }
  }

  /** The first attempt gets the time of two calls, even if `waitMs` is shorter. No later attempt outlasts the wait. */
  #deadlineMs(nowMs: number): number {
    const { ttlMs } = this.#request;
    const leastMs = this.#attempts > 1 ? 0 : nowMs + 2 * callDeadlineMs(ttlMs);
    const longestMs = nowMs + (ttlMs ?? SESSION_ATTEMPT_MS_MAX);
    return Math.min(longestMs, Math.max(this.#endMs(), leastMs));
  }

  /** Sleeps until the next attempt; false if no attempt may start any more. */
  async #sleepUntilRetry(latest: FailedAttempt, sleep: WakeableSleep): Promise<boolean> {
    const { attempt, at } = latest;
    const leftMs = this.#endMs() - this.#callMs - at.monotonicMs;
    if (leftMs <= 0) return false;
    const { runtime } = this.#host;
    if (attempt.kind === 'busy')
      await sleepWhileBusy(attempt, leftMs, { runtime, sleep, contender: this.#contender });
    else await sleep.sleep(Math.min(leftMs, backoffMs(this.#failedAttempts().failures, runtime)));
    // The process may have been paused. Timers are late, so an attempt may start with half of a call deadline left.
    return this.#cancelled === undefined && this.#nowMs() < this.#endMs() - this.#callMs / 2;
  }

  async #fail(refusal?: LockError): Promise<WaitOutcome> {
    const withdrawal = await this.#withdraw();
    if (this.#cancelled !== undefined) return { kind: 'cancelled' };
    return { kind: 'failed', error: refusal ?? this.#failedAttempts().error(withdrawal) };
  }

  async #withdraw(): Promise<Withdrawal> {
    const withdrawal = await catchAsUnknown<Withdrawal>(() => this.#contender.withdraw());
    if ('cause' in withdrawal)
      return { kind: 'unknown', untilMs: this.#request.ttlMs ?? Number.POSITIVE_INFINITY };
    return withdrawal;
  }

  /** Releases a grant that came too late, or after the wait was cancelled. */
  async releaseLateGrant(grant: Grant): Promise<void> {
    const reason = this.#cancelled ?? 'late';
    const { kind } = releaseOf(await catchAsUnknown(() => grant.release()));
    this.#host.emit({
      type: 'orphan',
      key: this.#request.key,
      backend: this.#backend.name,
      contender: this.#contenderId,
      reason,
      outcome: kind,
    });
  }

  #endMs(): number {
    return this.#request.startedMs + this.#request.waitMs;
  }

  #nowMs(): number {
    return this.#host.runtime.now().monotonicMs;
  }
}
