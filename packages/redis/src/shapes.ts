import type { Reply } from './port.ts';

/** What a server says of a command that a MULTI of its connection keeps back: it may be executed later, or never. */
export function isQueued(reply: Reply): boolean {
  return reply === 'QUEUED';
}

/** A whole number that has lost no digit. */
export function isInteger(reply: Reply | undefined): reply is number {
  return Number.isSafeInteger(reply);
}

/** The yes or no of a script, or how many of one key there were. */
export function isZeroOrOne(reply: Reply): reply is 0 | 1 {
  return reply === 0 || reply === 1;
}

/** How long a key lives yet, in ms. */
export function isRemainingMs(reply: Reply): reply is number {
  return isInteger(reply) && reply >= 0;
}

/** A value, or none. */
export function isValue(reply: Reply | undefined): reply is string | null {
  return reply === null || typeof reply === 'string';
}
