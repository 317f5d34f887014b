import type { Instant } from './clock.ts';
import { ReplyError, UnknownOutcomeError } from './errors.ts';
import { MalformedError, type Reader } from './jute.ts';
import type { Operation } from './operation.ts';
import type { ReplyHeader } from './records.ts';
import { failureCode, isDoubtful } from './reply-codes.ts';

/** What every reply carries. */
export interface Answered {
  /** When the request left, never when the reply came. */
  readonly sentAt: Instant;
  /** The latest transaction that the server had applied; of a write that succeeded, its own. */
  readonly zxid: bigint;
}

/** Somebody who waits for a reply. Called while the frame is read, before anything that came behind it. */
export interface ReplyHandler<T> {
  answered(value: T, answer: Answered): void;
  failed(error: ReplyError | UnknownOutcomeError): void;
}

interface PendingRequest {
  readonly name: string;
  readonly sentAt: Instant;
  settle(header: ReplyHeader, reader: Reader): void;
  failUnknown(reason: string, cause: unknown): void;
}

const XID_MAX = 2 ** 31 - 1;

/** The requests on the wire of one connection, in the order in which the server answers them. */
export class PendingRequests {
  readonly #byXid = new Map<number, PendingRequest>();
  #lastXid = 0;
  #lastAnsweredMs = Number.NEGATIVE_INFINITY;

  get size(): number {
    return this.#byXid.size;
  }

  nextXid(): number {
    this.#lastXid = this.#lastXid === XID_MAX ? 1 : this.#lastXid + 1;
    return this.#lastXid;
  }

  add<T>(xid: number, sentAt: Instant, operation: Operation<T>, handler: ReplyHandler<T>): void {
    const { name } = operation;
    this.#byXid.set(xid, {
      name,
      sentAt,
      settle: (header, reader) => {
        const answer = { sentAt, zxid: header.zxid };
        const error = failureOf(header, name);
        if (error === undefined) return handler.answered(operation.read(reader), answer);
        const { ifMissing } = operation;
        if (error.code !== 'NONODE' || ifMissing === undefined) return handler.failed(error);
        return handler.answered(ifMissing, answer);
      },
      failUnknown: (reason, cause) =>
        handler.failed(new UnknownOutcomeError(`${name}: ${reason}`, cause)),
    });
  }

  /** Returns when the request left. Throws {@link MalformedError} when it is not the turn of this one. */
  settle(header: ReplyHeader, reader: Reader, nowMs: number): Instant {
    const oldest = this.#oldest();
    if (oldest === undefined || oldest[0] !== header.xid) {
      throw new MalformedError(
        `answers request ${header.xid}, but ${oldest?.[0] ?? 'none'} is next`,
      );
    }
    const [xid, request] = oldest;
    this.#lastAnsweredMs = nowMs;
    // While it is read it still counts as waiting: what cannot be read is doubted with the rest.
    request.settle(header, reader);
    this.#byXid.delete(xid);
    return request.sentAt;
  }

  /** Since when the next one could have been answered. */
  waitingSinceMs(): number | undefined {
    const oldest = this.#oldest();
    return oldest && Math.max(oldest[1].sentAt.monotonicMs, this.#lastAnsweredMs);
  }

  failAllUnknown(reason: string, cause: unknown): void {
    const all = [...this.#byXid.values()];
    this.#byXid.clear();
    for (const request of all) request.failUnknown(reason, cause);
  }

  #oldest(): [number, PendingRequest] | undefined {
    return this.#byXid.entries().next().value;
  }
}

const UNIMPLEMENTED = ': the server is older than 3.5.3, or such nodes are switched off there';

/** What a reply says went wrong, in words; undefined when nothing did. */
export function failureOf(
  { failure }: { readonly failure: number },
  name: string,
  index?: number,
): ReplyError | UnknownOutcomeError | undefined {
  if (failure === 0) return undefined;
  const code = failureCode(failure);
  const why = code === 'UNIMPLEMENTED' ? UNIMPLEMENTED : '';
  const error = new ReplyError(code, `${name}: ${code} (${failure})${why}`, index);
  return isDoubtful(code)
    ? new UnknownOutcomeError(`${name}: the server failed at it (${code})`, error)
    : error;
}
