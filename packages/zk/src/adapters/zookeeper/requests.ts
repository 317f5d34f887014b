import type { Instant, Runtime } from '@holdfast/core';
import { SessionDoubt, SessionUnavailable } from '../../port.ts';
import { failureOf, isAnswer, type NativeCallback, OK } from './client.ts';

/** A reply, as `read` sees it. */
export interface NativeResult<Values extends readonly unknown[]> {
  readonly code: number;
  readonly sentAt: Instant;
  readonly values: Values;
}

interface PendingNativeRequest {
  readonly sentAt: Instant;
  readonly giveUp: (why: string) => void;
}

/** Requests on the wire: each settles once, whether or not the library calls back. */
export class NativeRequests {
  readonly #runtime: Runtime;
  readonly #answered: (sentAt: Instant) => void;
  readonly #pending = new Set<PendingNativeRequest>();

  constructor(runtime: Runtime, answered: (sentAt: Instant) => void) {
    this.#runtime = runtime;
    this.#answered = answered;
  }

  /** `accepts`: codes beside OK that `read` understands; it runs in the turn of the reply, before any later event. */
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
        if (isAnswer(code)) this.#answered(sentAt);
        settle(() => {
          if (code !== OK && !accepts.includes(code)) return fail(failureOf(code, text));
          // Nothing may be thrown into the library's callback.
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

  /** The library loses callbacks when it gets stuck. */
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
  const answer = failureOf(code, 'the client library refused the request');
  return isAnswer(code) ? answer : new SessionUnavailable(answer.message);
}

interface AnsweredRequest {
  readonly sentAt: Instant;
  readonly answeredMs: number;
}

/** Which requests of a connection were answered by when. Forgets the old ones, and some that say hardly more than their neighbours. */
export class AnsweredRequests {
  #kept: AnsweredRequest[] = [];

  add(answer: AnsweredRequest, timeoutMs: number): void {
    const last = this.#kept.at(-1);
    // To know of fewer answers can only shorten what is believed.
    if (last !== undefined && answer.answeredMs - last.answeredMs < timeoutMs / 64) return;
    const oldestMs = answer.answeredMs - 2 * timeoutMs;
    this.#kept = this.#kept.filter(({ answeredMs }) => answeredMs >= oldestMs);
    this.#kept.push(answer);
  }

  before(monotonicMs: number): Instant | undefined {
    return this.#kept.findLast(({ answeredMs }) => answeredMs <= monotonicMs)?.sentAt;
  }

  clear(): void {
    this.#kept = [];
  }
}
