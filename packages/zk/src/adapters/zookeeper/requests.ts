import type { Instant, Runtime } from '@holdfast/core';
import { SessionDoubt, SessionUnavailable } from '../../port.ts';
import { failureOf, isReply, type NativeCallback, OK } from './client.ts';

/** A reply as passed to `read`. */
export interface NativeResult<Values extends readonly unknown[]> {
  readonly code: number;
  readonly sentAt: Instant;
  readonly values: Values;
}

interface PendingNativeRequest {
  readonly sentAt: Instant;
  readonly giveUp: (why: string) => void;
}

/** Requests in flight. Each settles once, whether or not the library calls back. */
export class NativeRequests {
  readonly #runtime: Runtime;
  readonly #answered: (sentAt: Instant) => void;
  readonly #pending = new Set<PendingNativeRequest>();

  constructor(runtime: Runtime, answered: (sentAt: Instant) => void) {
    this.#runtime = runtime;
    this.#answered = answered;
  }

  /** Sends a request. `accepts` are codes besides OK that `read` handles. `read` runs in the turn of the reply, before any later event. */
  send<Values extends readonly unknown[], Result>(
    send: (reply: NativeCallback<Values>) => number,
    read: (reply: NativeResult<Values>) => Result,
    accepts: readonly number[] = [],
  ): Promise<Result> {
    return new Promise((done, fail) => {
      const sentAt = this.#runtime.now();
      const pending: PendingNativeRequest = {
        sentAt,
        giveUp: (why) => settle(() => fail(new SessionDoubt(why))),
      };
      const settle = (how: () => void): void => {
        if (this.#pending.delete(pending)) how();
      };
      this.#pending.add(pending);
      const refusal = send((code, text, ...values) => {
        if (isReply(code)) this.#answered(sentAt);
        settle(() => {
          if (code !== OK && !accepts.includes(code)) return fail(failureOf(code, text));
          // No error may escape into the library's callback.
          try {
            done(read({ code, sentAt, values }));
          } catch (error) {
            fail(error);
          }
        });
      });
      if (refusal !== OK) settle(() => fail(refused(refusal)));
    });
  }

  /** Ends requests whose callback the library has lost. */
  giveUpAfter(ms: number): void {
    for (const { sentAt, giveUp } of this.#pending) {
      if (this.#runtime.elapsedMs(sentAt) > ms) giveUp('the client library never answered');
    }
  }

  giveUpAll(why: string): void {
    for (const { giveUp } of this.#pending) giveUp(why);
  }
}

function refused(code: number): Error {
  const failure = failureOf(code, 'the client library refused the request');
  return isReply(code) ? failure : new SessionUnavailable(failure.message);
}

interface AnsweredRequest {
  readonly sentAt: Instant;
  readonly answeredMs: number;
}

/** The send times of requests of one connection, by the time of the reply. Drops old ones, and some that are close to their neighbours. */
export class AnsweredRequests {
  #kept: AnsweredRequest[] = [];

  add(request: AnsweredRequest, timeoutMs: number): void {
    const last = this.#kept.at(-1);
    // Fewer known replies can only shorten the validity.
    if (last !== undefined && request.answeredMs - last.answeredMs < timeoutMs / 64) return;
    const oldestMs = request.answeredMs - 2 * timeoutMs;
    this.#kept = this.#kept.filter(({ answeredMs }) => answeredMs >= oldestMs);
    this.#kept.push(request);
  }

  before(monotonicMs: number): Instant | undefined {
    return this.#kept.findLast(({ answeredMs }) => answeredMs <= monotonicMs)?.sentAt;
  }

  clear(): void {
    this.#kept = [];
  }
}
