/** From a process, back to it, or back without having been asked for. */
export type MessageKind = 'request' | 'reply' | 'push';

/** One message on its way, as a rule sees it. */
export interface Message {
  readonly from: string;
  readonly to: string;
  readonly way: MessageKind;
  /** The command or script it is part of; `connect`, `undo` and `message` (a publication) are three more. */
  readonly label: string;
  /** How many there have been with this `from`, `to`, `way` and `label`, this one included. */
  readonly n: number;
}

/**
 * What becomes of a message.
 * - `delayMs`: it, and what follows it on its connection, arrives that much later.
 * - `drop`: it never arrives, and so nothing behind it on its connection does either, as TCP has it; the connection
 *   looks alive to both ends until somebody finds it silent.
 * - `reset`: it is lost and its connection broken, which its sender's end and the other learn.
 */
export type RuleOutcome = 'pass' | 'drop' | 'reset' | { readonly delayMs: number };

/** Asked for every message as it leaves. Of several rules delays add up, and the first drop or reset decides. */
export type Rule = (message: Message) => RuleOutcome;
