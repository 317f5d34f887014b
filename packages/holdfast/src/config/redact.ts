import { inspect } from 'node:util';
import { redactText } from '@holdfast/core';

/** An error of somebody else, to be passed on as a cause: as it is, or only what it says where it shows a password. */
export function redactCause(cause: unknown): unknown {
  const shown = inspect(cause, { depth: 9, showHidden: true });
  if (redactText(shown) === shown) return cause;
  return new Error(redactText(messageOf(cause)));
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
