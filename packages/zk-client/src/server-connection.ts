import type { Clock, Instant } from './clock.ts';
import { RequestError } from './errors.ts';
import { Frames } from './frames.ts';
import { Reader, Writer } from './jute.ts';
import { AnsweredLog, Liveness } from './liveness.ts';
import type { Dial, Wire } from './network.ts';
import { type EmptyReply, OP, type Operation, XID } from './operation.ts';
import { PendingRequests, type ReplyHandler } from './pending-requests.ts';
import {
  type ConnectReply,
  type ConnectRequest,
  checkResumed,
  type ReplyHeader,
  readConnectReply,
  readReplyHeader,
  writeConnectRequest,
} from './records.ts';
import { type FailureCode, failureCode } from './reply-codes.ts';
import type { ServerAddress } from './servers.ts';
import { readWatchEvent, type WatchEvent } from './watch-event.ts';

export interface ConnectionOptions {
  readonly server: ServerAddress;
  readonly dial: Dial;
  readonly clock: Clock;
  readonly frameBytesMax: number;
  readonly request: ConnectRequest;
  readonly isQuick: () => boolean;
  readonly events: ConnectionEvents;
}

export interface ConnectionEvents {
  /** The server replied to the request for a session, possibly with a refusal. */
  connected(reply: ConnectReply, sentAt: Instant): void;
  /** This server has applied the transaction. */
  zxidSeen(zxid: bigint): void;
  watched(event: WatchEvent): void;
  /** Called once, before all pending requests fail; not after `close`. */
  lost(cause: Error): void;
}

/** Gets the error number of a reply to a request with a fixed number: 0 for success, undefined if no reply came. */
type FixedXidCallback = (failure: number | undefined) => void;

/** Servers close the connection after these codes; the next connection shows whether the session still lives. */
const SESSION_ENDED_CODES: ReadonlySet<FailureCode> = new Set(['SESSIONEXPIRED', 'SESSIONMOVED']);

/** One connection to one server, from dialling to its end. */
export class ServerConnection {
  readonly server: ServerAddress;
  readonly #options: ConnectionOptions;
  readonly #wire: Wire;
  readonly #frames: Frames;
  readonly #requests = new PendingRequests();
  readonly #pings: Instant[] = [];
  readonly #fixedXidCallbacks = new Map<number, FixedXidCallback[]>();
  #connectSentAt: Instant | undefined;
  #live: { readonly liveness: Liveness; readonly answeredLog: AnsweredLog } | undefined;
  #isKeptAlive = true;
  #isOver = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    this.server = options.server;
    this.#frames = new Frames(options.frameBytesMax, (frame) => this.#onFrame(frame));
    this.#wire = options.dial(options.server, {
      up: () => this.#sendConnect(),
      bytes: (chunk) => this.#onBytes(chunk),
      down: (cause) => this.#onLost(cause),
    });
    this.#updateKeepAlive();
  }

  /** Throws {@link RequestError}, before anything is sent, if the request is too large. */
  send<T>(operation: Operation<T>, handler: ReplyHandler<T>): void {
    const xid = this.#requests.nextXid();
    const writer = new Writer().int(xid).int(operation.type);
    operation.write(writer);
    const frame = writer.frame();
    checkLength(frame, this.#options.frameBytesMax, operation.name);
    this.#requests.add(xid, this.#write(frame), operation, handler);
    this.#updateKeepAlive();
  }

  /** Sends a request with one of the fixed numbers; these are answered in order among themselves. */
  sendWithFixedXid(
    xid: number,
    operation: Operation<EmptyReply>,
    callback: FixedXidCallback,
  ): void {
    const writer = new Writer().int(xid).int(operation.type);
    operation.write(writer);
    const waiting = this.#fixedXidCallbacks.get(xid) ?? [];
    this.#fixedXidCallbacks.set(xid, [...waiting, callback]);
    this.#write(writer.frame());
  }

  answeredBefore(monotonicMs: number): Instant | undefined {
    return this.#live?.answeredLog.answeredBefore(monotonicMs);
  }

  /** Quick pings were turned on or off. */
  quickPingsChanged(): void {
    this.#live?.liveness.changed();
  }

  /** Ends the connection as if the network had, for this reason. */
  fail(cause: Error): void {
    this.#onLost(cause);
  }

  /** Ends the connection without calling `lost`. The outcome of requests in flight is unknown. */
  close(cause: Error): void {
    if (!this.#isOver) this.#end(cause);
  }

  #sendConnect(): void {
    if (this.#isOver) return;
    this.#connectSentAt = this.#write(
      writeConnectRequest(new Writer(), this.#options.request).frame(),
    );
  }

  #write(frame: Uint8Array): Instant {
    const sentAt = this.#options.clock.now();
    this.#wire.write(frame);
    this.#live?.liveness.sent(sentAt.monotonicMs);
    return sentAt;
  }

  #onBytes(chunk: Uint8Array): void {
    if (this.#isOver) return;
    try {
      this.#frames.push(chunk);
    } catch (error) {
      this.#onLost(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #onFrame(frame: Uint8Array): void {
    const reader = new Reader(frame);
    if (this.#live === undefined) return this.#onConnectReply(reader);
    const header = readReplyHeader(reader);
    if (header.zxid > 0n) this.#options.events.zxidSeen(header.zxid);
    if (header.xid === XID.watch) return this.#options.events.watched(readWatchEvent(reader));
    const nowMs = this.#options.clock.now().monotonicMs;
    this.#live.liveness.heard(nowMs);
    const sentAt = this.#settle(header, reader, nowMs);
    if (sentAt !== undefined) this.#live?.answeredLog.add(sentAt, nowMs);
    this.#updateKeepAlive();
    if (SESSION_ENDED_CODES.has(failureCode(header.failure))) {
      this.#onLost(new Error(`${this.server.name} replied ${failureCode(header.failure)}`));
    }
  }

  /** Returns the send time of a request that keeps the session alive at the server. */
  #settle(header: ReplyHeader, reader: Reader, nowMs: number): Instant | undefined {
    if (header.xid === XID.ping) return this.#pings.shift();
    // The server replies to auth without touching the session (`ZooKeeperServer.processPacket`).
    const callbacks = this.#fixedXidCallbacks.get(header.xid);
    if (callbacks === undefined) return this.#requests.settle(header, reader, nowMs);
    callbacks.shift()?.(header.failure);
    return undefined;
  }

  #onConnectReply(reader: Reader): void {
    const reply = readConnectReply(reader);
    const { clock, isQuick, events, request } = this.#options;
    checkResumed(request, reply);
    const { timeoutMs } = reply;
    if (timeoutMs > 0) {
      const liveness = new Liveness({
        clock,
        timeoutMs,
        isQuick,
        waitingSinceMs: () => this.#requests.waitingSinceMs(),
        ping: () => this.#ping(),
        dead: () =>
          this.#onLost(
            new Error(`${this.server.name} was silent for two thirds of the session timeout`),
          ),
      });
      this.#live = { liveness, answeredLog: new AnsweredLog(2 * timeoutMs) };
    }
    events.connected(reply, this.#connectSentAt ?? clock.now());
  }

  #ping(): void {
    this.#pings.push(this.#write(new Writer().int(XID.ping).int(OP.ping).frame()));
  }

  #updateKeepAlive(): void {
    const isAwaited = this.#requests.size > 0;
    if (this.#isOver || isAwaited === this.#isKeptAlive) return;
    this.#isKeptAlive = isAwaited;
    this.#wire.keepAlive(isAwaited);
  }

  #onLost(cause: Error): void {
    if (this.#isOver) return;
    this.#end(cause, () => this.#options.events.lost(cause));
  }

  /** `notify` is called before the rejections, so that a caller that retries after one sees the new state. */
  #end(cause: Error, notify: () => void = () => undefined): void {
    this.#isOver = true;
    this.#live?.liveness.stop();
    this.#frames.stop();
    this.#wire.destroy();
    notify();
    for (const waiting of this.#fixedXidCallbacks.values())
      for (const callback of waiting) callback(undefined);
    this.#requests.failAllUnknown(
      `the connection to ${this.server.name} was lost before the reply came`,
      cause,
    );
  }
}

function checkLength(frame: Uint8Array, bytesMax: number, name: string): void {
  const bytes = frame.length - 4;
  if (bytes <= bytesMax) return;
  throw new RequestError(
    'TOO_LARGE',
    `${name}: ${bytes} bytes exceed the limit of ${bytesMax} for one request (frameBytesMax, jute.maxbuffer)`,
  );
}
