import type { Clock } from '../../../sim/clock.ts';
import type { SimEvent } from '../../../sim/event-queue.ts';
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
