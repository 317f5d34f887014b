/** The value of a key. A collection is never empty: the key is removed with the last member. */
export type Value = string | RedisHash | RedisSet | RedisList | RedisSortedSet;

export class RedisHash {
  readonly fields: Map<string, string> = new Map();
}

export class RedisSet {
  readonly members: Set<string> = new Set();
}

export class RedisList {
  items: string[] = [];
}

export class RedisSortedSet {
  readonly scores: Map<string, number> = new Map();
}

export interface KeyEntry {
  value: Value;
  /** The last millisecond, on the server's wall clock, at which the key exists; undefined if it does not expire. */
  expiresAtMs: number | undefined;
}

export function typeName(value: Value): string {
  if (typeof value === 'string') return 'string';
  if (value instanceof RedisHash) return 'hash';
  if (value instanceof RedisSet) return 'set';
  return value instanceof RedisList ? 'list' : 'zset';
}

export function isEmpty(value: Value): boolean {
  if (typeof value === 'string') return false;
  if (value instanceof RedisHash) return value.fields.size === 0;
  if (value instanceof RedisSet) return value.members.size === 0;
  return (value instanceof RedisList ? value.items.length : value.scores.size) === 0;
}

export function copyOf(value: Value): Value {
  if (typeof value === 'string') return value;
  if (value instanceof RedisHash)
    return filled(new RedisHash(), (to) => copyMap(value.fields, to.fields));
  if (value instanceof RedisSortedSet)
    return filled(new RedisSortedSet(), (to) => copyMap(value.scores, to.scores));
  if (value instanceof RedisSet)
    return filled(new RedisSet(), (to) => {
      for (const member of value.members) to.members.add(member);
    });
  return filled(new RedisList(), (to) => {
    to.items = [...value.items];
  });
}

function filled<T>(empty: T, fill: (empty: T) => void): T {
  fill(empty);
  return empty;
}

function copyMap<T>(from: ReadonlyMap<string, T>, to: Map<string, T>): void {
  for (const [key, value] of from) to.set(key, value);
}
