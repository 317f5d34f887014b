import type { ScheduledClient } from './scheduled-client.ts';

/** A span of time in which a healthy client waited for the key, and no healthy client held it. */
export interface IdlePeriod {
  readonly ms: number;
  /** The clients that waited. */
  readonly waiting: readonly string[];
}

const NO_IDLE_PERIOD: IdlePeriod = { ms: 0, waiting: [] };

/** Measures how long the key is idle. */
export class IdleKeyMonitor {
  readonly #nowMs: () => number;
  readonly #healthy: readonly ScheduledClient[];
  readonly #onEnd: (period: IdlePeriod) => void;
  #sinceMs: number | undefined;
  #waiting: readonly string[] = [];
  #longest = NO_IDLE_PERIOD;

  /** `onEnd` is called with every span that is over. */
  constructor(
    nowMs: () => number,
    healthy: readonly ScheduledClient[],
    onEnd: (period: IdlePeriod) => void = () => {},
  ) {
    this.#nowMs = nowMs;
    this.#healthy = healthy;
    this.#onEnd = onEnd;
    this.update();
  }

  /** Called whenever a client begins or ends to wait or to hold. */
  update(): void {
    const waiting = this.#healthy.filter((client) => client.waiting > 0).map(({ id }) => id);
    const isIdle = waiting.length > 0 && this.#healthy.every(({ holding }) => holding === 0);
    if (!isIdle) return this.#end();
    // A client that is granted the key stops waiting a moment before it holds.
    if (this.#sinceMs === undefined || waiting.length > this.#waiting.length)
      this.#waiting = waiting;
    this.#sinceMs ??= this.#nowMs();
  }

  /** The longest span since the last {@link takeLongest}, the current one included. */
  get longest(): IdlePeriod {
    if (this.#sinceMs === undefined) return this.#longest;
    const ms = this.#nowMs() - this.#sinceMs;
    return ms > this.#longest.ms ? { ms, waiting: this.#waiting } : this.#longest;
  }

  /** Returns the longest span, and starts counting anew. */
  takeLongest(): IdlePeriod {
    const { longest } = this;
    this.#longest = NO_IDLE_PERIOD;
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
