/** Maps times to positions in a picture. */
export interface TimeScale {
  x(atMs: number): number;
  /** The middles of idle stretches that are drawn much shorter than they lasted. */
  readonly cuts: readonly number[];
}

interface Stretch {
  readonly fromMs: number;
  readonly untilMs: number;
  /** The minimum width, in pixels. */
  readonly least: number;
}

const LEAST = 9;
/** The minimum width between two numbered moments. */
const LEAST_NUMBERED = 20;
/** A stretch that is this many times longer than the median counts as idle. */
const IDLE = 20;
const IDLE_MS_MIN = 20;

/**
 * Spreads `times` over the pixels from `left` to `right`. Every stretch between two of them gets its minimum width, so
 * that a millisecond can be seen beside a minute. The rest is divided by the logarithm of the durations.
 * @param numbered the numbered times, which must not touch
 */
export function timeScale(
  times: readonly number[],
  numbered: readonly number[],
  left: number,
  right: number,
): TimeScale {
  const distinct = [...new Set(times)].toSorted((a, b) => a - b);
  const stretches = stretchesOf(distinct, new Set(numbered));
  const least = sum(stretches.map((stretch) => stretch.least));
  const shrink = Math.min(1, (right - left) / Math.max(1, least));
  const spare = right - left - least * shrink;
  const total = sum(stretches.map(bulk));
  const edges = [left];
  for (const stretch of stretches)
    edges.push(
      (edges.at(-1) ?? left) +
        stretch.least * shrink +
        (total === 0 ? 0 : (spare * bulk(stretch)) / total),
    );
  return { x: (atMs) => place(distinct, edges, atMs), cuts: cutsOf(stretches, edges) };
}

function stretchesOf(times: readonly number[], numbered: ReadonlySet<number>): readonly Stretch[] {
  return times.slice(1).map((untilMs, i) => {
    const fromMs = times[i] ?? untilMs;
    return {
      fromMs,
      untilMs,
      least: numbered.has(fromMs) && numbered.has(untilMs) ? LEAST_NUMBERED : LEAST,
    };
  });
}

function bulk({ fromMs, untilMs }: Stretch): number {
  return Math.log2(1 + untilMs - fromMs);
}

/** Interpolates between two known times; outside all times returns the edge. */
function place(times: readonly number[], edges: readonly number[], atMs: number): number {
  const after = times.findIndex((time) => time >= atMs);
  if (after === -1) return edges.at(-1) ?? 0;
  const [fromMs, untilMs] = [times[after - 1], times[after]];
  const [from, until = 0] = [edges[after - 1], edges[after]];
  if (fromMs === undefined || untilMs === undefined || from === undefined) return until;
  return from + ((until - from) * (atMs - fromMs)) / (untilMs - fromMs);
}

function cutsOf(stretches: readonly Stretch[], edges: readonly number[]): readonly number[] {
  const lengths = stretches
    .map(({ fromMs, untilMs }) => untilMs - fromMs)
    .toSorted((a, b) => a - b);
  const usual = lengths[Math.floor(lengths.length / 2)] ?? 0;
  return stretches.flatMap(({ fromMs, untilMs }, i) => {
    const isIdle = untilMs - fromMs > Math.max(IDLE_MS_MIN, IDLE * usual);
    return isIdle ? [((edges[i] ?? 0) + (edges[i + 1] ?? 0)) / 2] : [];
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
