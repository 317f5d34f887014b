import { percentile } from '../../check/index.ts';
import type { ProbeRecord } from '../trials/trial-record.ts';
import { lengthOf, longestUnserved } from '../trials/unserved-span.ts';
import type { JudgedTrial } from './figures.ts';
import type { CellFigures } from './report.ts';

type AvailabilityTimeline = CellFigures['course'];

/** Enough points for a drawing: the slow ones, and every n-th of the rest. */
const POINTS_MAX = 240;
/** As long as a probe's round takes many times over, and short beside any outage. */
const STEP_MS = 100;

/** The service over time in one strike: in the one whose outage was the median of all, lest the picture be of an exception. */
export function availabilityTimeline(tried: readonly JudgedTrial[]): AvailabilityTimeline {
  const chosen = medianOf(tried);
  if (chosen === undefined) return { outageMs: 0, points: [] };
  const { fromMs, healedMs, untilMs, healthy } = chosen.record;
  const silence = worstClientSpan(chosen);
  return {
    outageMs: Math.round(silence === undefined ? 0 : lengthOf(silence)),
    points: pointsOf(healthy),
    ...(silence === undefined ? {} : { silence: shortened(silence) }),
    fromMs: Math.round(fromMs),
    healedMs: Math.round(healedMs),
    untilMs: Math.round(untilMs),
    rate: rateOf(healthy, fromMs, untilMs),
  };
}

/** By the client that was worst off in each; what never ended is longer than what did. Of two in the middle the shorter, as everywhere. */
function medianOf(tried: readonly JudgedTrial[]): JudgedTrial | undefined {
  const sorted = tried
    .map((each) => ({ each, ms: outageOf(each) }))
    .toSorted((a, b) => (a.ms === b.ms ? 0 : a.ms - b.ms));
  return sorted[Math.max(0, Math.ceil(sorted.length / 2) - 1)]?.each;
}

function outageOf({ judged }: JudgedTrial): number {
  return Math.max(0, ...judged.unavailableMs.map((ms) => ms ?? Number.POSITIVE_INFINITY));
}

function worstClientSpan({ record }: JudgedTrial): AvailabilityTimeline['silence'] {
  const silences = record.healthy.map((probed) => longestUnserved(probed, record.untilMs));
  return silences.toSorted((a, b) => weight(b) - weight(a))[0];
}

function weight(silence: NonNullable<AvailabilityTimeline['silence']>): number {
  return silence.ended ? lengthOf(silence) : Number.POSITIVE_INFINITY;
}

function shortened({
  fromMs,
  untilMs,
  ended,
}: NonNullable<AvailabilityTimeline['silence']>): AvailabilityTimeline['silence'] {
  return { fromMs: Math.round(fromMs), untilMs: Math.round(untilMs), ended };
}

function pointsOf(healthy: readonly ProbeRecord[]): AvailabilityTimeline['points'] {
  const samples = healthy.flatMap((probed) => probed.samples.filter(({ ok }) => ok));
  const step = Math.ceil(samples.length / POINTS_MAX);
  const tookMs = samples.map((sample) => sample.tookMs);
  const slowMs = percentile(tookMs, 0.9) ?? 0;
  return samples
    .filter((sample, index) => index % step === 0 || sample.tookMs > slowMs)
    .map((sample) => ({
      atMs: Math.round(sample.atMs),
      tookMs: Math.round(sample.tookMs * 100) / 100,
    }));
}

/** In whole steps, one of which begins with the strike; an acquisition counts when it is granted, unlike in phases. */
function rateOf(
  healthy: readonly ProbeRecord[],
  fromMs: number,
  untilMs: number,
): NonNullable<AvailabilityTimeline['rate']> {
  const first = Math.ceil(fromMs / STEP_MS);
  const steps = Math.max(0, Math.floor(untilMs / STEP_MS) - first);
  const granted = Array.from({ length: steps }, () => 0);
  for (const { samples } of healthy)
    for (const { ok, atMs, tookMs } of samples) {
      const step = Math.floor((atMs + tookMs) / STEP_MS) - first;
      const before = granted[step];
      if (ok && before !== undefined) granted[step] = before + 1;
    }
  return { fromMs: first * STEP_MS, stepMs: STEP_MS, granted };
}
