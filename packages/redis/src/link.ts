import type { Reply } from './port.ts';

/** One command on its way to the server. */
export interface OutgoingCommand {
  readonly args: readonly string[];
  /** Whether it takes back what another may have done. */
  readonly isUndo: boolean;
  /** Asked when the bytes are about to be handed to the socket. False: it is too late, they must not be. */
  markSent(): boolean;
  /** Whether `leave` said yes on the link it was sent on last. */
  readonly isSent: boolean;
  answered(reply: Reply): void;
  /** The server answered with an error; `text` is its whole line. */
  refused(text: string): void;
  /** The library did not take it: it was not written, and will not be. */
  notSent(cause: Error): void;
}

/**
 * One connection of a client library, from dialling to its end. What is sent on it is executed in the order in
 * which it was sent, up to some point, and never again: no queue, no second sending, no reconnect behind our back.
 */
export interface Link {
  /** Only after `ready`. Messages leave in order, at once or when the socket takes more. */
  send(message: OutgoingCommand): void;
  subscribe(channel: string): Promise<void>;
  unsubscribe(channel: string): void;
  /** Whether this connection keeps the process alive; it does not until asked to. */
  keepAlive(alive: boolean): void;
  /** What was written before still goes out, unless the peer is silent. No event follows. */
  close(): void;
}

/** What a link reports, never from within `dial`. */
export interface LinkEvents {
  ready(): void;
  /** At most once, and nothing after it. Messages not answered by then never will be. */
  closed(cause: Error): void;
  /** Something was published on a subscribed channel. */
  published(channel: string): void;
}

/** Opens connections to one node through one client library. */
export interface Dialer {
  /** For people, without credentials. */
  readonly address: string;
  dial(purpose: 'commands' | 'wake-ups', events: LinkEvents): Link;
}
