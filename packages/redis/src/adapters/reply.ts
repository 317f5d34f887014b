import type { Reply } from '../port.ts';

/** Returns a client library's value as RESP2 shapes it: a shared client may use RESP3. */
export function toReply(value: unknown): Reply {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
  if (Array.isArray(value)) return value.map(toReply);
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === undefined) return null;
  // No other value comes with the options in use; if one does, it is shown rather than lost.
  return typeof value === 'bigint' ? `${value}` : JSON.stringify(value);
}

/** True if the object has all these methods, its own or inherited. */
export function hasMethods(object: object, ...names: readonly string[]): boolean {
  return names.every((name) => typeof propertyOf(object, name) === 'function');
}

/** Returns a member that the structural types do not name, because the library does not promise it. */
export function propertyOf(object: object | undefined, name: string): unknown {
  return object === undefined ? undefined : Reflect.get(object, name);
}
