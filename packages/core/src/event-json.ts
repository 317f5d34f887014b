import type { LockEvent } from './events.ts';
import { shown } from './options.ts';

/**
 * Returns the event in a form that `JSON.stringify` can write: a token as decimal digits, since it may exceed what a
 * number holds, and an error by its name, message and code. Listeners see every field as it was.
 */
export function withJson(event: LockEvent): LockEvent {
  const hasToken = 'fencingToken' in event && event.fencingToken !== undefined;
  const hasCause = 'cause' in event && event.cause !== undefined;
  if (!hasToken && !hasCause) return event;
  return Object.defineProperty({ ...event }, 'toJSON', { value: () => jsonOf(event) });
}

function jsonOf(event: object): object {
  return Object.fromEntries(Object.entries(event).map(([name, value]) => [name, plain(value)]));
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (!(value instanceof Error)) return shown(value);
  const { name, message } = value;
  const code = 'code' in value && typeof value.code === 'string' ? { code: value.code } : {};
  return { name, message, ...code };
}
