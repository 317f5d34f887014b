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
  /** True if the client was made for this link alone: then the link connects and disconnects it. */
  readonly isOwn: boolean;
}

const ignore = (): void => undefined;

function isStream(value: unknown): value is Stream {
  return typeof value === 'object' && value !== null && 'writableNeedDrain' in value;
}

/** The shard channels that ioredis considers subscribed; empty if it does not show them, so that all count as ended. */
function shardChannelsOf(client: IoredisClient): ReadonlySet<string> {
  const subscriber = objectIn(objectIn(client, 'condition'), 'subscriber');
  const channels = objectIn(objectIn(subscriber, 'set'), 'ssubscribe');
  return new Set(Object.keys(channels ?? {}));
}

function objectIn(object: object | undefined, name: string): object | undefined {
  const value = propertyOf(object, name);
  return typeof value === 'object' && value !== null ? value : undefined;
}

/** One connection of an ioredis client; an own client never makes a second one. */
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
  /** Confirmed by the server, and not ended. */
  readonly #shardChannels = new Set<string>();
  /** Rejects the subscriptions that have no reply yet, in their order. */
  readonly #pendingShards = new Set<(error: Error) => void>();

  constructor({ client, events, secrets, isOwn }: IoredisLinkOptions) {
    this.#client = client;
    this.#events = events;
    this.#secrets = secrets;
    this.#isOwn = isOwn;
    const end = (): void => this.#end(this.#lastError ?? new Error('the connection was closed'));
    this.#listeners = {
      error: (error) => {
        this.#lastError = error;
        // Part of the log-in was refused. If that was SELECT, ioredis continues in database 0, where no lock is kept.
        if (isOwn && replyText(error) !== undefined) this.#end(error);
        // A release that does not expect the end of a shard channel has lost count of its replies.
        else if (this.#shardChannels.size > 0 && client.status === 'ready') this.#end(error);
      },
      connecting: () => this.#applyKeepAliveToNewStream(),
      connect: () => this.#applyKeepAlive(),
      ready: () => this.#ready(),
      message: (channel, text) => this.#published(channel, text),
      smessage: (channel, text) => this.#published(channel, text),
      moved: () => this.#findEnded(),
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

  async subscribe(channel: string, isSharded: boolean): Promise<void> {
    try {
      if (isSharded) await this.#subscribeShard(channel);
      else await this.#client.call('subscribe', channel);
    } catch (error) {
      throw redactedError(error, this.#secrets);
    }
  }

  unsubscribe(channel: string, isSharded: boolean): void {
    this.#shardChannels.delete(channel);
    this.#client.call(isSharded ? 'sunsubscribe' : 'unsubscribe', channel).catch(ignore);
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

  async #subscribeShard(channel: string): Promise<void> {
    let reject: (error: Error) => void = ignore;
    const refused = new Promise<never>((_, fail) => {
      reject = fail;
    });
    this.#pendingShards.add(reject);
    try {
      await Promise.race([this.#client.call('ssubscribe', channel), refused]);
      this.#shardChannels.add(channel);
    } finally {
      this.#pendingShards.delete(reject);
    }
  }

  #published(channel: unknown, text: unknown): void {
    if (!this.#isOver) this.#events.published(String(channel), String(text));
  }

  /** ioredis reports that shard channels ended without their names, but has dropped them from its own list. */
  #findEnded(): void {
    const left = shardChannelsOf(this.#client);
    const ended = Array.from(this.#shardChannels).filter((channel) => !left.has(channel));
    if (ended.length === 0) this.#refuseOldest();
    for (const channel of ended) {
      if (this.#isOver) return;
      this.#shardChannels.delete(channel);
      this.#events.unsubscribed(channel);
    }
  }

  /** The event may also mean that SSUBSCRIBE was redirected. ioredis 6 then rejects the call too; 5 leaves it open. */
  #refuseOldest(): void {
    const pending = this.#pendingShards.size;
    const [oldest] = this.#pendingShards;
    // After the promises that ioredis settles in this tick.
    const check = (): void => {
      if (this.#pendingShards.size === pending)
        oldest?.(new Error('MOVED the slot of this channel is served elsewhere'));
    };
    process.nextTick(() => queueMicrotask(() => process.nextTick(check)));
  }

  /**
   * Writes the commands of this tick with one system call, where ioredis would make one for each. A command that the socket
   * does not accept yet stays here: in the socket's buffer it could not be held back when its deadline passes.
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
    if (message.asking === true) this.#client.call('asking').catch(ignore);
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
    // Any other error means that the reply will never come, so the connection is useless.
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

  /** ioredis makes its socket in the tick after the next one, without an event. */
  #applyKeepAliveToNewStream(): void {
    process.nextTick(() => process.nextTick(() => this.#applyKeepAlive()));
  }

  #applyKeepAlive(): void {
    // A shared client serves others too: its owner decides if it keeps the process alive.
    if (!this.#isOwn || this.#isOver) return;
    if (this.#isAlive) this.#stream?.ref();
    else this.#stream?.unref();
  }
}
