import type { Clock } from './clock.ts';
import type { Resolve } from './network.ts';
import { ServerRotation } from './server-rotation.ts';
import type { Server, ServerAddress } from './servers.ts';

export interface ReconnectorOptions {
  readonly clock: Clock;
  readonly servers: readonly Server[];
  readonly resolve: Resolve;
  /** The session timeout, requested or negotiated. */
  readonly timeoutMs: () => number;
  /** Starts one attempt: `up` or `down` must follow. */
  readonly dial: (server: ServerAddress) => void;
  /** Called if the attempt takes too long: end it, then call `down`. */
  readonly timedOut: (ms: number) => void;
  /** Called if the name of a server does not resolve, and nothing was dialled: call `down`. */
  readonly unresolved: (cause: Error) => void;
}

/** The least duration of a successful connection. Otherwise a server that drops clients at once would be dialled in a loop. */
const SUCCESS_MS = 500;

const BACK_OFF_MS_MIN = 10;
const BACK_OFF_MS_MAX = 500;
/** The servers of a usual ensemble. A name may have more addresses, and a slow one of them needs its time, too. */
const ROUND_MAX = 5;
const ATTEMPT_MS_MIN = 200;
const FIRST_ATTEMPT_MS_MAX = 1_000;
const ATTEMPT_MS_MAX = 10_000;

/** Decides which server is dialled, and when: at once after a loss, then ever more slowly, until an attempt succeeds. */
export class Reconnector {
  readonly #options: ReconnectorOptions;
  readonly #rotation: ServerRotation;
  #failures = 0;
  /** Attempts that took too long, since the latest success. */
  #timeouts = 0;
  /** Attempts in a row that were refused. */
  #refused = 0;
  #upSinceMs: number | undefined;
  #cancelTimer: () => void = () => undefined;

  constructor(options: ReconnectorOptions) {
    this.#options = options;
    this.#rotation = new ServerRotation(options.servers, options.clock, options.resolve);
  }

  /** The number of addresses, as far as names have been resolved. */
  get addresses(): number {
    return this.#rotation.addresses;
  }

  /** True if no server listens at any address. */
  get allRefused(): boolean {
    return this.#refused >= this.#rotation.addresses;
  }

  start(): void {
    this.#dial();
  }

  up(): void {
    this.#cancel();
    this.#timeouts = this.#refused = 0;
    this.#upSinceMs = this.#nowMs();
  }

  /** The connection was lost, or the attempt failed. */
  down(cause: Error): void {
    this.#cancel();
    this.#refused = 'code' in cause && cause.code === 'ECONNREFUSED' ? this.#refused + 1 : 0;
    const lastedMs = this.#upSinceMs === undefined ? 0 : this.#nowMs() - this.#upSinceMs;
    this.#upSinceMs = undefined;
    this.#failures = lastedMs >= SUCCESS_MS ? 0 : this.#failures + 1;
    if (this.#failures === 0) return this.#dial();
    const { clock } = this.#options;
    this.#cancelTimer = clock.timer(backOffMs(this.#failures, clock.random()), () => this.#dial());
  }

  stop(): void {
    this.#cancel();
  }

  #dial(): void {
    const { clock, unresolved } = this.#options;
    const ms = this.#attemptMs();
    this.#cancelTimer = clock.timer(ms, () => {
      this.#timeouts++;
      unresolved(this.#rotation.skip(ms));
    });
    this.#rotation.next((next) => {
      this.#cancelTimer();
      if (next instanceof Error) unresolved(next);
      else this.#connect(next);
    });
  }

  /** The time limit starts again: a slow lookup says nothing about the server. */
  #connect(server: ServerAddress): void {
    const { clock, dial, timedOut } = this.#options;
    const ms = this.#attemptMs();
    this.#cancelTimer = clock.timer(ms, () => {
      this.#timeouts++;
      timedOut(ms);
    });
    dial(server);
  }

  #cancel(): void {
    this.#cancelTimer();
    this.#rotation.forget();
  }

  #attemptMs(): number {
    return attemptMs(this.#options.timeoutMs(), this.#rotation.addresses, this.#timeouts);
  }

  #nowMs(): number {
    return this.#options.clock.now().monotonicMs;
  }
}

/**
 * The pause before the next connection after `failures` ≥ 1 failures in a row. It doubles from 10 ms to 500 ms, minus a
 * random part of up to a half, so that the clients of a restarted ensemble do not reconnect in step. It does not depend on
 * the session timeout: npm `zookeeper` waits for a third of it, and is late by that after every election.
 */
function backOffMs(failures: number, random: number): number {
  return (
    Math.min(BACK_OFF_MS_MAX, BACK_OFF_MS_MIN * 2 ** Math.min(failures - 1, 10)) * (1 - random / 2)
  );
}

/**
 * The time that one attempt to connect may take. Within a third of the session timeout every server is tried once, or five
 * if there are more: a server that is paused or starting accepts and stays silent. The time doubles whenever `tooLong`
 * attempts have made another round of the servers, because the network may be slower than that.
 */
export function attemptMs(timeoutMs: number, servers: number, tooLong: number): number {
  const round = Math.min(servers, ROUND_MAX);
  const firstMs = Math.min(FIRST_ATTEMPT_MS_MAX, Math.max(ATTEMPT_MS_MIN, timeoutMs / 3 / round));
  const rounds = Math.floor(tooLong / round);
  return Math.min(ATTEMPT_MS_MAX, firstMs * 2 ** Math.min(rounds, 10));
}
