import { attemptMs, backOffMs } from './back-off.ts';
import type { Clock } from './clock.ts';
import { type Server, shuffled } from './servers.ts';

export interface RedialerOptions {
  readonly clock: Clock;
  readonly servers: readonly Server[];
  /** The session timeout, asked for or negotiated. */
  readonly timeoutMs: () => number;
  /** One attempt begins: `up` or `down` must follow. */
  readonly dial: (server: Server) => void;
  /** The attempt takes too long: end it, then call `down`. */
  readonly tooLong: (ms: number) => void;
}

/** A connection that did not last this long was no success: else a server that drops us at once would be dialled in a loop. */
const SUCCESS_MS = 500;

/** Decides which server is dialled when. At once after a loss; then ever slower, until an attempt succeeds. */
export class Redialer {
  readonly #options: RedialerOptions;
  readonly #servers: readonly Server[];
  #next = 0;
  #failures = 0;
  /** Attempts that took too long, since the last that did not fail. */
  #tooLong = 0;
  #upSinceMs: number | undefined;
  #cancel: () => void = () => undefined;

  constructor(options: RedialerOptions) {
    this.#options = options;
    this.#servers = shuffled(options.servers, options.clock);
  }

  start(): void {
    this.#dial();
  }

  up(): void {
    this.#cancel();
    this.#tooLong = 0;
    this.#upSinceMs = this.#nowMs();
  }

  /** The connection was lost, or the attempt failed. */
  down(): void {
    this.#cancel();
    const lastedMs = this.#upSinceMs === undefined ? 0 : this.#nowMs() - this.#upSinceMs;
    this.#upSinceMs = undefined;
    this.#failures = lastedMs >= SUCCESS_MS ? 0 : this.#failures + 1;
    if (this.#failures === 0) return this.#dial();
    const { clock } = this.#options;
    this.#cancel = clock.timer(backOffMs(this.#failures, clock.random()), () => this.#dial());
  }

  stop(): void {
    this.#cancel();
  }

  #dial(): void {
    const { clock, timeoutMs, dial, tooLong } = this.#options;
    const server = this.#servers[this.#next++ % this.#servers.length];
    if (server === undefined) return;
    const ms = attemptMs(timeoutMs(), this.#servers.length, this.#tooLong);
    this.#cancel = clock.timer(ms, () => {
      this.#tooLong++;
      tooLong(ms);
    });
    dial(server);
  }

  #nowMs(): number {
    return this.#options.clock.now().monotonicMs;
  }
}
