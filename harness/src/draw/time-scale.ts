/** Maps times to positions in a picture. */
export interface TimeScale {
  x(atMs: number): number;
  /** The first time at a position; beyond the scale, its first or last time. */
  msAt(x: number): number;
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
  return {
    x: (atMs) => place(distinct, edges, atMs),
    msAt: (x) => place(edges, distinct, x),
    cuts: cutsOf(stretches, edges),
  };
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

/** Interpolates between two known points; outside all points returns the edge. A playing page calls it in every frame. */
function place(points: readonly number[], images: readonly number[], at: number): number {
  const after = firstFrom(points, at);
  if (after === points.length) return images.at(-1) ?? 0;
  const [from, until] = [points[after - 1], points[after]];
  const [fromImage, untilImage = 0] = [images[after - 1], images[after]];
  if (from === undefined || until === undefined || fromImage === undefined) return untilImage;
  return fromImage + ((untilImage - fromImage) * (at - from)) / (until - from);
}

/** Finds by bisection the first of some rising points that is not below `at`; their number if all are. */
function firstFrom(points: readonly number[], at: number): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle] ?? 0) >= at) high = middle;
    else low = middle + 1;
  }
  return low;
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
