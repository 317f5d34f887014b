import type { Clock } from '../../../sim/clock.ts';
import type { SimEvent } from '../../../sim/event-queue.ts';
import type { HoldLog } from '../../../sim/hold-log.ts';
import type { Kernel } from '../../../sim/kernel.ts';
import type { RedisEngine } from './engine.ts';

interface Watched {
  readonly atUs: number;
  readonly value: string;
  event: SimEvent;
}

/**
 * Reports the expiry of keys. A server detects an expiry only when a client accesses the key, which may not happen; a
 * story needs the moment at which the lock was free. Only for traces: it changes nothing.
 */
export class ExpiryWatch {
  readonly #kernel: Kernel;
  readonly #clock: Clock;
  readonly #expired: (key: string, value: string) => void;
  #watched = new Map<string, Watched>();

  constructor(kernel: Kernel, clock: Clock, expired: (key: string, value: string) => void) {
    this.#kernel = kernel;
    this.#clock = clock;
    this.#expired = expired;
  }

  /** To be called after anything that may have changed a key or its expiry. */
  update(engine: RedisEngine): void {
    const before = this.#watched;
    this.#watched = new Map();
    for (const { key, atUs } of engine.expiries()) {
      const known = before.get(key);
      const value = valueOf(engine, key);
      if (known?.atUs === atUs && known.value === value) {
        this.#watched.set(key, known);
        before.delete(key);
      } else if (value !== undefined) {
        this.#watched.set(key, { atUs, value, event: this.#schedule(key, atUs, value) });
      }
    }
    for (const { event } of before.values()) event.cancelled = true;
  }

  /** The clock was changed, so it shows each expiry at another true time. */
  reset(): void {
    for (const [key, watched] of this.#watched) {
      watched.event.cancelled = true;
      watched.event = this.#schedule(key, watched.atUs, watched.value);
    }
  }

  /** The data or the server is gone. */
  clear(): void {
    for (const { event } of this.#watched.values()) event.cancelled = true;
    this.#watched.clear();
  }

  #schedule(key: string, atUs: number, value: string): SimEvent {
    const expire = (): boolean => {
      this.#watched.delete(key);
      this.#expired(key, value);
      return false;
    };
    return this.#kernel.schedule(this.#clock.whenWall(atUs, this.#kernel.nowUs), expire);
  }
}

/** Undefined if the key has expired already. */
function valueOf(engine: RedisEngine, key: string): string | undefined {
  const value = engine.execute(['GET', key]);
  if (value === null) return undefined;
  return typeof value === 'string' ? value : '';
}

/** Effects on the first key only; after any other effect, all keys are read. */
const OF_ONE_KEY = new Set(['SET', 'PEXPIREAT', 'PERSIST', 'INCRBY', 'APPEND']);

/** Records the strings of a master and their expiry, in true time by its clock as that runs now. */
export class HoldWatch {
  readonly #name: string;
  readonly #kernel: Kernel;
  readonly #clock: Clock;
  readonly #holds: HoldLog;

  constructor(name: string, kernel: Kernel, clock: Clock, holds: HoldLog) {
    this.#name = name;
    this.#kernel = kernel;
    this.#clock = clock;
    this.#holds = holds;
  }

  /** The engine has applied a write of its own. */
  wrote([command = '', ...keys]: readonly string[], engine: RedisEngine): void {
    if (command === 'DEL') for (const key of keys) this.#record(key, engine);
    else if (OF_ONE_KEY.has(command)) this.#record(keys[0] ?? '', engine);
    else this.recordAll(engine);
  }

  /** The data or the clock has changed. */
  recordAll(engine: RedisEngine): void {
    const strings = engine.stringsNow();
    for (const [key, { value, expiresAtMs }] of strings)
      this.#holds.note(this.#name, key, value, this.#endMs(expiresAtMs));
    this.#holds.keepOnly(this.#name, new Set(strings.keys()));
  }

  /** This server takes the place of another master. */
  promoted(): void {
    this.#holds.promoted.add(this.#name);
  }

  /** No lock is granted by its data any more. */
  clear(): void {
    this.#holds.keepOnly(this.#name, new Set());
  }

  #record(key: string, engine: RedisEngine): void {
    const found = engine.stringNow(key);
    if (found === undefined) this.#holds.note(this.#name, key, undefined);
    else this.#holds.note(this.#name, key, found.value, this.#endMs(found.expiresAtMs));
  }

  /** A key exists until the clock shows a ms later than its expiry. */
  #endMs(expiresAtMs: number): number {
    if (expiresAtMs === Number.POSITIVE_INFINITY) return expiresAtMs;
    return this.#clock.whenWall((expiresAtMs + 1) * 1000, this.#kernel.nowUs) / 1000;
  }
}
