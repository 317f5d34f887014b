import type { RedisEngine } from './engine.ts';
import type { EngineSnapshot } from './keyspace.ts';

type Effect = readonly string[];

/** What a server has on its disk: a snapshot, and every effect since then. */
export class DataLog {
  #base: EngineSnapshot | undefined;
  #effects: Effect[] = [];

  append(effect: Effect): void {
    this.#effects.push(effect);
  }

  /** Begins anew from what the engine holds. */
  start(engine: RedisEngine): void {
    this.#base = engine.snapshot();
    this.#effects = [];
  }

  clear(): void {
    this.#base = undefined;
    this.#effects = [];
  }

  /** Forgets the last `count` effects: a power loss before they were written. */
  tear(count: number): void {
    this.#effects.length = Math.max(0, this.#effects.length - count);
  }

  /** Loads everything into an empty engine. */
  load(engine: RedisEngine): void {
    if (this.#base !== undefined) engine.restore(this.#base);
    for (const effect of this.#effects) engine.apply(effect);
  }
}
