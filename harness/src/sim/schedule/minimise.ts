import { type Random, random } from '../random.ts';
import type { FaultRegistry } from './fault.ts';
import { reductions, renamed, sizeOf } from './reduce.ts';
import { retimed } from './retime.ts';
import type { Schedule } from './schedule.ts';
import { simplifications } from './simplify.ts';

/** Returns true if the schedule still shows the same kind of violation. */
export type StillFails = (schedule: Schedule) => Promise<boolean>;

export interface MinimiseOptions {
  /** Of the re-timings. */
  readonly seed?: number;
  /** Most plays; then the smallest schedule so far is the result. 4 000 by default. */
  readonly playsMax?: number;
  /** True to try other times and smaller numbers, too, which takes most of the plays; on by default. */
  readonly numbers?: boolean;
}

export interface Minimised {
  readonly schedule: Schedule;
  readonly plays: number;
}

const PLAYS_MAX = 4_000;
/**
 * Makes a failing schedule as small as it can. It removes elements, first with the rest unchanged, then with the rest
 * re-timed at random. It merges clients. Then it brings every number as close to its benign value as it goes.
 * Shrinking value by value, as fast-check does, stops early, because every removed element shifts the timing of the
 * others.
 */
export async function minimise(
  faults: FaultRegistry,
  schedule: Schedule,
  fails: StillFails,
  { seed = 0, playsMax = PLAYS_MAX, numbers = true }: MinimiseOptions = {},
): Promise<Minimised> {
  const failsLikeIt: StillFails = staysAway(schedule, faults)
    ? async (candidate) => staysAway(candidate, faults) && (await fails(candidate))
    : fails;
  const minimiser = new Minimiser(failsLikeIt, faults, random(`minimise/${seed}`), playsMax);
  const smallest = await (numbers ? minimiser.run(schedule) : minimiser.runCoarsely(schedule));
  return { schedule: smallest, plays: minimiser.plays };
}

/** Returns true if no fault has become harm of another kind: a smaller number may do more harm. */
function staysAway({ ttlMs, faults }: Schedule, registry: FaultRegistry): boolean {
  return faults.every((fault) => registry.get(fault.kind).staysAway?.(fault, ttlMs) ?? true);
}

class Minimiser {
  readonly #fails: StillFails;
  readonly #faults: FaultRegistry;
  readonly #random: Random;
  readonly #playsMax: number;
  plays = 0;

  constructor(fails: StillFails, faults: FaultRegistry, source: Random, playsMax: number) {
    this.#fails = fails;
    this.#faults = faults;
    this.#random = source;
    this.#playsMax = playsMax;
  }

  async run(schedule: Schedule): Promise<Schedule> {
    let current = await this.#structure(schedule, true);
    for (;;) {
      // Smaller numbers may make another element unnecessary, with the rest unchanged; other timings have been tried.
      const smaller = await this.#structure(await this.#simplify(current), false);
      if (sizeOf(smaller) >= sizeOf(current)) return await this.#named(smaller);
      current = smaller;
    }
  }

  /** Removes elements, with the rest unchanged. */
  async runCoarsely(schedule: Schedule): Promise<Schedule> {
    return await this.#named(await this.#structure(schedule, false));
  }

  /** Renames the clients from a on, if the schedule still fails. */
  async #named(schedule: Schedule): Promise<Schedule> {
    const candidate = renamed(schedule);
    return (await this.#try(candidate)) ? candidate : schedule;
  }

  /** Removes elements until none can be removed. */
  async #structure(schedule: Schedule, retimes: boolean): Promise<Schedule> {
    let current = schedule;
    for (;;) {
      const smaller = await this.#smaller(current, retimes);
      if (smaller === undefined) return current;
      current = smaller;
    }
  }

  async #smaller(schedule: Schedule, retimes: boolean): Promise<Schedule | undefined> {
    const candidates = reductions(schedule);
    for (const { schedule: candidate } of candidates)
      if (await this.#try(candidate)) return candidate;
    if (!retimes) return undefined;
    for (const { schedule: candidate, retimings } of candidates) {
      for (let i = 0; i < retimings && this.plays < this.#playsMax; i++) {
        const variant = retimed(candidate, this.#random, this.#faults);
        if (await this.#try(variant)) return variant;
      }
    }
    return undefined;
  }

  async #simplify(schedule: Schedule): Promise<Schedule> {
    let current = schedule;
    for (const simplification of simplifications(schedule, this.#faults)) {
      for (const candidate of simplification.candidates(current)) {
        if (!(await this.#try(candidate))) continue;
        current = candidate;
        break;
      }
      current = await this.#bisect(current, simplification);
    }
    return current;
  }

  /** Returns the value closest to the benign one that still fails, if values nearer to it never fail. */
  async #bisect(
    schedule: Schedule,
    { get, set, benign }: ReturnType<typeof simplifications>[number],
  ): Promise<Schedule> {
    const from = get?.(schedule);
    if (from === undefined || set === undefined || benign === undefined) return schedule;
    let [good, bad] = [benign, from];
    let best = schedule;
    while (Math.abs(bad - good) > 1) {
      const middle = Math.trunc((good + bad) / 2);
      const candidate = set(best, middle);
      if (await this.#try(candidate)) {
        best = candidate;
        bad = middle;
      } else good = middle;
    }
    return best;
  }

  async #try(candidate: Schedule): Promise<boolean> {
    if (this.plays >= this.#playsMax) return false;
    this.plays++;
    return this.#fails(candidate);
  }
}
