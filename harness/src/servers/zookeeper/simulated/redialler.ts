import type { SimProcess } from '../../../sim/process.ts';
import type { SimZooKeeperServer } from './server.ts';

export interface RediallerParts {
  readonly process: SimProcess;
  readonly servers: readonly SimZooKeeperServer[];
  /** The session timeout, asked for or negotiated. */
  readonly timeoutMs: () => number;
  readonly dial: (server: SimZooKeeperServer) => void;
  /** The attempt takes too long. */
  readonly tooLong: () => void;
}

/** A connection that did not last this long was no success. */
const SUCCESS_MS = 500;
const FIRST_MS = 10;
const LONGEST_MS = 500;
const DOUBLINGS_MAX = 10;
const ATTEMPT_MS_LEAST = 200;
const ATTEMPT_MS_FIRST_MOST = 3_000;
const ATTEMPT_MS_MOST = 10_000;

/** Which server is dialled when, as the real client has it: the next at once after a loss, then ever slower. */
export class Redialler {
  readonly #parts: RediallerParts;
  readonly #servers: readonly SimZooKeeperServer[];
  #next = 0;
  #failures = 0;
  #upSinceMs: number | undefined;
  #cancel: () => void = () => {};
  #isStopped = false;

  constructor(parts: RediallerParts) {
    this.#parts = parts;
    this.#servers = shuffled(parts.servers, parts.process);
  }

  dial(): void {
    const server = this.#servers[this.#next++ % this.#servers.length]!;
    const { process, dial, tooLong } = this.#parts;
    this.#cancel = process.runtime.timer(this.#attemptMs, tooLong);
    dial(server);
  }

  up(): void {
    this.#cancel();
    this.#upSinceMs = this.#nowMs;
  }

  /** The connection was lost, or the attempt failed. */
  down(): void {
    this.#cancel();
    const lastedMs = this.#upSinceMs === undefined ? 0 : this.#nowMs - this.#upSinceMs;
    this.#upSinceMs = undefined;
    this.#failures = lastedMs >= SUCCESS_MS ? 0 : this.#failures + 1;
    if (this.#isStopped) return;
    if (this.#failures === 0) return this.dial();
    const { runtime } = this.#parts.process;
    this.#cancel = runtime.timer(backOffMs(this.#failures, runtime.random()), () => this.dial());
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  get #attemptMs(): number {
    const each = this.#parts.timeoutMs() / 3 / this.#servers.length;
    const firstMs = Math.min(ATTEMPT_MS_FIRST_MOST, Math.max(ATTEMPT_MS_LEAST, each));
    const rounds = Math.floor(this.#failures / this.#servers.length);
    return Math.min(ATTEMPT_MS_MOST, firstMs * 2 ** Math.min(rounds, DOUBLINGS_MAX));
  }

  get #nowMs(): number {
    return this.#parts.process.clocks.monotonicMs;
  }
}

function backOffMs(failures: number, random: number): number {
  const fullMs = FIRST_MS * 2 ** Math.min(failures - 1, DOUBLINGS_MAX);
  return Math.min(LONGEST_MS, fullMs) * (1 - random / 2);
}

function shuffled<T>(list: readonly T[], { runtime }: SimProcess): readonly T[] {
  const copy = [...list];
  for (let at = copy.length - 1; at > 0; at--) {
    const other = Math.floor(runtime.random() * (at + 1));
    [copy[at], copy[other]] = [copy[other]!, copy[at]!];
  }
  return copy;
}
