import type { Reply } from '../port.ts';

/** A client library's value for a reply, as RESP2 shapes it: a shared client may speak RESP3. */
export function toReply(value: unknown): Reply {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  if (Array.isArray(value)) return value.map(toReply);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === undefined) return null;
  // Nothing else comes with the options in use; if it does, it is shown rather than lost.
  return typeof value === 'bigint' ? `${value}` : JSON.stringify(value);
}

/** A member that the structural types do not name, because the library does not promise it. */
export function propertyOf(object: object | undefined, name: string): unknown {
  return object === undefined ? undefined : Reflect.get(object, name);
}
