/** From a process, back to it as a reply, or back to it without a request. */
export type MessageKind = 'request' | 'reply' | 'push';

/** One message on its way, as a rule sees it. */
export interface Message {
  readonly from: string;
  readonly to: string;
  readonly way: MessageKind;
  /** The command or script it is part of; `connect`, `undo` and `message` (a publication) are three more. */
  readonly label: string;
  /** Number of messages with this `from`, `to`, `way` and `label`, this one included. */
  readonly n: number;
}

/**
 * A rule's decision on a message.
 * - `delayMs`: the message, and all behind it on its connection, arrives that much later.
 * - `drop`: the message and, as in TCP, everything after it on the connection never arrive. Both ends consider the
 *   connection alive until one detects the silence.
 * - `reset`: the message is lost and its connection broken, and both ends are notified.
 */
export type RuleOutcome = 'pass' | 'drop' | 'reset' | { readonly delayMs: number };

/** Decides on every message as it leaves. Delays of several rules add up, and the first drop or reset decides. */
export type Rule = (message: Message) => RuleOutcome;
