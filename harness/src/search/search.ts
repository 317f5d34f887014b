import type { FaultId } from '@holdfast/core/backend';
import {
  BATCH,
  batchOf,
  keepGuard,
  type Schedule,
  type Setup,
  type Subject,
  schedulesFor,
} from '../simulator/index.ts';
import { type Player, playGuarded } from './play-guarded.ts';
import { batchesOf, type Share, WHOLE } from './share.ts';
import { type Tally, TallyBuilder } from './tally.ts';
import type { TargetProperty, Violation } from './violations.ts';

/** The subject, targets and budget of a search. */
export interface SearchOptions {
  readonly subject: Subject;
  /** The kinds of fault to enable together; one or two find most. */
  readonly faults: readonly FaultId[];
  /** The search ends with the first violation of any of these; without targets it runs the whole budget. */
  readonly targets?: readonly TargetProperty[];
  /** The maximum number of schedules. */
  readonly budget: number;
  readonly seed: number;
  /** The differences between the schedules and the defaults of subject and faults. */
  readonly setup?: Partial<Setup>;
  /** This thread's, or machine's, share of the search. */
  readonly share?: Share;
  /** Schedules up to this number have run before; 0 by default. */
  readonly after?: number;
  /** Returns the number of the last relevant schedule; called before every run, because it may decrease. */
  readonly limit?: () => number;
  /** Called before every run. */
  readonly onPlay?: (schedule: Schedule) => void;
  /** Called for every violation, target or not; `n` is the schedule's number among those of the seed, from 1. */
  readonly onViolation?: (schedule: Schedule, violation: Violation, n: number) => void;
  /** Called after every batch. */
  readonly onProgress?: (tally: Tally) => void;
  readonly signal?: AbortSignal;
  /** On by default; off for code whose ambient calls are redirected into the simulation. */
  readonly guard?: boolean;
  /** Plays a schedule elsewhere, such as in a realm of its own; by default here. */
  readonly player?: Player;
}

/** A schedule that violates a target, as it was generated. */
export interface Counterexample {
  readonly schedule: Schedule;
  readonly violation: Violation;
  /** Its number among the schedules of the seed, from 1. */
  readonly n: number;
}

export interface SearchResult {
  /** The first schedule that violates a target. */
  readonly counterexample: Counterexample | undefined;
  readonly tally: Tally;
  readonly tookMs: number;
}

/** The setup for which schedules of this subject are generated. */
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

/** Taken before any world runs: in a browser, another request may begin between the turns of a world that bans clocks. */
const clockMs = performance.now.bind(performance);

/** Runs generated schedules until one violates a target, or the budget is spent; without traces, in constant memory. */
export async function search(options: SearchOptions): Promise<SearchResult> {
  if (options.guard === false) return await searchAll(options);
  const releaseGuard = keepGuard();
  try {
    return await searchAll(options);
  } finally {
    releaseGuard();
  }
}

async function searchAll(options: SearchOptions): Promise<SearchResult> {
  const fromMs = clockMs();
  const { targets, signal, onProgress, share = WHOLE, after = 0 } = options;
  const run = new SearchRun(options);
  const result = (counterexample?: Counterexample): SearchResult => ({
    counterexample,
    tally: run.tally,
    tookMs: clockMs() - fromMs,
  });
  for (const batch of batchesOf(share, after, () => run.until)) {
    if (signal?.aborted === true) break;
    for (const [i, schedule] of run.batch(batch).entries()) {
      const n = batch * BATCH + i + 1;
      if (n <= after) continue;
      if (n > run.until) break;
      const violations = await run.play(schedule, n);
      const violation = violations.find((each) => isTarget(each, targets));
      if (violation !== undefined) return result({ schedule, violation, n });
    }
    onProgress?.(run.tally);
  }
  return result();
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

  /** The number of the last schedule to run. */
  get until(): number {
    const { budget, limit } = this.#options;
    return Math.min(budget, limit?.() ?? budget);
  }

  batch(n: number): readonly Schedule[] {
    return batchOf(this.#schedules, this.#options.seed, n);
  }

  async play(schedule: Schedule, n: number): Promise<readonly Violation[]> {
    const { subject, guard = true, player = playGuarded, onPlay, onViolation } = this.#options;
    onPlay?.(schedule);
    const violations = this.#tallying.add(await player(schedule, subject, { guard }));
    for (const violation of violations) onViolation?.(schedule, violation, n);
    return violations;
  }
}

function isTarget(violation: Violation, wanted: readonly TargetProperty[] = []): boolean {
  return wanted.some(
    ({ property, fenced }) => violation.property === property && violation.fenced === fenced,
  );
}
