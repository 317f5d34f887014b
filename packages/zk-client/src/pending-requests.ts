import type { Instant } from './clock.ts';
import { ReplyError, UnknownOutcomeError } from './errors.ts';
import { MalformedError, type Reader } from './jute.ts';
import type { Operation } from './operation.ts';
import type { ReplyHeader } from './records.ts';
import { failureCode, isDoubtful } from './reply-codes.ts';

/** The part that all replies have. */
export interface Answered {
  /** The time when the request was sent, not when the reply came. */
  readonly sentAt: Instant;
  /** The latest transaction that the server had applied; for a successful write, its own. */
  readonly zxid: bigint;
}

/** Receives a reply. Called while the frame is read, before anything that came behind it. */
export interface ReplyHandler<T> {
  replied(value: T, reply: Answered): void;
  failed(error: ReplyError | UnknownOutcomeError): void;
}

interface PendingRequest {
  readonly name: string;
  readonly sentAt: Instant;
  settle(header: ReplyHeader, reader: Reader): void;
  failUnknown(reason: string, cause: unknown): void;
}

const XID_MAX = 2 ** 31 - 1;

/** The requests in flight on one connection, in the order in which the server answers them. */
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
        const reply = { sentAt, zxid: header.zxid };
        const error = failureOf(header, name);
        if (error === undefined) return handler.replied(operation.read(reader), reply);
        const { ifMissing } = operation;
        if (error.code !== 'NONODE' || ifMissing === undefined) return handler.failed(error);
        return handler.replied(ifMissing, reply);
      },
      failUnknown: (reason, cause) =>
        handler.failed(new UnknownOutcomeError(`${name}: ${reason}`, cause)),
    });
  }

  /** Returns the send time of the request. Throws {@link MalformedError} if the reply is out of order. */
  settle(header: ReplyHeader, reader: Reader, nowMs: number): Instant {
    const oldest = this.#oldest();
    if (oldest === undefined || oldest[0] !== header.xid) {
      throw new MalformedError(
        `answers request ${header.xid}, but ${oldest?.[0] ?? 'none'} is next`,
      );
    }
    const [xid, request] = oldest;
    this.#lastAnsweredMs = nowMs;
    // During the read the request still counts as pending: if the reply cannot be read, its outcome is unknown with the rest.
    request.settle(header, reader);
    this.#byXid.delete(xid);
    return request.sentAt;
  }

  /** The time since which the oldest request could have been answered. */
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

/** Converts the failure in a reply into an error; undefined if the request succeeded. */
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
    ? new UnknownOutcomeError(`${name}: the server failed (${code})`, error)
    : error;
}
