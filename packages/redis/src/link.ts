import type { Reply } from './port.ts';

/** One command on its way to the server. */
export interface OutgoingCommand {
  /** The command's name and its arguments. */
  readonly args: readonly string[];
  /** True if it undoes another command. */
  readonly isUndo: boolean;
  /** True if ASKING leaves right before it: whatever else is sent must not come between. */
  readonly asking?: boolean | undefined;
  /** Called just before the bytes are passed to the socket. Returns false if it is too late: they must not be. */
  markSent(): boolean;
  /** True if `markSent` returned true on the latest link. */
  readonly isSent: boolean;
  /** The server replied, not with an error. */
  answered(reply: Reply): void;
  /** The server replied with an error; `text` is its whole line. */
  refused(text: string): void;
  /** The library did not accept it: it was not written, and will not be. */
  notSent(cause: Error): void;
}

/**
 * One connection of a client library, from dialling to its end. The server executes its commands in the order in which
 * they were sent, up to some point, and once at most: no offline queue, no resending, no hidden reconnect.
 */
export interface Link {
  /** The server that it leads to, if its dialer chooses among several; known once it is `ready`. */
  readonly server?: string | undefined;
  /** Only after `ready`. Commands leave in order, at once or when the socket accepts more. */
  send(message: OutgoingCommand): void;
  /** Resolves once the server has confirmed; rejects if it refuses or the link ends first. */
  subscribe(channel: string, isSharded: boolean): Promise<void>;
  /** Requests the end of a subscription, and does not wait for it. */
  unsubscribe(channel: string, isSharded: boolean): void;
  /** Makes this connection keep the process alive, or not; a new one does not. */
  keepAlive(alive: boolean): void;
  /** Commands that were written before still leave, unless the peer is silent. No event follows. */
  close(): void;
}

/** The events of a link, never from within `dial`. */
export interface LinkEvents {
  /** Connected and logged in: commands may be sent. */
  ready(): void;
  /** At most once, and the last event. Commands without a reply by then never get one. */
  closed(cause: Error): void;
  /** A message was published on a subscribed channel. */
  published(channel: string, text?: string): void;
  /** The server ended the subscription of a shard channel, because its slot is served elsewhere now. */
  unsubscribed(channel: string): void;
}

/** What a connection is for. Commands that wait for replicas have their own, since they stall it for all others. */
export type LinkPurpose = 'commands' | 'acknowledged' | 'wake-ups';

/** Opens connections to one node through one client library. */
export interface Dialer {
  /** For people, without credentials. */
  readonly address: string;
  /** Begins to connect, and returns at once. */
  dial(purpose: LinkPurpose, events: LinkEvents): Link;
  /** Calls `run` whenever there is news for which a pause after a failed attempt should be cut short. */
  onNotification?(run: () => void): void;
  /** Ends what it keeps open besides its links. Called once, after the last link has ended. */
  close?(): void;
}
