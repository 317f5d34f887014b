import { redactedError, replyText, type Secrets } from '../failure.ts';
import type { Link, LinkEvents, OutgoingCommand } from '../link.ts';
import type { NodeRedisClient } from './clients.ts';
import { toReply } from './reply.ts';

export interface NodeRedisLinkOptions {
  readonly client: NodeRedisClient;
  readonly events: LinkEvents;
  readonly secrets: Secrets;
  /**
   * Aborts the socket of a client that was made for this link alone, which the link connects and destroys. Undefined for a
   * client that serves others too.
   */
  readonly socket: AbortController | undefined;
}

const ignore = (): void => undefined;

/** RESP2 shapes for a shared client, which may use RESP3: maps and sets as arrays, doubles as strings. */
const SHARED_CLIENT_OPTIONS = {
  timeout: 0,
  abortSignal: undefined,
  typeMapping: {
    ['%'.charCodeAt(0)]: Array,
    ['~'.charCodeAt(0)]: Array,
    [','.charCodeAt(0)]: String,
  },
};

/** The arguments of a command, the first of which is read through {@link GATE}. */
type Outgoing = string[] & { message?: OutgoingCommand };

/**
 * node-redis keeps the arguments in its queue and reads them when it writes them, an iteration of the event loop later or
 * when the socket has drained. Reading the first argument checks at that moment if the command may still leave; if not,
 * reading throws, and node-redis drops the command. There is no other way to keep a command from being written after its
 * deadline, nor to learn if it was written.
 */
const GATE: object = Object.create(Array.prototype, {
  0: {
    get(this: Outgoing): string | undefined {
      if (this.message?.markSent() !== true) throw new Error('too late to be sent');
      return this.message.args[0];
    },
  },
});

/** ASKING, which leaves only if its command may; the command then belongs to it, as if both were one write. */
function askingFor(message: OutgoingCommand): OutgoingCommand {
  const args = ['ASKING'];
  return {
    args,
    isUndo: message.isUndo,
    get isSent() {
      return message.isSent;
    },
    markSent: () => message.markSent(),
    answered: ignore,
    refused: ignore,
    notSent: ignore,
  };
}

/** Changing the prototype of a new array is far cheaper than a subclass, or an accessor on each array. */
function gated(message: OutgoingCommand): Outgoing {
  const { args } = message;
  // oxlint-disable-next-line unicorn/no-new-array -- the hole in front is what lets the gate show through
  const out: Outgoing = new Array<string>(args.length);
  for (let at = 1; at < args.length; at++) out[at] = args[at] ?? '';
  Object.setPrototypeOf(out, GATE);
  out.message = message;
  return out;
}

/** Destroys also a client that never connected, which else stays in node-redis's registry; version 5 throws then. */
function destroy(client: NodeRedisClient): void {
  try {
    client.destroy();
  } catch {
    // The client was closed already.
  }
}

/** One connection of a node-redis client; an own client never makes a second one. */
export class NodeRedisLink implements Link {
  readonly #client: NodeRedisClient;
  readonly #events: LinkEvents;
  readonly #secrets: Secrets;
  readonly #socket: AbortController | undefined;
  readonly #isOwn: boolean;
  readonly #listeners: Record<string, (...args: unknown[]) => void>;
  readonly #onMessage = (text: string, channel: string): void => {
    if (!this.#isOver) this.#events.published(channel, text);
  };
  #isReady = false;
  #isAlive = false;
  #isOver = false;

  constructor({ client, events, secrets, socket }: NodeRedisLinkOptions) {
    this.#client = client;
    this.#events = events;
    this.#secrets = secrets;
    this.#socket = socket;
    this.#isOwn = socket !== undefined;
    const end = (error?: unknown): void =>
      this.#end(error ?? new Error('the connection was closed'));
    this.#listeners = {
      error: end,
      end: () => end(),
      ready: () => this.#ready(),
      'sharded-channel-moved': (channel) => {
        if (!this.#isOver) events.unsubscribed(String(channel));
      },
    };
    for (const [event, listener] of Object.entries(this.#listeners)) client.on(event, listener);
    if (client.isReady) queueMicrotask(() => this.#ready());
    // Not now: if connecting fails at once, its error event would come from within `dial`.
    else if (this.#isOwn) queueMicrotask(() => this.#connect());
  }

  send(message: OutgoingCommand): void {
    if (message.asking === true) this.#client.sendCommand(gated(askingFor(message))).catch(ignore);
    this.#client.sendCommand(gated(message), this.#isOwn ? undefined : SHARED_CLIENT_OPTIONS).then(
      (reply) => {
        if (!this.#isOver) message.answered(toReply(reply));
        return undefined;
      },
      (error: unknown) => this.#failed(message, error),
    );
  }

  async subscribe(channel: string, isSharded: boolean): Promise<void> {
    const client = this.#client;
    try {
      if (isSharded) await client.sSubscribe(channel, this.#onMessage);
      else await client.subscribe(channel, this.#onMessage);
    } catch (error) {
      throw redactedError(error, this.#secrets);
    }
  }

  unsubscribe(channel: string, isSharded: boolean): void {
    const client = this.#client;
    // Names the listener, so that a SUBSCRIBE that follows at once is not treated as a mere second listener.
    if (isSharded) client.sUnsubscribe(channel, this.#onMessage).catch(ignore);
    else client.unsubscribe(channel, this.#onMessage).catch(ignore);
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

  #failed(message: OutgoingCommand, error: unknown): void {
    if (this.#isOver) return;
    const text = replyText(error);
    if (!message.isSent) message.notSent(redactedError(error, this.#secrets));
    else if (text === undefined) this.#end(error);
    else message.refused(text);
  }

  #connect(): void {
    if (!this.#isOver) this.#client.connect().catch((error: unknown) => this.#end(error));
  }

  #ready(): void {
    if (this.#isOver || this.#isReady) return;
    this.#isReady = true;
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
      // An error event without a listener is thrown.
      if (event !== 'error' || !this.#isOwn) this.#client.off(event, listener);
    }
    if (!this.#isOwn) return;
    destroy(this.#client);
    // Until it has connected, the client does not show its socket even to itself: `destroy` leaves it open.
    this.#socket?.abort();
  }

  /** Not before it is ready: a socket that is being connected can be unref'ed, but not ref'ed again. */
  #applyKeepAlive(): void {
    if (!this.#isOwn || !this.#isReady || this.#isOver) return;
    if (this.#isAlive) this.#client.ref();
    else this.#client.unref();
  }
}
