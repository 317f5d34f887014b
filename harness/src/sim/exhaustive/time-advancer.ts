import { toUs } from '../kernel.ts';
import type { SearchState } from './choice.ts';
import type { QueueState, TimeAdvance } from './choice-queue.ts';
import type { RoundClient } from './round-client.ts';

/**
 * When time passes, where it is left to chance how long messages and steps take.
 * - `calls time out`: at any moment the ttl passes, and then, at any later moment, two milliseconds more.
 * - `calls are in time`: while nothing is on its way nearly the ttl passes; from then on everything goes on within a
 *   fraction of what a call may take, and the same two moments lie in between.
 * - `calls are over`: at any moment at which nothing is on its way the whole ttl passes, in one go: for scopes that are
 *   too large with the others.
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
/** After every lease of the start is over, also one without margin; its key stands, since servers count whole ms. */
const LEASE_EXPIRED_MS = 0.5;
/** The key is gone, and so is a stamp, which has another millisecond. */
const KEY_EXPIRED_MS = 2;

export interface TimeAdvancerParts {
  /** The start. */
  readonly fromUs: number;
  readonly ttlMs: number;
  /** Undefined allows whatever any of them does. */
  readonly timeModel: TimeModel | undefined;
  readonly clients: readonly RoundClient[];
  readonly advanced: (name: string) => void;
}

/** Says when time may pass, and for whom that makes a difference. */
export class TimeAdvancer {
  readonly #parts: TimeAdvancerParts;
  readonly #almostExpiredUs: number;
  readonly #leaseExpiredUs: number;
  readonly #keyExpiredUs: number;
  /** Those who held when nearly all of the ttl had passed. */
  #earlyHolders: readonly RoundClient[] | undefined;

  constructor(parts: TimeAdvancerParts) {
    const { fromUs, ttlMs } = parts;
    this.#parts = parts;
    this.#almostExpiredUs =
      fromUs + toUs(Math.floor(ttlMs * ALMOST_EXPIRED_SHARE - ALMOST_EXPIRED_LESS_MS));
    this.#leaseExpiredUs = fromUs + toUs(ttlMs + LEASE_EXPIRED_MS);
    this.#keyExpiredUs = fromUs + toUs(ttlMs + KEY_EXPIRED_MS);
  }

  /** Before anybody has begun, and after everybody is done, it makes no difference. */
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

  /** The end of a lease is for those who hold it, and for the judges; the end of a key is for whoever looks. */
  #choicesInTime({ nowUs, isQuiet }: QueueState): readonly TimeAdvance[] {
    if (nowUs < this.#almostExpiredUs) return isQuiet ? [this.#advance(this.#almostExpiredUs)] : [];
    const [holder, ...more] = (this.#earlyHolders ?? []).filter(({ isHolding }) => isHolding);
    if (nowUs >= this.#leaseExpiredUs || holder === undefined)
      return [this.#advance(this.#keyExpiredUs)];
    const leap = this.#advance(this.#leaseExpiredUs);
    return [more.length === 0 ? { ...leap, actor: holder.id, isSeen: true } : leap];
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

  /** Whether it may pass while something is on its way. */
  passes(nowUs: number): SearchState['timePasses'] {
    const { timeModel } = this.#parts;
    if (timeModel === 'no time passes') return 'never';
    if (timeModel === 'calls are over') return nowUs < this.#keyExpiredUs ? 'in between' : 'never';
    if (timeModel !== 'calls are in time') return 'at any moment';
    if (nowUs >= this.#keyExpiredUs) return 'never';
    return nowUs < this.#almostExpiredUs ? 'in between' : 'at any moment';
  }

  /** Whether nobody stands still who has something to do: timers fire when they are due. */
  isPrompt(nowUs: number): boolean {
    return this.#earlyHolders !== undefined && nowUs < this.#leaseExpiredUs;
  }
}
