import { medianOf } from './growth.ts';
import type { Span } from './injection.ts';
import type { Arm } from './orders.ts';
import type { Outcomes } from './recorder.ts';
import type { Soak } from './soak.ts';

/** A time in which an arm got few grants, on the clock of the histories. */
export interface Stall extends Span {
  readonly arm: Arm;
  /** Counts of what calls came to in it. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** The kinds of the injections that overlap it. */
  readonly during: readonly string[];
  /** Mean of all processes: a busy machine is late, a server that is down is not. */
  readonly lateMs: number;
}

/** Below this share of the median a second has few grants, ... */
const FEW = 0.2;
/** ... as a mean of so many seconds ... */
const SMOOTH_S = 5;
/** ... and shorter times are no stall. */
const LEAST_S = 10;

/** Finds the stalls of an arm. */
export function stallsOf(soak: Soak, arm: Arm): readonly Stall[] {
  const { outcomes, secondsFromMs, fromMs, untilMs, log } = soak;
  const firstS = Math.ceil((fromMs - secondsFromMs) / 1_000);
  const lastS = Math.floor((untilMs - secondsFromMs) / 1_000);
  const granted = outcomes[arm]['granted'] ?? [];
  const smooth = Array.from({ length: Math.max(0, lastS - firstS) }, (_, at) =>
    sumOf(granted, firstS + at - 2, firstS + at - 2 + SMOOTH_S),
  );
  const few = FEW * medianOf(smooth);
  return runsOf(smooth.map((count) => count <= few))
    .filter(([from, until]) => until - from >= LEAST_S)
    .map(([from, until]) => {
      const span = {
        fromMs: secondsFromMs + (firstS + from) * 1_000,
        untilMs: secondsFromMs + (firstS + until) * 1_000,
      };
      const during = log.filter((each) => each.fromMs < span.untilMs && each.untilMs > span.fromMs);
      return {
        arm,
        ...span,
        outcomes: countsOf(outcomes[arm], firstS + from, firstS + until),
        during: during.map(({ kind }) => kind),
        lateMs: lateIn(soak, span),
      };
    });
}

/** Returns the sums of all outcomes in some seconds. */
export function countsOf(
  outcomes: Outcomes,
  from = 0,
  until = Number.POSITIVE_INFINITY,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(outcomes).map(([outcome, counts]) => [outcome, sumOf(counts, from, until)]),
  );
}

/** Returns by how much event loops were late in a span. */
export function lateIn({ usage }: Pick<Soak, 'usage'>, { fromMs, untilMs }: Span): number {
  const within = usage.filter(({ atMs }) => atMs >= fromMs && atMs < untilMs);
  return within.reduce((sum, { lateMs }) => sum + lateMs, 0) / within.length;
}

function sumOf(counts: readonly number[], from: number, until: number): number {
  return counts.slice(Math.max(0, from), until).reduce((sum, each) => sum + each, 0);
}

/** The spans of places, from and until, in which all are true. */
function runsOf(all: readonly boolean[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (const [at, isSo] of all.entries()) {
    const last = runs.at(-1);
    if (!isSo) continue;
    if (last?.[1] === at) last[1] = at + 1;
    else runs.push([at, at + 1]);
  }
  return runs;
}
