import { redactedError, replyText, type Secrets } from '../failure.ts';
import type { Link, LinkEvents, OutgoingCommand } from '../link.ts';
import type { IoredisClient } from './clients.ts';
import { propertyOf, toReply } from './reply.ts';

/** The members of a socket that ioredis shows as `stream`. */
interface Stream {
  readonly writable: boolean;
  readonly writableNeedDrain: boolean;
  cork(): void;
  uncork(): void;
  ref(): void;
  unref(): void;
  once(event: 'drain', run: () => void): unknown;
}

export interface IoredisLinkOptions {
  readonly client: IoredisClient;
  readonly events: LinkEvents;
  readonly secrets: Secrets;
  /** Whether the client was made for this link alone: then it is connected and disconnected here. */
  readonly isOwn: boolean;
}

const ignore = (): void => undefined;

function isStream(value: unknown): value is Stream {
  return typeof value === 'object' && value !== null && 'writableNeedDrain' in value;
}

/** One connection of an ioredis client; a client of our own never makes a second one. */
export class IoredisLink implements Link {
  readonly #client: IoredisClient;
  readonly #events: LinkEvents;
  readonly #secrets: Secrets;
  readonly #isOwn: boolean;
  readonly #unsent: OutgoingCommand[] = [];
  readonly #listeners: Record<string, (...args: unknown[]) => void>;
  #isAlive = false;
  #isOver = false;
  #lastError: unknown;

  constructor({ client, events, secrets, isOwn }: IoredisLinkOptions) {
    this.#client = client;
    this.#events = events;
    this.#secrets = secrets;
    this.#isOwn = isOwn;
    const end = (): void => this.#end(this.#lastError ?? new Error('the connection was closed'));
    this.#listeners = {
      error: (error) => {
        this.#lastError = error;
        // Its log-in was refused in part. Where that was SELECT, ioredis goes on in database 0, where nobody looks.
        if (isOwn && replyText(error) !== undefined) this.#end(error);
      },
      connecting: () => this.#applyKeepAliveToNewStream(),
      connect: () => this.#applyKeepAlive(),
      ready: () => this.#ready(),
      message: (channel) => {
        if (!this.#isOver) events.published(String(channel));
      },
      close: end,
      end,
    };
    for (const [event, listener] of Object.entries(this.#listeners)) client.on(event, listener);
    if (client.status === 'ready') queueMicrotask(() => this.#ready());
    else if (isOwn || client.status === 'wait') client.connect().catch(ignore);
  }

  send(message: OutgoingCommand): void {
    if (this.#unsent.push(message) === 1) process.nextTick(() => this.#flush());
  }

  async subscribe(channel: string): Promise<void> {
    try {
      await this.#client.call('subscribe', channel);
    } catch (error) {
      throw redactedError(error, this.#secrets);
    }
  }

  unsubscribe(channel: string): void {
    this.#client.call('unsubscribe', channel).catch(ignore);
  }

  keepAlive(alive: boolean): void {
    if (this.#isAlive === alive) return;
    this.#isAlive = alive;
    this.#applyKeepAlive();
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#detach();
  }

  get #stream(): Stream | undefined {
    const stream = propertyOf(this.#client, 'stream');
    return isStream(stream) ? stream : undefined;
  }

  /**
   * Writes what was sent in this tick with one system call, where ioredis would make one for each command. What the
   * socket does not take yet stays here: once in its buffer it could not be held back when its deadline passes.
   */
  #flush(): void {
    const stream = this.#stream;
    if (this.#isOver) return;
    if (this.#client.status !== 'ready' || stream?.writable !== true) return this.#rejectUnsent();
    let written = 0;
    stream.cork();
    for (const message of this.#unsent) {
      if (stream.writableNeedDrain) break;
      this.#write(message);
      written++;
    }
    stream.uncork();
    this.#unsent.splice(0, written);
    if (this.#unsent.length > 0) stream.once('drain', () => this.#flush());
  }

  #rejectUnsent(): void {
    for (const message of this.#unsent.splice(0))
      message.notSent(new Error('the connection was closed'));
  }

  #write(message: OutgoingCommand): void {
    if (!message.markSent()) return;
    this.#client.call(...message.args).then(
      (reply) => {
        if (!this.#isOver) message.answered(toReply(reply));
        return undefined;
      },
      (error: unknown) => this.#failed(message, error),
    );
  }

  #failed(message: OutgoingCommand, error: unknown): void {
    if (this.#isOver) return;
    const text = replyText(error);
    // Anything but a reply means that this one will never come, and so that the connection is of no use any more.
    if (text === undefined) this.#end(error);
    else message.refused(text);
  }

  #ready(): void {
    if (this.#isOver || this.#client.status !== 'ready') return;
    this.#applyKeepAlive();
    this.#events.ready();
  }

  #end(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#detach();
    this.#events.closed(redactedError(error, this.#secrets));
  }

  #detach(): void {
    for (const [event, listener] of Object.entries(this.#listeners)) {
      // Without a listener ioredis prints errors.
      if (event !== 'error' || !this.#isOwn) this.#client.off(event, listener);
    }
    if (!this.#isOwn) return;
    this.#stream?.unref();
    this.#client.disconnect();
  }

  /** ioredis tells nobody that it has made its socket; it does so in the tick after the next one. */
  #applyKeepAliveToNewStream(): void {
    process.nextTick(() => process.nextTick(() => this.#applyKeepAlive()));
  }

  #applyKeepAlive(): void {
    // A client that is not ours serves others too: whether it keeps the process alive is its owner's matter.
    if (!this.#isOwn || this.#isOver) return;
    if (this.#isAlive) this.#stream?.ref();
    else this.#stream?.unref();
  }
}
