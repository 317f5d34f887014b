import { RedisError, WRONG_TYPE } from './reply.ts';
import { copyOf, isEmpty, type KeyEntry, type Value } from './values.ts';

/** What the keys hold, with absolute expiry times. Plain values: it can be kept and restored any number of times. */
export interface EngineSnapshot {
  readonly entries: readonly (readonly [
    key: string,
    value: Value,
    expiresAtMs: number | undefined,
  ])[];
}

/** A string, as it stood at one time. */
export interface PreviousValue {
  readonly value: string;
  /** Infinity: it never ends. */
  readonly expiresAtMs: number;
}

/** Who asks: a master deletes what has expired, a replica only hides it, and the stream from the master sees it all. */
export type KeyStatus = 'master' | 'replica' | 'stream';

/**
 * The keys, and when they end. Expiry is lazy, as replies show it: a key past its time goes when it is next touched,
 * and the deletion is announced like any other write.
 */
export class Keyspace {
  readonly #entries = new Map<string, KeyEntry>();
  readonly #wrote: ((effect: readonly string[]) => void) | undefined;
  /** The server's wall clock, which stands still while a command or script runs. */
  nowMs = 0;
  standing: KeyStatus = 'master';

  constructor(wrote: ((effect: readonly string[]) => void) | undefined) {
    this.#wrote = wrote;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The entry, if it is there now. */
  find(key: string): KeyEntry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || !this.#isOver(entry)) return entry;
    if (this.standing === 'master') this.#expire(key);
    return undefined;
  }

  has(key: string): boolean {
    return this.find(key) !== undefined;
  }

  /** @throws RedisError when something else than a string is there */
  string(key: string): string | undefined {
    const value = this.find(key)?.value;
    if (value === undefined || typeof value === 'string') return value;
    throw new RedisError(WRONG_TYPE);
  }

  /** @throws RedisError when something else is there */
  collection<T extends Value>(key: string, type: new () => T): T | undefined {
    const value = this.find(key)?.value;
    if (value === undefined || value instanceof type) return value;
    throw new RedisError(WRONG_TYPE);
  }

  /** As {@link collection}; a new one where nothing is. The caller fills it, and ends by {@link settle}. */
  grown<T extends Exclude<Value, string>>(key: string, type: new () => T): T {
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
  settle(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined && isEmpty(entry.value)) this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The keys that are there now; nothing is deleted by looking. */
  *keys(): Generator<string> {
    for (const [key, entry] of this.#entries) if (!this.#isOver(entry)) yield key;
  }

  /** The strings that are there now; nothing is deleted by looking. */
  strings(): ReadonlyMap<string, PreviousValue> {
    const found = new Map<string, PreviousValue>();
    for (const [key, entry] of this.#entries) {
      const stood = this.#previous(entry);
      if (stood !== undefined) found.set(key, stood);
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

  /** Announces an applied write in a form that does the same anywhere and at any time. */
  wrote(effect: readonly string[]): void {
    if (this.standing !== 'stream') this.#wrote?.(effect);
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
    return expiresAtMs !== undefined && this.nowMs > expiresAtMs && this.standing !== 'stream';
  }

  #expire(key: string): void {
    this.#entries.delete(key);
    this.wrote(['DEL', key]);
  }
}
