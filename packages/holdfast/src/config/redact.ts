import { inspect } from 'node:util';
import { redactText } from '@holdfast/core/backend';

/** A foreign error as a cause: unchanged, or only its redacted message if it shows a password. */
export function redactCause(cause: unknown): unknown {
  const shown = inspect(cause, { depth: 9, showHidden: true });
  if (redactText(shown) === shown) return cause;
  return new Error(redactText(messageOf(cause)));
}

export function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
