import type { FaultId } from '@holdfast/core';
import {
  BATCH,
  batchOf,
  keepGuard,
  type Schedule,
  type Setup,
  type Subject,
  schedulesFor,
} from '../simulator/index.ts';
import { playGuarded } from './play-guarded.ts';
import { batchesOf, type Share, WHOLE } from './share.ts';
import { type Tally, TallyBuilder } from './tally.ts';
import type { TargetProperty, Violation } from './violations.ts';

/** What to search, for what, and for how long. */
export interface SearchOptions {
  readonly subject: Subject;
  /** Kinds of fault to enable together; one or two find most. */
  readonly faults: readonly FaultId[];
  /** The search ends with the first violation of any of these; without, it plays the whole budget. */
  readonly targets?: readonly TargetProperty[];
  /** How many schedules at most. */
  readonly budget: number;
  readonly seed: number;
  /** Where the schedules depart from what the subject and the faults ask for. */
  readonly setup?: Partial<Setup>;
  /** How several threads, or machines, share one search. */
  readonly share?: Share;
  /** The schedules up to this place have been played before; 0 by default. */
  readonly after?: number;
  /** The place of the last schedule that is of interest; asked before every play, since it may come nearer meanwhile. */
  readonly limit?: () => number;
  /** Told before every play. */
  readonly onPlay?: (schedule: Schedule) => void;
  /** Told of every violation, wanted or not; `n` is the schedule's place among those of the seed, from 1. */
  readonly onViolation?: (schedule: Schedule, violation: Violation, n: number) => void;
  /** Told after every batch. */
  readonly onProgress?: (tally: Tally) => void;
  readonly signal?: AbortSignal;
  /** On by default; off for code whose ambient calls are led into the simulation. */
  readonly guard?: boolean;
}

/** A schedule that shows what was wanted, as it was generated. */
export interface Counterexample {
  readonly schedule: Schedule;
  readonly violation: Violation;
  /** Its place among the schedules of the seed, from 1. */
  readonly n: number;
}

export interface SearchResult {
  /** The first schedule that shows what is wanted. */
  readonly counterexample: Counterexample | undefined;
  readonly tally: Tally;
  readonly tookMs: number;
}

/** What schedules for this subject are made for. */
export function setupOf({ subject, setup }: Pick<SearchOptions, 'subject' | 'setup'>): Setup {
  const { nodes, renews, points, requests, overruns, fixedShare, ensemble } = subject;
  return {
    nodes,
    renews,
    ...(points === undefined ? {} : { points }),
    ...(requests === undefined ? {} : { requests }),
    ...(overruns === undefined ? {} : { overruns }),
    ...(fixedShare === undefined ? {} : { fixedShare }),
    ...(ensemble === undefined ? {} : { ensemble }),
    ...setup,
  };
}

/** Plays generated schedules until one shows what is wanted, or the budget is spent. Untraced, and in constant memory. */
export async function search(options: SearchOptions): Promise<SearchResult> {
  if (options.guard === false) return await searchAll(options);
  const letGo = keepGuard();
  try {
    return await searchAll(options);
  } finally {
    letGo();
  }
}

async function searchAll(options: SearchOptions): Promise<SearchResult> {
  const fromMs = performance.now();
  const { targets, signal, onProgress, share = WHOLE, after = 0 } = options;
  const searching = new SearchRun(options);
  const searched = (counterexample?: Counterexample): SearchResult => ({
    counterexample,
    tally: searching.tally,
    tookMs: performance.now() - fromMs,
  });
  for (const batch of batchesOf(share, after, () => searching.until)) {
    if (signal?.aborted === true) break;
    for (const [i, schedule] of searching.batch(batch).entries()) {
      const n = batch * BATCH + i + 1;
      if (n <= after) continue;
      if (n > searching.until) break;
      const violations = await searching.play(schedule, n);
      const violation = violations.find((each) => isTarget(each, targets));
      if (violation !== undefined) return searched({ schedule, violation, n });
    }
    onProgress?.(searching.tally);
  }
  return searched();
}

class SearchRun {
  readonly #options: SearchOptions;
  readonly #schedules: ReturnType<typeof schedulesFor>;
  readonly #tallying = new TallyBuilder();

  constructor(options: SearchOptions) {
    this.#options = options;
    this.#schedules = schedulesFor(options.faults, setupOf(options));
  }

  get tally(): Tally {
    return this.#tallying.tally;
  }

  /** The place of the last schedule to play. */
  get until(): number {
    const { budget, limit } = this.#options;
    return Math.min(budget, limit?.() ?? budget);
  }

  batch(n: number): readonly Schedule[] {
    return batchOf(this.#schedules, this.#options.seed, n);
  }

  async play(schedule: Schedule, n: number): Promise<readonly Violation[]> {
    const { subject, guard = true, onPlay, onViolation } = this.#options;
    onPlay?.(schedule);
    const violations = this.#tallying.add(await playGuarded(schedule, subject, { guard }));
    for (const violation of violations) onViolation?.(schedule, violation, n);
    return violations;
  }
}

function isTarget(violation: Violation, wanted: readonly TargetProperty[] = []): boolean {
  return wanted.some(
    ({ property, fenced }) => violation.property === property && violation.fenced === fenced,
  );
}
