import { ReusableAbortSignal } from './abort-signals.ts';
import { catchAsUnknown } from './catch-as-unknown.ts';
import { timeoutError, unavailableError } from './error-messages.ts';
import { type LockError, OutcomeUnknownError } from './errors.ts';
import type { Attempt, Backend, Contender, Grant, Host, Withdrawal } from './port.ts';
import type { Instant } from './runtime.ts';
import { callDeadlineMs, remainingMs } from './validity.ts';

/** What a caller waits for. */
export interface WaitRequest {
  readonly key: string;
  /** The id of the first contender. */
  readonly contender: string;
  /** Absent on session backends. */
  readonly ttlMs: number | undefined;
  readonly waitMs: number;
  /** When the caller began to wait; time spent in the local queue counts. */
  readonly startedMs: number;
}

/** A grant, and the contender that won it. */
export interface ContenderGrant {
  readonly kind: 'won';
  readonly grant: Grant;
  readonly contender: string;
  readonly attempts: number;
}

type Busy = Extract<Attempt, { kind: 'busy' }>;

/** What an attempt that won nothing came to; when it began, and when that was known. */
interface FailedAttempt {
  readonly attempt: Exclude<Attempt, { kind: 'granted' }>;
  readonly from: Instant;
  readonly at: Instant;
}

/** What became of a wait. `cancelled` had its caller told already. */
export type WaitOutcome =
  | ContenderGrant
  | { readonly kind: 'failed'; readonly error: LockError }
  | { readonly kind: 'cancelled' };

/** A grant with less than this share of its ttl left is of no use, and given back. */
const VALIDITY_SHARE_MIN = 1 / 10;
/** Where a backend neither says when to try again nor wakes us. */
const POLL_MS = 100;
const BACKOFF_MS_MIN = 50;
const BACKOFF_MS_MAX = 2_000;
/** Share of the waiting time that the last attempt may take; else a short wait could never try twice. */
const LAST_CALL_SHARE = 1 / 10;
/** No attempt on a session backend takes longer; elsewhere none takes longer than the ttl. */
const SESSION_ATTEMPT_MS_MAX = 30_000;
/** A backend that asks to be tried again at once would spin. */
const RETRY_MS_MIN = 1;
/** A wait without end looks again this often, so that its timer keeps the process alive. */
const IDLE_MS_MAX = 3_600_000;

/**
 * One caller contending for a key, from its first attempt until it has won or withdrawn. How a backend waits is
 * unknown here: an attempt says when to try again, and `changed` cuts the sleep short.
 */
export class WaitLoop {
  readonly #backend: Backend;
  readonly #host: Host;
  readonly #request: WaitRequest;
  readonly #callMs: number;
  readonly #onBusy: (busy: Busy) => void;
  #contender: Contender;
  #contenderId: string;
  #attempts = 0;
  #failures = 0;
  /** When the latest attempt began, how long it might take, what it came to, and what the latest definite answer was. */
  #attemptFrom: Instant | undefined;
  #attemptMs = 0;
  #latest: FailedAttempt | undefined;
  #lastDefinite: FailedAttempt | undefined;
  /** A backend whose wake-ups fail is polled. */
  #ignoresWakeUps = false;
  #cancelled: 'aborted' | 'closed' | undefined;
  #wake: () => void = () => {};
  readonly #signal = new ReusableAbortSignal();

  constructor(backend: Backend, host: Host, request: WaitRequest, onBusy: (busy: Busy) => void) {
    this.#backend = backend;
    this.#host = host;
    this.#request = request;
    this.#onBusy = onBusy;
    const callMs = callDeadlineMs(request.ttlMs);
    this.#callMs = request.waitMs > 0 ? Math.min(callMs, request.waitMs * LAST_CALL_SHARE) : callMs;
    this.#contenderId = request.contender;
    this.#contender = this.#newContender();
  }

  /** The caller has gone. Whatever a request on the wire still wins is given back before `run` resolves. */
  cancel(reason: 'aborted' | 'closed'): void {
    this.#cancelled ??= reason;
    this.#wake();
  }

  get isCancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  /** The latest definite answer: what the caller is told in the end, and waiters queued behind meanwhile. */
  get lastAnswer(): FailedAttempt['attempt'] | undefined {
    return this.#lastDefinite?.attempt;
  }

  /**
   * How much longer the key is taken, by that answer; undefined once that time is over. Counted from when it was asked for:
   * the answer may have been on its way, or its process have stood still, for as long as the attempt took.
   */
  get holderRemainingMs(): number | undefined {
    if (this.#lastDefinite?.attempt.kind !== 'busy') return undefined;
    const { attempt, from } = this.#lastDefinite;
    if (attempt.holderRemainingMs === undefined) return undefined;
    const leftMs = attempt.holderRemainingMs - this.#host.runtime.elapsedMs(from);
    return leftMs > 0 ? leftMs : undefined;
  }

  /** Tries until it wins, is cancelled, or time is up. Rejects only when the backend breaks its contract. */
  async run(): Promise<WaitOutcome> {
    try {
      return await this.#run();
    } finally {
      this.#signal.abort();
    }
  }

  async #run(): Promise<WaitOutcome> {
    for (;;) {
      const attempt = await this.#attempt();
      let latest: FailedAttempt;
      if (attempt.kind === 'granted') {
        if (!this.#isLate(attempt.grant)) return this.#won(attempt.grant);
        await this.releaseLateGrant(attempt.grant);
        if (this.isCancelled) return { kind: 'cancelled' };
        latest = this.#replaceContender();
      } else {
        latest = this.#record(attempt);
        if (attempt.kind === 'refused') return this.#fail(attempt.error);
      }
      if (!(await this.#sleepUntilRetry(latest))) return this.#fail();
    }
  }

  #newContender(): Contender {
    const { key, ttlMs } = this.#request;
    const contender = this.#contenderId;
    return this.#backend.contend(
      ttlMs === undefined ? { key, contender } : { key, contender, ttlMs },
    );
  }

  /** A grant ends its contender, also one that came too late. */
  #replaceContender(): FailedAttempt {
    this.#contenderId = this.#host.runtime.randomId();
    this.#contender = this.#newContender();
    const cause = new Error('the grant came too late to be of use');
    return this.#record({ kind: 'unavailable', cause });
  }

  #attempt(): Promise<Attempt> {
    this.#attempts++;
    return catchAsUnknown(() => {
      const from = this.#host.runtime.now();
      const deadlineMs = this.#attemptDeadlineMs(from.monotonicMs);
      this.#attemptFrom = from;
      this.#attemptMs = deadlineMs - from.monotonicMs;
      return this.#contender.attempt(deadlineMs);
    });
  }

  /** The first attempt gets the time it needs even if `waitMs` is short; no later one outlasts the wait. */
  #attemptDeadlineMs(nowMs: number): number {
    const longestMs = nowMs + (this.#request.ttlMs ?? SESSION_ATTEMPT_MS_MAX);
    if (this.#attempts > 1) return Math.min(longestMs, this.#endMs());
    return Math.min(
      longestMs,
      Math.max(this.#endMs(), nowMs + 2 * callDeadlineMs(this.#request.ttlMs)),
    );
  }

  #isLate(grant: Grant): boolean {
    return remainingMs(grant.validity, this.#host.runtime) < grant.leaseMs * VALIDITY_SHARE_MIN;
  }

  #won(grant: Grant): ContenderGrant {
    return { kind: 'won', grant, contender: this.#contenderId, attempts: this.#attempts };
  }

  #record(attempt: FailedAttempt['attempt']): FailedAttempt {
    const at = this.#host.runtime.now();
    const latest = { attempt, from: this.#attemptFrom ?? at, at };
    this.#latest = latest;
    this.#failures = attempt.kind === 'busy' ? 0 : this.#failures + 1;
    if (attempt.kind === 'busy') this.#onBusy(attempt);
    if (attempt.kind !== 'unknown' || !this.#wasCutShort()) this.#lastDefinite = latest;
    return latest;
  }

  /** By its silence, an attempt that had less than the time of a call, because the wait ends, says nothing. */
  #wasCutShort(): boolean {
    return (
      this.#lastDefinite !== undefined && this.#attemptMs < callDeadlineMs(this.#request.ttlMs)
    );
  }

  /** Sleeps until the next attempt; false when none may start any more. */
  async #sleepUntilRetry(latest: FailedAttempt): Promise<boolean> {
    const lastStartMs = this.#endMs() - this.#callMs;
    const { attempt, at } = latest;
    const leftMs = lastStartMs - at.monotonicMs;
    if (leftMs <= 0) return false;
    if (attempt.kind === 'busy') await this.#sleepWhileBusy(attempt, leftMs);
    else await this.#sleep(Math.min(leftMs, this.#backoffMs()));
    // The process may have stood still meanwhile. Timers are late, so half of a call's time is still worth a try.
    return this.#cancelled === undefined && this.#nowMs() < this.#endMs() - this.#callMs / 2;
  }

  async #sleepWhileBusy(busy: Busy, leftMs: number): Promise<void> {
    const { runtime } = this.#host;
    const canWake = this.#canBeWoken();
    const pollMs = canWake ? IDLE_MS_MAX : POLL_MS * (0.5 + runtime.random());
    const notBeforeMs = Math.min(leftMs, busy.notBeforeMs ?? 0);
    const sleepMs = Math.max(
      notBeforeMs,
      Math.min(leftMs, Math.max(RETRY_MS_MIN, busy.retryAfterMs ?? pollMs)),
    );
    const from = this.#nowMs();
    await this.#sleep(sleepMs, true);
    const restMs = notBeforeMs - (this.#nowMs() - from);
    if (restMs > 0) await this.#sleep(restMs);
  }

  /** Doubles with every failure in a row, with jitter, so that a recovering store is not met by everybody at once. */
  #backoffMs(): number {
    const ms = Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(this.#failures - 1, 10));
    return ms * (0.5 + this.#host.runtime.random() / 2);
  }

  /** Ends after `ms`, when cancelled, or, if `wakeable`, when the backend says that something changed. */
  async #sleep(ms: number, wakeable = false): Promise<void> {
    if (this.#cancelled !== undefined || ms <= 0) return;
    let isDone = true;
    await new Promise<void>((resume) => {
      const cancelTimer = this.#host.runtime.timer(ms, () => this.#wake(), { awaited: true });
      // Apart from its assignment: V8 takes a function that is written there for one that lives long, and keeps it,
      // with all that it can reach, beyond all young collections.
      const wake = (): void => {
        cancelTimer();
        resume();
      };
      this.#wake = wake;
      if (!wakeable || !this.#canBeWoken()) return;
      isDone = false;
      void this.#changed(this.#signal.lend()).then(() => {
        isDone = true;
        wake();
      });
    });
    if (!isDone) this.#signal.abort();
  }

  #canBeWoken(): boolean {
    return this.#contender.changed !== undefined && !this.#ignoresWakeUps;
  }

  async #changed(signal: AbortSignal): Promise<void> {
    try {
      await this.#contender.changed?.(signal);
    } catch {
      this.#ignoresWakeUps = true;
    }
  }

  async #fail(refusal?: LockError): Promise<WaitOutcome> {
    const withdrawal = await this.#withdraw();
    if (this.#cancelled !== undefined) return { kind: 'cancelled' };
    return { kind: 'failed', error: refusal ?? this.#failureError(withdrawal) };
  }

  async #withdraw(): Promise<Withdrawal> {
    const withdrawal = await catchAsUnknown<Withdrawal>(() => this.#contender.withdraw());
    if ('cause' in withdrawal)
      return { kind: 'unknown', untilMs: this.#request.ttlMs ?? Number.POSITIVE_INFINITY };
    return withdrawal;
  }

  #failureError(withdrawal: Withdrawal): LockError {
    const { key } = this.#request;
    const backend = this.#backend.name;
    if (withdrawal.kind === 'unknown') {
      const { untilMs } = withdrawal;
      const message = `outcome unknown: '${key}' may have been acquired on ${backend} and may stay locked for up to ${Math.ceil(untilMs)} ms`;
      return new OutcomeUnknownError(message, {
        key,
        backend,
        cause: causeOf(this.#latest?.attempt),
        untilMs,
      });
    }
    if (this.lastAnswer?.kind === 'busy')
      return timeoutError(key, backend, this.#waitedMs(), this.holderRemainingMs);
    return unavailableError(key, backend, this.#waitedMs(), causeOf(this.lastAnswer));
  }

  /** For a grant that came too late, or for nobody. */
  async releaseLateGrant(grant: Grant): Promise<void> {
    const reason = this.#cancelled ?? 'late';
    const { kind } = await catchAsUnknown(() => grant.release());
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

  #waitedMs(): number {
    return this.#nowMs() - this.#request.startedMs;
  }

  #nowMs(): number {
    return this.#host.runtime.now().monotonicMs;
  }
}

function causeOf(attempt: WaitLoop['lastAnswer']): unknown {
  return attempt !== undefined && 'cause' in attempt ? attempt.cause : undefined;
}
