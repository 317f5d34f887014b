import { RedisError, WRONG_TYPE } from './reply.ts';
import { copyOf, isEmpty, type KeyEntry, type Value } from './values.ts';

/**
 * The data of a server, with absolute expiry times. Plain values, which can be stored and restored any number of times.
 */
export interface EngineSnapshot {
  readonly entries: readonly (readonly [
    key: string,
    value: Value,
    expiresAtMs: number | undefined,
  ])[];
}

/** A string at one point in time. */
export interface PreviousValue {
  readonly value: string;
  /** Infinity if it never expires. */
  readonly expiresAtMs: number;
}

/**
 * The current access: a master deletes expired keys, a replica only hides them, and the stream from the master sees
 * them all.
 */
export type KeyAccess = 'master' | 'replica' | 'stream';

/**
 * The keys and their expiry. Expiry is lazy, as replies show it: an expired key is deleted when it is next accessed,
 * and the deletion is announced like any other write.
 */
export class Keyspace {
  readonly #entries = new Map<string, KeyEntry>();
  readonly #wrote: ((effect: readonly string[]) => void) | undefined;
  /** The server's wall clock; constant while a command or script runs. */
  nowMs = 0;
  access: KeyAccess = 'master';

  constructor(wrote: ((effect: readonly string[]) => void) | undefined) {
    this.#wrote = wrote;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The entry, if the key exists now. */
  find(key: string): KeyEntry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || !this.#isOver(entry)) return entry;
    if (this.access === 'master') this.#expire(key);
    return undefined;
  }

  has(key: string): boolean {
    return this.find(key) !== undefined;
  }

  /** @throws RedisError if the key holds another type than a string */
  string(key: string): string | undefined {
    const value = this.find(key)?.value;
    if (value === undefined || typeof value === 'string') return value;
    throw new RedisError(WRONG_TYPE);
  }

  /** @throws RedisError if the key holds another type */
  collection<T extends Value>(key: string, type: new () => T): T | undefined {
    const value = this.find(key)?.value;
    if (value === undefined || value instanceof type) return value;
    throw new RedisError(WRONG_TYPE);
  }

  /**
   * As {@link collection}, but creates a collection if the key is free. The caller fills it and then calls {@link
   * settle}.
   */
  getOrCreate<T extends Exclude<Value, string>>(key: string, type: new () => T): T {
    const found = this.collection(key, type);
    if (found !== undefined) return found;
    const made = new type();
    this.set(key, made, undefined);
    return made;
  }

  set(key: string, value: Value, expiresAtMs: number | undefined): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#entries.set(key, { value, expiresAtMs });
    else {
      entry.value = value;
      entry.expiresAtMs = expiresAtMs;
    }
  }

  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  /** Removes the key if its collection has become empty. */
  removeIfEmpty(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined && isEmpty(entry.value)) this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The keys that exist now; reading them deletes nothing. */
  *keys(): Generator<string> {
    for (const [key, entry] of this.#entries) if (!this.#isOver(entry)) yield key;
  }

  /** The strings that exist now; reading them deletes nothing. */
  strings(): ReadonlyMap<string, PreviousValue> {
    const found = new Map<string, PreviousValue>();
    for (const [key, entry] of this.#entries) {
      const previous = this.#previous(entry);
      if (previous !== undefined) found.set(key, previous);
    }
    return found;
  }

  /** One of {@link strings}. */
  stringNow(key: string): PreviousValue | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined ? undefined : this.#previous(entry);
  }

  *withExpiry(): Generator<{ key: string; expiresAtMs: number }> {
    for (const [key, { expiresAtMs }] of this.#entries)
      if (expiresAtMs !== undefined) yield { key, expiresAtMs };
  }

  /** Announces an applied write in a form that has one effect anywhere and at any time. */
  wrote(effect: readonly string[]): void {
    if (this.access !== 'stream') this.#wrote?.(effect);
  }

  snapshot(): EngineSnapshot {
    const entries = [...this.#entries].map(
      ([key, { value, expiresAtMs }]) => [key, copyOf(value), expiresAtMs] as const,
    );
    return { entries };
  }

  restore(snapshot: EngineSnapshot): void {
    this.#entries.clear();
    for (const [key, value, expiresAtMs] of snapshot.entries)
      this.#entries.set(key, { value: copyOf(value), expiresAtMs });
  }

  #previous(entry: KeyEntry): PreviousValue | undefined {
    const { value, expiresAtMs = Number.POSITIVE_INFINITY } = entry;
    return typeof value !== 'string' || this.#isOver(entry) ? undefined : { value, expiresAtMs };
  }

  #isOver({ expiresAtMs }: KeyEntry): boolean {
    return expiresAtMs !== undefined && this.nowMs > expiresAtMs && this.access !== 'stream';
  }

  #expire(key: string): void {
    this.#entries.delete(key);
    this.wrote(['DEL', key]);
  }
}
