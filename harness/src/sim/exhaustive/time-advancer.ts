import { toUs } from '../kernel.ts';
import type { SearchState } from './choice.ts';
import type { QueueState, TimeAdvance } from './choice-queue.ts';
import type { RoundClient } from './round-client.ts';

/**
 * The moments at which time passes, where messages and steps may take any time.
 * - `calls time out`: the ttl passes at any moment, and then, at any later moment, two milliseconds more.
 * - `calls are in time`: while no message is on its way, nearly the ttl passes. From then on everything happens
 *   within a fraction of what a call may take, and the same two moments lie in between.
 * - `calls are over`: the whole ttl passes at once, at any moment at which no message is on its way. For scopes that
 *   are too large with the others.
 * - `no time passes`.
 */
export type TimeModel =
  | 'calls time out'
  | 'calls are in time'
  | 'calls are over'
  | 'no time passes';

/** Before any lease of the start is over: its drift is less than 2 % and a bit of the ttl. */
const ALMOST_EXPIRED_SHARE = 0.98;
const ALMOST_EXPIRED_LESS_MS = 4;
/**
 * After every lease of the start is over, also one without a margin; its key is still stored, since servers count
 * whole ms.
 */
const LEASE_EXPIRED_MS = 0.5;
/** The key has expired, and so has a stamp, which lasts another millisecond. */
const KEY_EXPIRED_MS = 2;

export interface TimeAdvancerParts {
  /** The start. */
  readonly fromUs: number;
  readonly ttlMs: number;
  /** Undefined allows all that any of them does. */
  readonly timeModel: TimeModel | undefined;
  readonly clients: readonly RoundClient[];
  readonly advanced: (name: string) => void;
}

/** Decides when time may pass, and which clients that affects. */
export class TimeAdvancer {
  readonly #parts: TimeAdvancerParts;
  readonly #almostExpiredUs: number;
  readonly #leaseExpiredUs: number;
  readonly #keyExpiredUs: number;
  /** The clients that held when nearly all of the ttl had passed. */
  #earlyHolders: readonly RoundClient[] | undefined;

  constructor(parts: TimeAdvancerParts) {
    const { fromUs, ttlMs } = parts;
    this.#parts = parts;
    this.#almostExpiredUs =
      fromUs + toUs(Math.floor(ttlMs * ALMOST_EXPIRED_SHARE - ALMOST_EXPIRED_LESS_MS));
    this.#leaseExpiredUs = fromUs + toUs(ttlMs + LEASE_EXPIRED_MS);
    this.#keyExpiredUs = fromUs + toUs(ttlMs + KEY_EXPIRED_MS);
  }

  /**
   * Returns the possible advances of time. Before any client has begun, and after all are done, time makes no
   * difference.
   */
  choicesAt(status: QueueState): readonly TimeAdvance[] {
    const { clients, timeModel } = this.#parts;
    if (clients.every(({ isDone }) => isDone) || !clients.some(({ hasBegun }) => hasBegun))
      return [];
    const { nowUs, isIdle, dueUs } = status;
    if (nowUs >= this.#keyExpiredUs || timeModel === 'no time passes')
      return isIdle && dueUs !== undefined ? [this.#advance(dueUs)] : [];
    if (timeModel === 'calls are over')
      return status.isQuiet ? [this.#advance(this.#keyExpiredUs)] : [];
    if (timeModel === 'calls time out')
      return [
        this.#advance(nowUs < this.#leaseExpiredUs ? this.#leaseExpiredUs : this.#keyExpiredUs),
      ];
    if (timeModel === 'calls are in time') return this.#choicesInTime(status);
    return [this.#almostExpiredUs, this.#leaseExpiredUs, this.#keyExpiredUs]
      .filter((atUs) => atUs > nowUs)
      .map((atUs) => this.#advance(atUs));
  }

  /**
   * Returns the advances within the calls' time. The end of a lease concerns its holder and the judges; the end of a
   * key concerns every client that reads it.
   */
  #choicesInTime({ nowUs, isQuiet }: QueueState): readonly TimeAdvance[] {
    if (nowUs < this.#almostExpiredUs) return isQuiet ? [this.#advance(this.#almostExpiredUs)] : [];
    const [holder, ...more] = (this.#earlyHolders ?? []).filter(({ isHolding }) => isHolding);
    if (nowUs >= this.#leaseExpiredUs || holder === undefined)
      return [this.#advance(this.#keyExpiredUs)];
    const advance = this.#advance(this.#leaseExpiredUs);
    return [more.length === 0 ? { ...advance, actor: holder.id, isSeen: true } : advance];
  }

  #advance(atUs: number): TimeAdvance {
    const { fromUs, clients, advanced } = this.#parts;
    const name = `${(atUs - fromUs) / 1000} ms`;
    return {
      name,
      actor: undefined,
      isSeen: false,
      atUs,
      advanced: () => {
        if (atUs === this.#almostExpiredUs)
          this.#earlyHolders = clients.filter(({ isHolding }) => isHolding);
        advanced(name);
      },
    };
  }

  /** Decides whether time may pass while a message is on its way. */
  passes(nowUs: number): SearchState['timePasses'] {
    const { timeModel } = this.#parts;
    if (timeModel === 'no time passes') return 'never';
    if (timeModel === 'calls are over') return nowUs < this.#keyExpiredUs ? 'in between' : 'never';
    if (timeModel !== 'calls are in time') return 'at any moment';
    if (nowUs >= this.#keyExpiredUs) return 'never';
    return nowUs < this.#almostExpiredUs ? 'in between' : 'at any moment';
  }

  /** True if no client is paused that has something to do: timers fire when they are due. */
  isPrompt(nowUs: number): boolean {
    return this.#earlyHolders !== undefined && nowUs < this.#leaseExpiredUs;
  }
}
