import type { ActorClient } from './client.ts';

/** A stretch of time in which somebody healthy waited for the key, and nobody healthy held it. */
export interface Stretch {
  readonly ms: number;
  /** Who waited. */
  readonly waiting: readonly string[];
}

const NONE: Stretch = { ms: 0, waiting: [] };

/** Watches for how long the key is idle. */
export class Idle {
  readonly #nowMs: () => number;
  readonly #healthy: readonly ActorClient[];
  readonly #onEnd: (stretch: Stretch) => void;
  #sinceMs: number | undefined;
  #waiting: readonly string[] = [];
  #longest = NONE;

  /** `onEnd` is told of every stretch that is over. */
  constructor(
    nowMs: () => number,
    healthy: readonly ActorClient[],
    onEnd: (stretch: Stretch) => void = () => {},
  ) {
    this.#nowMs = nowMs;
    this.#healthy = healthy;
    this.#onEnd = onEnd;
    this.look();
  }

  /** Called whenever somebody begins or ends to wait or to hold. */
  look(): void {
    const waiting = this.#healthy.filter((client) => client.waiting > 0).map(({ id }) => id);
    const isIdle = waiting.length > 0 && this.#healthy.every(({ holding }) => holding === 0);
    if (!isIdle) return this.#end();
    // Whoever is served stops waiting a moment before it holds.
    if (this.#sinceMs === undefined || waiting.length > this.#waiting.length)
      this.#waiting = waiting;
    this.#sinceMs ??= this.#nowMs();
  }

  /** The longest since it was taken last; what goes on now is included. */
  get longest(): Stretch {
    if (this.#sinceMs === undefined) return this.#longest;
    const ms = this.#nowMs() - this.#sinceMs;
    return ms > this.#longest.ms ? { ms, waiting: this.#waiting } : this.#longest;
  }

  /** The longest; what comes counts anew. */
  take(): Stretch {
    const { longest } = this;
    this.#longest = NONE;
    if (this.#sinceMs !== undefined) this.#sinceMs = this.#nowMs();
    return longest;
  }

  #end(): void {
    if (this.#sinceMs === undefined) return;
    this.#onEnd({ ms: this.#nowMs() - this.#sinceMs, waiting: this.#waiting });
    this.#longest = this.longest;
    this.#sinceMs = undefined;
  }
}
