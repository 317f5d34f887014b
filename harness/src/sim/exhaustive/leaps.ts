import { toUs } from '../kernel.ts';
import type { Leap, Standing } from './choice-queue.ts';
import type { Cast } from './persistent.ts';
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
export type Tempo = 'calls time out' | 'calls are in time' | 'calls are over' | 'no time passes';

/** Before any lease of the start is over: its drift is less than 2 % and a bit of the ttl. */
const NEARLY = 0.98;
const NEARLY_LESS_MS = 4;
/** After every lease of the start is over, also one without margin; its key stands, since servers count whole ms. */
const LEASE_OVER_MS = 0.5;
/** The key is gone, and so is a stamp, which has another millisecond. */
const KEY_GONE_MS = 2;

export interface LeapsParts {
  /** The start. */
  readonly fromUs: number;
  readonly ttlMs: number;
  /** Undefined allows whatever any of them does. */
  readonly tempo: Tempo | undefined;
  readonly clients: readonly RoundClient[];
  readonly passed: (name: string) => void;
}

/** Says when time may pass, and for whom that makes a difference. */
export class Leaps {
  readonly #parts: LeapsParts;
  readonly #nearlyUs: number;
  readonly #overUs: number;
  readonly #goneUs: number;
  /** Those who held when nearly all of the ttl had passed. */
  #early: readonly RoundClient[] | undefined;

  constructor(parts: LeapsParts) {
    const { fromUs, ttlMs } = parts;
    this.#parts = parts;
    this.#nearlyUs = fromUs + toUs(Math.floor(ttlMs * NEARLY - NEARLY_LESS_MS));
    this.#overUs = fromUs + toUs(ttlMs + LEASE_OVER_MS);
    this.#goneUs = fromUs + toUs(ttlMs + KEY_GONE_MS);
  }

  /** Before anybody has begun, and after everybody is done, it makes no difference. */
  at(standing: Standing): readonly Leap[] {
    const { clients, tempo } = this.#parts;
    if (clients.every(({ isDone }) => isDone) || !clients.some(({ hasBegun }) => hasBegun))
      return [];
    const { nowUs, isIdle, dueUs } = standing;
    if (nowUs >= this.#goneUs || tempo === 'no time passes')
      return isIdle && dueUs !== undefined ? [this.#leap(dueUs)] : [];
    if (tempo === 'calls are over') return standing.isQuiet ? [this.#leap(this.#goneUs)] : [];
    if (tempo === 'calls time out')
      return [this.#leap(nowUs < this.#overUs ? this.#overUs : this.#goneUs)];
    if (tempo === 'calls are in time') return this.#inTime(standing);
    return [this.#nearlyUs, this.#overUs, this.#goneUs]
      .filter((atUs) => atUs > nowUs)
      .map((atUs) => this.#leap(atUs));
  }

  /** The end of a lease is for those who hold it, and for the judges; the end of a key is for whoever looks. */
  #inTime({ nowUs, isQuiet }: Standing): readonly Leap[] {
    if (nowUs < this.#nearlyUs) return isQuiet ? [this.#leap(this.#nearlyUs)] : [];
    const [holder, ...more] = (this.#early ?? []).filter(({ isHolding }) => isHolding);
    if (nowUs >= this.#overUs || holder === undefined) return [this.#leap(this.#goneUs)];
    const leap = this.#leap(this.#overUs);
    return [more.length === 0 ? { ...leap, actor: holder.id, isSeen: true } : leap];
  }

  #leap(atUs: number): Leap {
    const { fromUs, clients, passed } = this.#parts;
    const name = `${(atUs - fromUs) / 1000} ms`;
    return {
      name,
      actor: undefined,
      isSeen: false,
      atUs,
      passed: () => {
        if (atUs === this.#nearlyUs) this.#early = clients.filter(({ isHolding }) => isHolding);
        passed(name);
      },
    };
  }

  /** Whether it may pass while something is on its way. */
  passes(nowUs: number): Cast['passes'] {
    const { tempo } = this.#parts;
    if (tempo === 'no time passes') return 'never';
    if (tempo === 'calls are over') return nowUs < this.#goneUs ? 'in between' : 'never';
    if (tempo !== 'calls are in time') return 'at any moment';
    if (nowUs >= this.#goneUs) return 'never';
    return nowUs < this.#nearlyUs ? 'in between' : 'at any moment';
  }

  /** Whether nobody stands still who has something to do: timers fire when they are due. */
  isPrompt(nowUs: number): boolean {
    return this.#early !== undefined && nowUs < this.#overUs;
  }
}
