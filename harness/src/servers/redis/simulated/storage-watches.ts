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
 * Tells when keys expire. A server finds out only when somebody asks for the key, and nobody may; a story needs
 * the moment at which the lock was free. Only for traces: it changes nothing.
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

  /** To be called after whatever may have changed a key or its expiry. */
  look(engine: RedisEngine): void {
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

  /** The clock was changed: what it shows when is different now. */
  reset(): void {
    for (const [key, watched] of this.#watched) {
      watched.event.cancelled = true;
      watched.event = this.#schedule(key, watched.atUs, watched.value);
    }
  }

  /** The data is gone, or its server is. */
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

/** Undefined for what has expired already. */
function valueOf(engine: RedisEngine, key: string): string | undefined {
  const value = engine.execute(['GET', key]);
  if (value === null) return undefined;
  return typeof value === 'string' ? value : '';
}

/** Effects that concern the one key that comes first; after any other, all keys are looked at. */
const OF_ONE_KEY = new Set(['SET', 'PEXPIREAT', 'PERSIST', 'INCRBY', 'APPEND']);

/** Writes down which strings a master has, and until when: by its own clock as that runs now, told in true time. */
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
    if (command === 'DEL') for (const key of keys) this.#lookAt(key, engine);
    else if (OF_ONE_KEY.has(command)) this.#lookAt(keys[0] ?? '', engine);
    else this.look(engine);
  }

  /** Its data or its clock is another. */
  look(engine: RedisEngine): void {
    const strings = engine.stringsNow();
    for (const [key, { value, expiresAtMs }] of strings)
      this.#holds.note(this.#name, key, value, this.#endMs(expiresAtMs));
    this.#holds.keepOnly(this.#name, new Set(strings.keys()));
  }

  /** It takes the place of another. */
  promoted(): void {
    this.#holds.promoted.add(this.#name);
  }

  /** Nobody is granted anything by what it has. */
  clear(): void {
    this.#holds.keepOnly(this.#name, new Set());
  }

  #lookAt(key: string, engine: RedisEngine): void {
    const found = engine.stringNow(key);
    if (found === undefined) this.#holds.note(this.#name, key, undefined);
    else this.#holds.note(this.#name, key, found.value, this.#endMs(found.expiresAtMs));
  }

  /** A key is there until the clock shows a later ms than that of its end. */
  #endMs(expiresAtMs: number): number {
    if (expiresAtMs === Number.POSITIVE_INFINITY) return expiresAtMs;
    return this.#clock.whenWall((expiresAtMs + 1) * 1000, this.#kernel.nowUs) / 1000;
  }
}
