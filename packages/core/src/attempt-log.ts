import { timeoutError, unavailableError } from './error-messages.ts';
import { type LockError, OutcomeUnknownError } from './errors.ts';
import type { Attempt, HoldMode, Withdrawal } from './port.ts';
import type { Instant, Runtime } from './runtime.ts';
import { callDeadlineMs } from './validity.ts';

/** The request of a waiting caller. */
export interface WaitRequest {
  readonly key: string;
  /** The id of the first contender. */
  readonly contender: string;
  /** Absent on session backends. */
  readonly ttlMs: number | undefined;
  readonly waitMs: number;
  /** Start of the wait; time in the local queue counts. */
  readonly startedMs: number;
  /** The exported lease to adopt, instead of a free key to acquire. */
  readonly exported?: string | undefined;
  /** Absent: exclusively. */
  readonly mode?: HoldMode | undefined;
}

export type Busy = Extract<Attempt, { kind: 'busy' }>;

/** The outcome of an attempt without a grant; when the attempt began, and when its outcome was known. */
export interface FailedAttempt {
  readonly attempt: Exclude<Attempt, { kind: 'granted' }>;
  readonly from: Instant;
  readonly at: Instant;
}

/** The outcomes of the attempts of one wait. They decide which error ends it. */
export class AttemptLog {
  readonly #runtime: Runtime;
  readonly #backend: string;
  readonly #request: WaitRequest;
  readonly #onBusy: (busy: Busy) => void;
  #failures = 0;
  /** Start of the latest attempt. */
  #attemptFrom: Instant | undefined;
  /** Time that the latest attempt had. */
  #attemptMs = 0;
  #latest: FailedAttempt | undefined;
  #lastDefinite: FailedAttempt | undefined;

  constructor(
    runtime: Runtime,
    backend: string,
    request: WaitRequest,
    onBusy: (busy: Busy) => void,
  ) {
    this.#runtime = runtime;
    this.#backend = backend;
    this.#request = request;
    this.#onBusy = onBusy;
  }

  /** The number of failed attempts in a row; a busy key is none. */
  get failures(): number {
    return this.#failures;
  }

  /**
   * The latest definite outcome. It decides the caller's error, and the errors of waiters behind it in the local queue.
   */
  get lastOutcome(): FailedAttempt['attempt'] | undefined {
    return this.#lastDefinite?.attempt;
  }

  /**
   * Time for which the key is still taken, by the latest definite outcome; undefined once it is over. It counts from
   * the start of the attempt: the reply may have been in flight, or the process paused, for as long as the attempt
   * took.
   */
  get holderRemainingMs(): number | undefined {
    if (this.#lastDefinite?.attempt.kind !== 'busy') return undefined;
    const { attempt, from } = this.#lastDefinite;
    if (attempt.holderRemainingMs === undefined) return undefined;
    const leftMs = attempt.holderRemainingMs - this.#runtime.elapsedMs(from);
    return leftMs > 0 ? leftMs : undefined;
  }

  start(from: Instant, deadlineMs: number): void {
    this.#attemptFrom = from;
    this.#attemptMs = deadlineMs - from.monotonicMs;
  }

  record(attempt: FailedAttempt['attempt']): FailedAttempt {
    const at = this.#runtime.now();
    const latest = { attempt, from: this.#attemptFrom ?? at, at };
    this.#latest = latest;
    this.#failures = attempt.kind === 'busy' ? 0 : this.#failures + 1;
    if (attempt.kind === 'busy') this.#onBusy(attempt);
    if (attempt.kind !== 'unknown' || !this.#wasCutShort()) this.#lastDefinite = latest;
    return latest;
  }

  /** True if the end of the wait left the attempt less than one call deadline: then a missing reply means nothing. */
  #wasCutShort(): boolean {
    return (
      this.#lastDefinite !== undefined && this.#attemptMs < callDeadlineMs(this.#request.ttlMs)
    );
  }

  /** The error of a wait that ended without a grant. */
  error(withdrawal: Withdrawal): LockError {
    const { key } = this.#request;
    const backend = this.#backend;
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
    if (this.lastOutcome?.kind === 'busy')
      return timeoutError(key, backend, this.#waitedMs(), this.holderRemainingMs);
    return unavailableError(key, backend, this.#waitedMs(), causeOf(this.lastOutcome));
  }

  #waitedMs(): number {
    return this.#runtime.now().monotonicMs - this.#request.startedMs;
  }
}

function causeOf(attempt: AttemptLog['lastOutcome']): unknown {
  return attempt !== undefined && 'cause' in attempt ? attempt.cause : undefined;
}
