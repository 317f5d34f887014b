import type { Socket } from 'node:net';
import { redactedError, type Secrets } from '../../failure.ts';
import type { Link, LinkEvents, OutgoingCommand } from '../../link.ts';
import { KEEP_ALIVE_MS } from '../../liveness.ts';
import { NodeReplyError, type Reply } from '../../port.ts';
import { codeOf } from '../../replies.ts';
import { Encoder } from './encoder.ts';
import { ErrorLine, ReplyReader } from './reply-reader.ts';

export interface RespLinkOptions {
  /** A socket that is being connected, and belongs to the link. */
  readonly socket: Socket;
  /** The event that says that it is connected: `secureConnect` with TLS. */
  readonly connected: 'connect' | 'secureConnect';
  readonly events: LinkEvents;
  readonly secrets: Secrets;
  /** Commands that must succeed before any other: AUTH, SELECT. */
  readonly logIn: readonly (readonly string[])[];
}

/** What expects the next reply of the server, or one of those after it. */
interface AwaitedReply {
  answered(reply: Reply): void;
  refused(text: string): void;
  /** The connection has ended. Absent for commands: their connection is told, and knows all of them. */
  lost?(error: Error): void;
  /** The shard channel whose subscription it ends, if it does. */
  readonly ends?: string;
}

/** So much is written at once; then the socket is asked if it takes more. */
const WRITE_LENGTH = 65_536;
/** Within this time after `close` the peer should have taken what was written; else it is silent. */
const CLOSE_MS = 500;
/** Replies are forgotten in bulk: moving all others for each would take long if there are many. */
const COMPACT_AT = 1_024;

const ignore = (): void => undefined;

function closed(): Error {
  return new Error('the connection was closed');
}

/**
 * One connection of our own: RESP2 over a socket. The commands of one turn of the event loop leave in one write, and a command
 * is on its way from the moment at which its bytes are passed to the socket.
 */
export class RespLink implements Link {
  readonly #socket: Socket;
  readonly #events: LinkEvents;
  readonly #secrets: Secrets;
  readonly #reader = new ReplyReader();
  readonly #encoder = new Encoder();
  readonly #flush = (): void => this.#write();
  #unsent: OutgoingCommand[] = [];
  /** In the order of the commands; those before `#next` have come. */
  readonly #awaited: (AwaitedReply | undefined)[] = [];
  #next = 0;
  #isAlive = false;
  #isReady = false;
  #isSubscriber = false;
  #isOver = false;
  #lastError: unknown;

  constructor({ socket, connected, events, secrets, logIn }: RespLinkOptions) {
    this.#socket = socket;
    this.#events = events;
    this.#secrets = secrets;
    this.#applyKeepAlive();
    socket.setNoDelay(true);
    socket.setKeepAlive(true, KEEP_ALIVE_MS);
    socket.on('error', (error) => {
      this.#lastError = error;
    });
    socket.on('close', () => this.#end(this.#lastError ?? closed()));
    socket.on('data', (bytes) => this.#received(bytes));
    socket.once(connected, () => {
      // A name with several addresses may have cost the first handle, and with it what was said to it.
      this.#applyKeepAlive();
      this.#logIn(logIn);
    });
  }

  send(message: OutgoingCommand): void {
    if (this.#unsent.push(message) === 1) process.nextTick(this.#flush);
  }

  subscribe(channel: string, isSharded: boolean): Promise<void> {
    this.#isSubscriber = true;
    const args = [isSharded ? 'SSUBSCRIBE' : 'SUBSCRIBE', channel];
    return new Promise((resolve, reject) => {
      const refused = (text: string): void => reject(this.#refusal(text));
      this.#writeNow(args, { answered: () => resolve(), refused, lost: reject });
    });
  }

  unsubscribe(channel: string, isSharded: boolean): void {
    if (this.#isOver) return;
    const args = [isSharded ? 'SUNSUBSCRIBE' : 'UNSUBSCRIBE', channel];
    const ends = isSharded ? { ends: channel } : {};
    this.#writeNow(args, { answered: ignore, refused: ignore, ...ends });
  }

  keepAlive(alive: boolean): void {
    if (this.#isOver) return;
    this.#isAlive = alive;
    this.#applyKeepAlive();
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const socket = this.#socket;
    socket.removeAllListeners('data').resume();
    socket.unref();
    socket.setTimeout(CLOSE_MS, () => socket.destroy());
    if (this.#isReady) socket.end();
    else socket.destroy();
    for (const awaited of this.#awaited.splice(0)) awaited?.lost?.(closed());
  }

  #applyKeepAlive(): void {
    if (this.#isAlive) this.#socket.ref();
    else this.#socket.unref();
  }

  /** One refusal ends the link: without SELECT, for example, it would be in database 0, where no lock is kept. */
  #logIn(commands: readonly (readonly string[])[]): void {
    const ready = (): void => {
      if (this.#isOver) return;
      this.#isReady = true;
      this.#events.ready();
    };
    const refused = (text: string): void => this.#end(this.#refusal(text));
    for (const [at, args] of commands.entries()) {
      const isLast = at === commands.length - 1;
      this.#writeNow(args, { answered: isLast ? ready : ignore, refused });
    }
    if (commands.length === 0) ready();
  }

  /**
   * Writes the commands of this turn. One that the socket does not accept yet stays here: in the socket's buffer it could not be
   * held back when its deadline passes.
   */
  #write(): void {
    if (this.#isOver) return;
    if (!this.#socket.writable) return this.#rejectUnsent();
    const unsent = this.#unsent;
    let at = 0;
    while (at < unsent.length && !this.#socket.writableNeedDrain) {
      while (at < unsent.length && this.#encoder.length < WRITE_LENGTH) this.#add(unsent[at++]);
      this.#pass();
    }
    if (at === unsent.length) {
      unsent.length = 0;
      return;
    }
    this.#unsent = unsent.slice(at);
    this.#socket.once('drain', this.#flush);
  }

  #add(message: OutgoingCommand | undefined): void {
    if (message?.markSent() !== true) return;
    if (message.asking === true) {
      this.#encoder.add(['ASKING']);
      this.#awaited.push({ answered: ignore, refused: ignore });
    }
    this.#encoder.add(message.args);
    this.#awaited.push(message);
  }

  #writeNow(args: readonly string[], awaited: AwaitedReply): void {
    if (this.#isOver || !this.#socket.writable) return awaited.lost?.(closed());
    this.#encoder.add(args);
    this.#awaited.push(awaited);
    this.#pass();
  }

  #pass(): void {
    if (this.#encoder.length > 0) this.#socket.write(this.#encoder.take());
    if (this.#socket.writableLength === 0) this.#encoder.reuse();
  }

  #rejectUnsent(): void {
    for (const message of this.#unsent.splice(0)) message.notSent(closed());
  }

  #received(bytes: Buffer): void {
    try {
      this.#reader.add(bytes.toString('latin1'));
      while (!this.#isOver) {
        const received = this.#reader.next();
        if (received === undefined) return;
        if (received instanceof ErrorLine) this.#onError(received.text);
        else if (!this.#isSubscriber || !this.#isMessage(received))
          this.#take()?.answered(received);
      }
    } catch (error) {
      this.#end(error);
    }
  }

  /** A server that lets nobody in says why before anything was sent. */
  #onError(text: string): void {
    const awaited = this.#take();
    if (awaited === undefined) this.#end(this.#refusal(text));
    else awaited.refused(text);
  }

  /** Handles what a subscriber gets without having asked for it. */
  #isMessage(reply: Reply): boolean {
    if (!Array.isArray(reply)) return false;
    const [kind, channel, text] = reply.map(String);
    if (kind === 'message' || kind === 'smessage') this.#events.published(channel ?? '', text);
    else if (kind !== 'sunsubscribe' || this.#awaited[this.#next]?.ends === channel) return false;
    else this.#events.unsubscribed(channel ?? '');
    return true;
  }

  #take(): AwaitedReply | undefined {
    const awaited = this.#awaited[this.#next];
    if (awaited === undefined) return undefined;
    this.#awaited[this.#next++] = undefined;
    if (this.#next === this.#awaited.length) {
      this.#awaited.length = 0;
      this.#next = 0;
    } else if (this.#next === COMPACT_AT) {
      this.#awaited.splice(0, this.#next);
      this.#next = 0;
    }
    return awaited;
  }

  #refusal(text: string): Error {
    return redactedError(new NodeReplyError(codeOf(text), text), this.#secrets);
  }

  #end(error: unknown): void {
    if (this.#isOver) return;
    this.close();
    this.#socket.destroy();
    this.#events.closed(redactedError(error, this.#secrets));
  }
}
